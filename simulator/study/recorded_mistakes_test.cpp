/// \file Error messages for invalid machine files, word for word as last reviewed: each line
/// removed in turn, and replaced by impossible values.

#include "simulator/cost/device_profile.hpp"
#include "simulator/cost/host_profile.hpp"
#include "simulator/cost/rate_profile.hpp"
#include "simulator/dumps/import_topology.hpp"
#include "simulator/platform/export_simgrid.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/platform_cluster.hpp"
#include "simulator/platform/topology_draw.hpp"
#include "simulator/study/link_change.hpp"
#include "traces/testing/recorded_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::simulator {
namespace {

/// Every key that a platform may have, once.
std::string const full_platform = R"(name = "box"
description = "of everything"
[[device]]
name = "D"
profile = "h100"
memory = "40 GiB"
hbm_bandwidth = "1555 GB/s"
hbm_efficiency = 0.9
engines_to_device = 2
engines_to_host = 2
engines_peer = 4
copy_rate_max = "100 GB/s"
origin = { rest = "datasheet: D", memory = "measured: M" }
[[cpu]]
name = "cpu{0-1}"
socket = "{0-1}"
machine = 3
memory = "512 GB"
memory_read = "200 GB/s"
memory_write = "150 GB/s"
memory_total = "210 GB/s"
memory_read_efficiency = 0.8
memory_write_efficiency = 0.7
memory_total_efficiency = 0.6
memory_write_cost = 1.5
position = [0.5, 2]
origin = "datasheet: C"
[[gpu]]
name = "gpu0"
device = "D"
position = [0.5, 1.0]
[[switch]]
name = "plx"
rail = 1
rail_bandwidth = "25 GB/s"
position = [3.5, 1.0]
[[link_kind]]
name = "pcie"
bandwidth = "32 GB/s"
bandwidth_back = "30 GB/s"
bandwidth_total = "50 GB/s"
efficiency = 0.9
efficiency_back = 0.8
efficiency_total = 0.7
efficiency_pieces = 0.6
efficiency_whole_write = 0.5
efficiency_single_peer = 0.45
efficiency_single_read = 0.4
efficiency_lone_read = 0.42
efficiency_shared_read = 0.3
efficiency_shared_write = 0.2
latency = "1 us"
origin = "datasheet: P"
[[link]]
name = "pcie0"
kind = "pcie"
between = ["cpu0", "plx"]
[[link]]
name = "pcie1"
kind = "pcie"
between = ["plx", "gpu0"]
[[link]]
name = "bus"
kind = "pcie"
between = ["cpu0", "cpu1"]
[[route]]
from = "cpu0"
to = "gpu0"
links = ["pcie0", "pcie1"]
)";

std::vector<std::string> values_in_place_of(std::string const& value) {
    std::vector<std::string> values{"\"\"", "\"x\"", "-1", "0", "1e9", "[7]", "{ a = 1 }", "1.5"};
    std::size_t const digit = value.find_first_of("0123456789");
    std::size_t const unit = value.find(' ');
    if (value.starts_with('"') && digit == 1 && unit != std::string::npos) {
        std::string const rest = value.substr(unit);
        for (char const* const number : {"-3", "0", "0.0001", "9e30", "1.2.3", "12345678901"}) {
            values.push_back("\"" + (number + rest));
        }
        values.push_back(value.substr(0, unit) + " parsec\"");
        values.push_back(value.substr(0, unit) + '"');
    }
    return values;
}

/// \param refusal maps a text to its error; empty if accepted
/// \param step distance between changed lines
std::string list_mistakes(std::string const& text,
                          std::function<std::string(std::string const&)> const& refusal,
                          std::size_t step = 1) {
    std::vector<std::string> const lines = testing::lines_of(text);
    EXPECT_EQ(refusal(text), "");
    std::ostringstream listed;
    auto const list = [&](std::size_t place, std::string const& line) {
        std::string changed;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            changed += (i == place ? line : lines[i]) + "\n";
        }
        std::string const message = refusal(changed);
        listed << "  " << line << ": " << (message.empty() ? "taken" : message.substr(0, 200))
               << '\n';
    };
    for (std::size_t i = 0; i < lines.size(); i += step) {
        std::size_t const equals = lines[i].find(" = ");
        if (equals == std::string::npos) {
            continue;
        }
        std::string const key = lines[i].substr(0, equals);
        listed << i + 1 << ' ' << lines[i].substr(0, 60) << '\n';
        list(i, "");
        list(i, key + "x" + lines[i].substr(equals));
        for (std::string const& value : values_in_place_of(lines[i].substr(equals + 3))) {
            list(i, key + " = " + value);
        }
    }
    return listed.str();
}

void expect_recorded(std::string const& name, std::string const& text) {
    testing::expect_recorded(std::string(KEYSWAP_RECORDED_PREDICTIONS) + "/" + name, text);
}

/// Message of an error; empty if there is none.
template <class Result>
std::string refusal_of(Result const& result) {
    return result ? "" : result.error().message();
}

TEST(RecordedMistakes, OfPlatformsAreReportedAsRecorded) {
    expect_recorded("mistakes-platform.txt",
                    list_mistakes(full_platform, [](std::string const& text) {
                        return refusal_of(parse_platform(text, "box.toml"));
                    }));
}

TEST(RecordedMistakes, OfDeviceProfilesAreReportedAsRecorded) {
    auto const profile = load_device_profile("h200");
    ASSERT_TRUE(profile);
    constexpr std::size_t step = 5; // all constants are parsed alike
    expect_recorded("mistakes-device.txt",
                    list_mistakes(
                        write_device_profile(*profile),
                        [](std::string const& text) {
                            return refusal_of(parse_device_profile(text, "device.toml"));
                        },
                        step));
}

TEST(RecordedMistakes, OfRateProfilesAreReportedAsRecorded) {
    std::string listed;
    for (char const* const name : {"gtx1080", "knf"}) {
        auto const profile = load_rate_profile(name);
        ASSERT_TRUE(profile);
        constexpr std::size_t step = 4;
        listed += list_mistakes(
            write_rate_profile(*profile),
            [](std::string const& text) {
                return refusal_of(parse_rate_profile(text, "rates.toml"));
            },
            step);
    }
    expect_recorded("mistakes-rates.txt", listed);
}

TEST(RecordedMistakes, OfHostProfilesAreReportedAsRecorded) {
    std::string const text = testing::text_of(std::string(KEYSWAP_RECORDED_PREDICTIONS) +
                                              "/../../devices/cpu-epyc-7742.toml");
    constexpr std::size_t step = 2; // sorts are parsed alike
    expect_recorded("mistakes-host.txt",
                    list_mistakes(
                        text,
                        [](std::string const& changed) {
                            return refusal_of(parse_host_profile(changed, "host.toml"));
                        },
                        step));
}

/// A machine of four GPUs, two on one PCIe switch, with a network adapter.
std::string const matrix = "\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\n"
                           "GPU0\t X \tNV4\tPHB\tSYS\tPIX\t0-15\t0\n"
                           "GPU1\tNV4\t X \tPIX\tSYS\tPIX\t0-15\t0\n"
                           "GPU2\tPHB\tPIX\t X \tSYS\tPHB\t0-15\t0\n"
                           "GPU3\tSYS\tSYS\tSYS\t X \tSYS\t16-31\t1\n"
                           "NIC0\tPIX\tPIX\tPHB\tSYS\t X \t\t\n";

std::string const nccl = R"(<system version="1">
  <cpu numaid="0" affinity="ff">
    <pci busid="01" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0f" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="80">
          <nvlink target="10" count="4" tclass="0x030200"/>
          <nvlink target="c4" count="6" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="10" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="8">
        <gpu dev="1" sm="80">
          <nvlink target="0f" count="4" tclass="0x030200"/>
          <nvlink target="c4" count="6" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="11" class="0x020000" link_speed="16.0 GT/s PCIe" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="200000" port="1"/></nic>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1" affinity="ff00">
    <pci busid="20" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
      <gpu dev="2" sm="80"/>
    </pci>
  </cpu>
</system>
)";

/// One line per machine with its links, or with its error.
std::string imported_machine(Expected<ImportedPlatform> const& imported) {
    if (!imported) {
        return "  " + imported.error().message().substr(0, 200) + "\n";
    }
    Platform const* const platform = &imported->platform;
    std::string listed;
    for (Link const& link : platform->links) {
        listed += "  " + link.from + " - " + link.to + " by " + link.kind + "\n";
    }
    for (Switch const& node : platform->switches) {
        if (node.rail_Bps) {
            listed += "  " + node.name + " to its rail at " + std::to_string(*node.rail_Bps) + "\n";
        }
    }
    return listed;
}

TEST(RecordedMistakes, OfDumpsAreReportedAsRecorded) {
    ImportOptions const options{{"A100"}, "here", {}, std::nullopt};
    auto const of_matrix = [&](std::string const& text) {
        return imported_machine(import_nvidia_smi(text, "topo.txt", options));
    };
    auto const of_nccl = [&](std::string const& text) {
        return imported_machine(import_nccl_xml(text, "topo.xml", options));
    };
    std::string listed = "matrix\n" + of_matrix(matrix) + "xml\n" + of_nccl(nccl);
    for (char const* const cell :
         {"NV0", "NV1", "NV64", "NV65", "NVx", "NV", "NODE", "PXB", "X", "?"}) {
        std::string changed = matrix;
        for (std::size_t at = changed.find("NV4"); at != std::string::npos;
             at = changed.find("NV4", at + 1)) {
            changed.replace(at, 3, cell);
        }
        listed += std::string("both ") + cell + "\n" + of_matrix(changed);
    }
    for (auto const& [part, by] :
         std::vector<std::pair<std::string, std::string>>{{"NV4", "NV3"},
                                                          {"GPU3\tNIC0", "NIC0"},
                                                          {"0-15\t0", "0-15\t"},
                                                          {"\t1\n", "\t70000\n"},
                                                          {"\t1\n", "\tx\n"},
                                                          {"NUMA Affinity", "NUMA"},
                                                          {"GPU1\tNV4", "GPU0\tNV4"},
                                                          {"NIC0\tPIX\tPIX\tPHB\tSYS", "NIC0\tPIX"},
                                                          {"GPU0\t X ", "GPU0\t - "}}) {
        std::string changed = matrix;
        changed.replace(changed.find(part), part.size(), by);
        listed += part + " as " + by + "\n" + of_matrix(changed);
    }
    // Each attribute removed in turn, and replaced by impossible values.
    std::string const unchanged = of_nccl(nccl);
    std::map<std::string, int> seen;
    for (std::size_t at = nccl.find("=\""); at != std::string::npos;
         at = nccl.find("=\"", at + 1)) {
        std::size_t const begin = nccl.rfind(' ', at) + 1;
        std::size_t const end = nccl.find('"', at + 2) + 1;
        std::string const name = nccl.substr(begin, at - begin);
        if (++seen[name] > 2) {
            continue; // others of this name are parsed alike
        }
        for (std::string const& value : {std::string(),
                                         name + "=\"\"",
                                         name + "=\"0\"",
                                         name + "=\"-1\"",
                                         name + "=\"1000000\"",
                                         name + "=\"1000001\"",
                                         name + "=\"9x\"",
                                         name + "=\"inf GT/s\"",
                                         name + "=\"1e300\""}) {
            std::string changed = nccl;
            changed.replace(begin, end - begin, value);
            std::string const machine = of_nccl(changed);
            listed += nccl.substr(begin, end - begin) + " as " + value + "\n" +
                      (machine == unchanged ? "  the same\n" : machine);
        }
    }
    expect_recorded("mistakes-dumps.txt", listed);
}

/// Machines as files, pictures and programs of SimGrid.
TEST(RecordedMachines, AreWrittenDrawnAndExportedAsTheyWere) {
    auto const full = parse_platform(full_platform, "box.toml");
    auto const cluster = load_cluster("cluster:dgx-h100:2");
    ASSERT_TRUE(full && cluster);
    std::string listed = write_platform(*full) + draw_topology(*full) + draw_topology(*cluster);
    auto const lines = testing::lines_of(write_platform(*cluster));
    for (std::size_t i = 0; i < lines.size(); i += 2) {
        listed += lines[i] + "\n";
    }
    LinkUseTable const use{{"pcie0", 2e9}, {"bus", 30e9}};
    listed += draw_topology(*full, use);
    for (Platform const* const platform : {&*full, &*cluster}) {
        auto const exported = export_simgrid(*platform);
        ASSERT_TRUE(exported);
        auto const text = testing::lines_of(*exported);
        for (std::size_t i = 0; i < text.size(); i += platform == &*full ? 1 : 9) {
            listed += text[i] + "\n";
        }
    }
    for (std::string const& assumption : assumptions_of(
             import_nvidia_smi(matrix, "topo.txt", {{"A100"}, "here", {}, {}})->platform)) {
        listed += assumption + "\n";
    }
    for (char const* const changes : {"pcie x2",
                                      "pcie = 1 GB/s",
                                      "pcie + 1 GB/s",
                                      "pcie x0",
                                      "x2",
                                      "nolink x2",
                                      "add nvswitch",
                                      "add nvswitch 300 GB/s",
                                      "add bridges 50 GB/s",
                                      "add nothing 50 GB/s",
                                      "pcie x2 + pcie x3",
                                      ""}) {
        auto const parsed = parse_link_changes(changes);
        listed += std::string(changes) + "\n";
        auto const machine = load_machine("pcie-4gpu", std::nullopt);
        ASSERT_TRUE(machine);
        auto const changed =
            parsed ? with_link_changes(*machine, *parsed) : tl::unexpected(parsed.error());
        if (!changed) {
            listed += "  " + changed.error().message() + "\n";
            continue;
        }
        for (LinkKind const& kind : changed->platform.link_kinds) {
            listed += "  " + kind.name + " " + std::to_string(kind.bandwidth_Bps) + "\n";
        }
        listed += "  " + std::to_string(changed->platform.links.size()) + " links, last " +
                  changed->platform.links.back().name + "\n";
    }
    for (char const* const name : {"cluster:dgx-h100",
                                   "cluster:dgx-h100:0",
                                   "cluster:dgx-h100:x",
                                   "cluster:nowhere:2",
                                   "cluster:ac922:100+dgx-a100:29",
                                   "nowhere",
                                   ""}) {
        auto const platform = load_platform(name);
        listed += std::string(name) + ": " +
                  (platform ? std::to_string(platform->gpus.size()) : platform.error().message()) +
                  "\n";
    }
    expect_recorded("machines.txt", listed);
}

} // namespace
} // namespace keyswap::simulator
