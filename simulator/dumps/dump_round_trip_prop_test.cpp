// Writing a machine as a dump and reading it back gives the same machine, up to the format's
// limits.

#include "simulator/dumps/build_platform.hpp"
#include "simulator/dumps/describe_platform.hpp"
#include "simulator/dumps/import_topology.hpp"
#include "simulator/dumps/write_dumps.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace keyswap::simulator {
namespace {

std::uint32_t up_to(std::uint32_t most) {
    return *rc::gen::inRange<std::uint32_t>(0, most + 1);
}

std::optional<std::uint64_t> any_rate() {
    return *rc::gen::arbitrary<bool>()
               ? std::nullopt
               : std::optional(*rc::gen::inRange<std::uint64_t>(1'000'000, 400'000'000'000));
}

/// Sheets with a known PCI id.
GpuKind any_kind() {
    auto const sheets = gpu_sheets();
    GpuSheet const& sheet = sheets[up_to(static_cast<std::uint32_t>(sheets.size()) - 1)];
    return {pci_id_of(sheet) ? sheet : *find_gpu_sheet("V100"), ""};
}

DumpedPlace any_place(MachineDump const& dump) {
    std::uint32_t const cpu = up_to(static_cast<std::uint32_t>(dump.cpus.size()) - 1);
    std::vector<std::uint32_t> bridges;
    for (std::uint32_t i = 0; i < dump.bridges.size(); ++i) {
        if (dump.bridges[i].above.cpu == cpu) {
            bridges.push_back(i);
        }
    }
    if (bridges.empty() || *rc::gen::arbitrary<bool>()) {
        return {cpu, std::nullopt};
    }
    return {cpu, bridges[up_to(static_cast<std::uint32_t>(bridges.size()) - 1)]};
}

std::string bridge_name(std::uint32_t i) {
    return "pci 0000:" + std::string(i < 15 ? "0" : "") + "123456789abcdef"[i] + ":00.0";
}

/// Bridges in file order: each before those below it.
void add_bridges_below(MachineDump& dump, DumpedPlace const& above, std::uint32_t depth) {
    for (std::uint32_t i = up_to(2); i > 0 && depth < 3 && dump.bridges.size() < 15; --i) {
        auto const number = static_cast<std::uint32_t>(dump.bridges.size());
        dump.bridges.push_back({bridge_name(number), above, any_rate()});
        add_bridges_below(dump, {above.cpu, number}, depth + 1);
    }
}

/// NVLinks of GPUs that have some: direct ones, or one switch.
void add_nvlinks(MachineDump& dump) {
    bool const is_switched = *rc::gen::arbitrary<bool>();
    for (std::uint32_t i = 0; i < dump.gpus.size(); ++i) {
        std::uint32_t const links = sheet_of(dump, i).nvlinks;
        if (links == 0) {
            continue;
        }
        if (is_switched) {
            dump.gpus[i].switch_nvlinks[0] = 1 + up_to(links - 1);
            continue;
        }
        for (std::uint32_t j = 0; j < i; ++j) {
            std::uint32_t const other = sheet_of(dump, j).nvlinks;
            if (other > 0 && sheet_of(dump, j).nvlink_Bps == sheet_of(dump, i).nvlink_Bps &&
                up_to(2) == 0) {
                dump.peer_nvlinks[{j, i}] = 1 + up_to(std::min(links, other) - 1);
            }
        }
    }
}

MachineDump any_machine() {
    MachineDump dump;
    dump.has_host_links = true;
    dump.cpus.resize(1 + up_to(3));
    dump.kinds.push_back(any_kind());
    if (auto other = any_kind(); other.sheet.name != dump.kinds[0].sheet.name) {
        dump.kinds.push_back(other);
    }
    for (std::uint32_t cpu = 0; cpu < dump.cpus.size(); ++cpu) {
        add_bridges_below(dump, {cpu, std::nullopt}, 0);
    }
    dump.gpus.resize(1 + up_to(7));
    for (DumpedGpu& gpu : dump.gpus) {
        gpu.kind = up_to(static_cast<std::uint32_t>(dump.kinds.size()) - 1);
        gpu.above = any_place(dump);
        if (up_to(4) == 0) {
            gpu.above.bridge.reset();
            gpu.c2c_Bps = *rc::gen::inRange<std::uint64_t>(1'000'000, 900'000'000'000);
        } else {
            gpu.pcie_Bps = any_rate();
        }
    }
    for (std::uint32_t i = up_to(3); i > 0; --i) {
        dump.adapters.push_back({any_place(dump), any_rate(), any_rate()});
    }
    // Files omit a bridge with nothing below it.
    for (std::uint32_t i = 0; i < dump.bridges.size(); ++i) {
        auto const hangs_here = [&](auto const& part) { return part.above.bridge == i; };
        bool const is_used = std::ranges::any_of(dump.bridges, hangs_here) ||
                             std::ranges::any_of(dump.gpus, hangs_here);
        if (!is_used) {
            dump.adapters.push_back({{dump.bridges[i].above.cpu, i}, any_rate(), any_rate()});
        }
    }
    add_nvlinks(dump);
    return dump;
}

/// Parts of a machine that both sides can have: drops kinds without GPUs; CPUs without parts keep
/// their index.
std::string parts_of(MachineDump const& dump) {
    std::string text;
    auto const place = [](DumpedPlace const& at) {
        return " on " + std::to_string(at.cpu) + "/" +
               (at.bridge ? std::to_string(*at.bridge) : "-");
    };
    auto const rate = [](std::optional<std::uint64_t> const& value) {
        return " at " + (value ? std::to_string(*value) : "-");
    };
    for (DumpedCpu const& cpu : dump.cpus) {
        text += "cpu of " + std::to_string(cpu.host) + "\n";
    }
    for (DumpedBridge const& bridge : dump.bridges) {
        text += "bridge" + place(bridge.above) + rate(bridge.pcie_Bps) + "\n";
    }
    for (std::size_t i = 0; i < dump.gpus.size(); ++i) {
        DumpedGpu const& gpu = dump.gpus[i];
        text += sheet_of(dump, i).name + place(gpu.above) + rate(gpu.pcie_Bps) + " c2c " +
                std::to_string(gpu.c2c_Bps) + " cpu " + std::to_string(gpu.cpu_nvlinks);
        for (auto const& [number, count] : gpu.switch_nvlinks) {
            text += " switch " + std::to_string(number) + " x" + std::to_string(count);
        }
        text += "\n";
    }
    for (DumpedAdapter const& adapter : dump.adapters) {
        text += "adapter" + place(adapter.above) + rate(adapter.pcie_Bps) + rate(adapter.rail_Bps) +
                "\n";
    }
    for (auto const& [pair, count] : dump.peer_nvlinks) {
        text += std::to_string(pair.first) + "-" + std::to_string(pair.second) + " x" +
                std::to_string(count) + "\n";
    }
    return text;
}

RC_GTEST_PROP(DumpRoundTrip, AnNcclFileHoldsTheWholeMachine, ()) {
    MachineDump const machine = any_machine();
    auto const text = write_nccl_xml(machine);
    RC_ASSERT(text.has_value());
    RC_LOG() << *text;
    auto const again = read_nccl_xml(*text, "topo.xml", {});
    RC_ASSERT(again.has_value());
    RC_ASSERT(parts_of(*again) == parts_of(machine));
}

RC_GTEST_PROP(DumpRoundTrip, APlatformIsDescribedAsItWasBuilt, ()) {
    MachineDump machine = any_machine();
    Platform const platform = build_platform(machine, "built");
    auto const described = describe_platform(platform);
    RC_LOG() << (described ? "" : described.error().message());
    RC_ASSERT(described.has_value());
    // The file states what was assumed.
    for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
        machine.gpus[i].pcie_Bps =
            machine.gpus[i].pcie_Bps ? machine.gpus[i].pcie_Bps : described->gpus[i].pcie_Bps;
    }
    for (std::size_t i = 0; i < machine.bridges.size(); ++i) {
        machine.bridges[i].pcie_Bps = described->bridges[i].pcie_Bps;
    }
    for (std::size_t i = 0; i < machine.adapters.size(); ++i) {
        machine.adapters[i].pcie_Bps = described->adapters[i].pcie_Bps;
    }
    RC_ASSERT(parts_of(*described) == parts_of(machine));
}

RC_GTEST_PROP(DumpRoundTrip, AFileOfAPlatformIsThePlatform, ()) {
    Platform const platform = build_platform(any_machine(), "built");
    auto const described = describe_platform(platform);
    RC_ASSERT(described.has_value());
    auto const text = write_nccl_xml(*described);
    RC_ASSERT(text.has_value());
    ImportOptions options;
    options.platform_name = "built";
    auto const again = read_nccl_xml(*text, "topo.xml", options);
    RC_ASSERT(again.has_value());
    auto const described_again = describe_platform(build_platform(*again, "built"));
    RC_ASSERT(described_again.has_value());
    auto const text_again = write_nccl_xml(*described_again);
    RC_ASSERT(text_again.has_value());
    RC_ASSERT(*text_again == *text);
}

RC_GTEST_PROP(DumpRoundTrip, ATableHoldsGpusNodesAndNvlinks, ()) {
    MachineDump machine = any_machine();
    // Tables lack rates and NVLinks to CPUs, and cannot decide between two explanations.
    std::erase_if(machine.peer_nvlinks, [&](auto const& link) {
        return link.first.second > link.first.first + 1 || link.first.first % 2 == 1;
    });
    bool const is_full = std::ranges::all_of(machine.gpus, [&](DumpedGpu const& gpu) {
        return gpu.switch_nvlinks.empty() || (machine.gpus.size() > 2 && machine.kinds.size() == 1);
    });
    for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
        auto& links = machine.gpus[i].switch_nvlinks;
        links = !links.empty() && is_full
                    ? std::map<std::uint32_t, std::uint32_t>{{0, sheet_of(machine, i).nvlinks}}
                    : std::map<std::uint32_t, std::uint32_t>{};
    }
    auto const text = write_nvidia_smi(machine);
    RC_ASSERT(text.has_value());
    RC_LOG() << *text;
    auto const again = read_nvidia_smi(*text, "topo.txt", {});
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->gpus.size() == machine.gpus.size());
    RC_ASSERT(again->adapters.size() == machine.adapters.size());
    RC_ASSERT(again->peer_nvlinks == machine.peer_nvlinks);
    for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
        RC_ASSERT(sheet_of(*again, i).name == sheet_of(machine, i).name);
        RC_ASSERT(again->gpus[i].switch_nvlinks == machine.gpus[i].switch_nvlinks);
        for (std::size_t j = 0; j < i; ++j) {
            RC_ASSERT((again->gpus[i].above.cpu == again->gpus[j].above.cpu) ==
                      (machine.gpus[i].above.cpu == machine.gpus[j].above.cpu));
        }
    }
}

TEST(DumpRoundTripOfShipped, ARateThatIsNoMultipleOfALinksIsRefused) {
    auto platform = *load_platform("dgx-a100");
    for (LinkKind& kind : platform.link_kinds) {
        kind.bandwidth_Bps = kind.name.starts_with("nvlink") ? 1'000'000'000 : kind.bandwidth_Bps;
    }
    auto const dump = describe_platform(platform);
    ASSERT_FALSE(dump);
    EXPECT_NE(dump.error().problem.find("whose rate is not a multiple"), std::string::npos)
        << dump.error().message();
}

TEST(DumpRoundTripOfShipped, EveryPlatformIsItselfAgain) {
    for (EmbeddedText const& shipped : shipped_platforms()) {
        auto const platform = *load_platform(shipped.name);
        auto const dump = describe_platform(platform);
        ASSERT_TRUE(dump) << dump.error().message();
        auto const file = write_nccl_xml(*dump);
        ASSERT_TRUE(file) << file.error().message();
        auto const imported = import_nccl_xml(*file, "topo.xml", {});
        ASSERT_TRUE(imported) << imported.error().message();
        EXPECT_EQ(imported->platform.links, platform.links) << shipped.name;
        auto const table = write_nvidia_smi(*dump);
        ASSERT_EQ(table.has_value(), shipped.name != "gb200-nvl72"); // which spans 18 machines
        if (table) {
            auto const of_table = import_nvidia_smi(*table, "topo.txt", {});
            ASSERT_TRUE(of_table) << of_table.error().message();
            EXPECT_EQ(of_table->platform.links, platform.links) << shipped.name;
        }
    }
}

} // namespace
} // namespace keyswap::simulator
