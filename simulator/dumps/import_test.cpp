#include "simulator/dumps/import_topology.hpp"
#include "simulator/platform/export_simgrid.hpp"
#include "simulator/platform/gpu_sheet.hpp"
#include "simulator/platform/platform_cluster.hpp"
#include "simulator/platform/topology.hpp"
#include "simulator/platform/topology_draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace keyswap::simulator {
namespace {

ImportOptions of_gpu(std::string const& name) {
    return {{name}, "mine", {}, std::nullopt};
}

ImportOptions const a100 = of_gpu("A100");

Expected<Platform>
smi_platform(std::string_view text, std::string_view file, ImportOptions const& options) {
    return import_nvidia_smi(text, file, options).map([](ImportedPlatform const& imported) {
        return imported.platform;
    });
}

Expected<Platform>
nccl_platform(std::string_view text, std::string_view file, ImportOptions const& options) {
    return import_nccl_xml(text, file, options).map([](ImportedPlatform const& imported) {
        return imported.platform;
    });
}

/// Four GPUs on NVSwitch, pairs on a PCIe switch, two NUMA nodes; nvidia-smi underlines the header
/// like this.
std::string const smi = "\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
                        "GPU0\t X \tNV12\tNV12\tNV12\t0-63\t0\n"
                        "GPU1\tNV12\t X \tNV12\tNV12\t0-63\t0\n"
                        "GPU2\tNV12\tNV12\t X \tNV12\t64-127\t1\n"
                        "GPU3\tNV12\tNV12\tNV12\t X \t64-127\t1\n\n"
                        "Legend:\n\n  X    = Self\n";

TEST(Import, NvidiaSmiGivesNumaNodesAndAnNvSwitchOfTheCountedLinks) {
    auto const platform = smi_platform(smi, "topo.txt", a100);
    ASSERT_TRUE(platform.has_value()) << platform.error().message();
    EXPECT_EQ(platform->gpus.size(), 4U);
    EXPECT_EQ(platform->cpus.size(), 2U);
    auto const topology = Topology::of(*platform);
    auto const route = topology->route(gpu_memory(0), gpu_memory(3));
    ASSERT_EQ(route->links.size(), 2U);
    EXPECT_EQ(kind_of(*platform, platform->links[route->links[0]]).bandwidth_Bps,
              300'000'000'000U); // 12 links of 25 GB/s
    // GPU 3 is on node 1: from node 0 over the socket link, then its own PCIe link.
    EXPECT_EQ(topology->route(host_memory(0), gpu_memory(3))->links.size(), 2U);
}

TEST(Import, NvidiaSmiPairsOnOneSwitchShareItsUplink) {
    auto const platform = smi_platform("\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\n"
                                       "GPU0\t X \tPIX\tSYS\t0-15\tN/A\n"
                                       "GPU1\tPIX\t X \tSYS\t0-15\tN/A\n"
                                       "GPU2\tSYS\tSYS\t X \t0-15\tN/A\n",
                                       "topo.txt",
                                       a100);
    ASSERT_TRUE(platform.has_value()) << platform.error().message();
    auto const topology = Topology::of(*platform);
    auto const links = [&](std::uint32_t gpu) {
        return topology->route(host_memory(0), gpu_memory(gpu))->links;
    };
    EXPECT_EQ(links(0).front(), links(1).front());
    EXPECT_EQ(links(2).size(), 1U);
}

TEST(Import, NvidiaSmiWithoutItsMatrixIsRefused) {
    auto const cut = smi_platform(smi.substr(0, 100), "topo.txt", a100);
    ASSERT_FALSE(cut.has_value());
    EXPECT_EQ(cut.error().subject.substr(0, 8), "topo.txt");
    EXPECT_FALSE(smi_platform(smi, "topo.txt", of_gpu("GTX")).has_value());
}

/// The import's error for the text with a part replaced, or "accepted".
std::string smi_with(std::string const& part, std::string const& by) {
    std::string text = smi;
    text.replace(text.find(part), part.size(), by);
    auto const platform = smi_platform(text, "topo.txt", a100);
    return platform ? "accepted" : platform.error().message();
}

TEST(Import, NvidiaSmiRowsGoByTheirNames) {
    std::string const first = "GPU0\t X \tNV12\tNV12\tNV12\t0-63\t0\n";
    std::string moved = smi;
    moved.replace(moved.find(first), first.size(), "");
    moved.insert(moved.find("\nLegend"), first);
    auto const platform = smi_platform(moved, "topo.txt", a100);
    ASSERT_TRUE(platform.has_value()) << platform.error().message();
    EXPECT_EQ(*platform, *smi_platform(smi, "topo.txt", a100));
    EXPECT_NE(smi_with("GPU2\tNV12", "GPU1\tNV12").find("topo.txt:4: the row 'GPU1'"),
              std::string::npos);
    EXPECT_NE(smi_with("GPU3\tNV12", "GPU7\tNV12").find("topo.txt:5: the row 'GPU7'"),
              std::string::npos);
}

TEST(Import, NvidiaSmiLinksSayTheSameFromBothEnds) {
    // Row GPU0, column GPU1: the upper triangle.
    EXPECT_NE(smi_with("X \tNV12", "X \tSYS").find("'NV12' and 'SYS' between GPU0 and GPU1"),
              std::string::npos);
    std::string wide = smi;
    for (std::size_t at = wide.find("NV12"); at != std::string::npos; at = wide.find("NV12")) {
        wide.replace(at, 4, "NV737869763");
    }
    auto const platform = smi_platform(wide, "topo.txt", a100);
    ASSERT_FALSE(platform.has_value());
    EXPECT_NE(platform.error().message().find("not a number of NVLinks"), std::string::npos);
}

TEST(Import, NvidiaSmiOfTwoMachinesIsRefused) {
    std::string const tables = smi + smi;
    auto const both = smi_platform(tables, "topo.txt", a100);
    ASSERT_FALSE(both);
    auto const line = 1 + std::count(smi.begin(), smi.end(), '\n');
    EXPECT_TRUE(both.error().message().starts_with("topo.txt:" + std::to_string(line) +
                                                   ": a second table begins"))
        << both.error().message();
}

TEST(Import, NvidiaSmiNumaNodesAreBounded) {
    EXPECT_NE(smi_with("64-127\t1\n\n", "64-127\t20000\n\n").find("topo.txt:5: NUMA node 20000"),
              std::string::npos);
}

std::string const nccl = R"(<?xml version="1.0"?>
<!-- two GPUs behind one bridge, NVLink between them and to a switch -->
<system version="1">
  <cpu numaid="0" affinity="ff" arch="x86_64">
    <pci busid="0000:01:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:0f:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="80" rank="0" gdr="1">
          <nvlink target="0000:10:00.0" count="4" tclass="0x030200"/>
          <nvlink target="0000:c4:00.0" count="6" tclass="0x068000"/>
          <nvlink target="0000:c5:00.0" count="6" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="0000:10:00.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="8">
        <gpu dev="1" sm="80" rank="1" gdr="1">
          <nvlink target="0000:0f:00.0" count="4" tclass="0x030200"/>
          <nvlink target="0000:c4:00.0" count="12" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="0000:11:00.0" class="0x020000" link_speed="16.0 GT/s PCIe" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="200000" port="1"/></nic>
      </pci>
    </pci>
  </cpu>
</system>
)";

TEST(Import, NcclGivesBridgesLinkWidthsAndNvLinks) {
    auto const platform = nccl_platform(nccl, "topo.xml", a100);
    ASSERT_TRUE(platform.has_value()) << platform.error().message();
    auto const bandwidth = [&](std::string const& from, std::string const& to) -> std::uint64_t {
        for (Link const& link : platform->links) {
            if (link.from == from && link.to == to) {
                return kind_of(*platform, link).bandwidth_Bps;
            }
        }
        return 0;
    };
    EXPECT_EQ(bandwidth("cpu0", "pci 0000:01:00.0"), 32'000'000'000U); // 16 GT/s * 16 / 8
    EXPECT_EQ(bandwidth("pci 0000:01:00.0", "gpu1"), 8'000'000'000U);  // 8 GT/s * 8 / 8
    EXPECT_EQ(bandwidth("gpu0", "gpu1"), 100'000'000'000U);            // 4 links, listed twice
    EXPECT_EQ(bandwidth("gpu0", "nvswitch"), 300'000'000'000U);        // 6 + 6 links
    EXPECT_EQ(platform->links.size(), 7U);                             // with the adapter's
}

TEST(Import, NcclMistakesAreNamedWithTheirLine) {
    auto const without = [](std::string const& part) {
        std::string text = nccl;
        text.replace(text.find(part), part.size(), "");
        auto const platform = nccl_platform(text, "topo.xml", a100);
        return platform ? "accepted" : platform.error().message();
    };
    EXPECT_NE(without("dev=\"1\" ").find("topo.xml:14: <gpu> has no dev"), std::string::npos);
    EXPECT_NE(without(" count=\"12\"").find("topo.xml:16: <nvlink> has no count"),
              std::string::npos);
    EXPECT_NE(without("</system>").find("topo.xml:"), std::string::npos);
}

std::string nccl_with(std::string const& part, std::string const& by) {
    std::string text = nccl;
    text.replace(text.find(part), part.size(), by);
    auto const platform = nccl_platform(text, "topo.xml", a100);
    return platform ? "accepted" : platform.error().message();
}

TEST(Import, NcclNumbersAreWholeAndNothingFollows) {
    EXPECT_NE(nccl_with("dev=\"1\"", "dev=\"1.9\"").find("dev=\"1.9\""), std::string::npos);
    EXPECT_NE(nccl_with("numaid=\"0\"", "numaid=\"nan\"").find("topo.xml:4: numaid=\"nan\""),
              std::string::npos);
    EXPECT_NE(nccl_with("</system>", "</system>rest").find("something follows"), std::string::npos);
}

TEST(Import, NcclGpusAndLinksAreNeverDropped) {
    EXPECT_NE(nccl_with("<gpu dev=\"1\"", "<gpu dev=\"7\"/><gpu dev=\"1\"")
                  .find("topo.xml:14: the GPU at 0000:10:00.0 is in parts"),
              std::string::npos);
    std::string const back = "<nvlink target=\"0000:0f:00.0\" count=\"4\" tclass=\"0x030200\"/>";
    EXPECT_NE(nccl_with(back, "").find("do not name the same NVLinks"), std::string::npos);
    std::string const three = "<nvlink target=\"0000:0f:00.0\" count=\"3\" tclass=\"0x030200\"/>";
    EXPECT_NE(nccl_with(back, three).find("do not name the same NVLinks"), std::string::npos);
}

/// Output of nvidia-smi on a DGX A100 with four NUMA nodes per CPU; NVLink hides the PCIe switches,
/// adapters reveal them.
std::string dgx_a100_matrix() {
    std::string text = "\t";
    for (int gpu = 0; gpu < 8; ++gpu) {
        text += "GPU" + std::to_string(gpu) + "\t";
    }
    text += "NIC0\tNIC1\tNIC2\tNIC3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
    int const numa[] = {3, 1, 7, 5}; // of each pair
    for (int gpu = 0; gpu < 8; ++gpu) {
        text += "GPU" + std::to_string(gpu);
        for (int other = 0; other < 8; ++other) {
            text += gpu == other ? "\t X " : "\tNV12";
        }
        for (int nic = 0; nic < 4; ++nic) {
            text += nic == gpu / 2 ? "\tPXB" : "\tSYS";
        }
        text += "\t0-15\t" + std::to_string(numa[gpu / 2]) + "\tN/A\n";
    }
    return text;
}

/// All pairs on NVSwitch, `per_node` GPUs per NUMA node.
std::string nvswitch_matrix(int per_node) {
    std::string text;
    for (int gpu = 0; gpu < 8; ++gpu) {
        text += "\tGPU" + std::to_string(gpu);
    }
    text += "\tCPU Affinity\tNUMA Affinity\n";
    for (int gpu = 0; gpu < 8; ++gpu) {
        text += "GPU" + std::to_string(gpu);
        for (int other = 0; other < 8; ++other) {
            text += gpu == other ? "\t X " : "\tNV18";
        }
        text += "\t0-15\t" + std::to_string(gpu / per_node) + "\n";
    }
    return text;
}

double narrowest(Platform const& platform, MemoryPlace from, MemoryPlace to) {
    auto const topology = *Topology::of(platform);
    double rate = 1e18;
    auto const route = topology.route(from, to);
    for (ChannelShare const& share : route->shares) {
        rate = std::min(rate, topology.channels()[share.channel].capacity_Bps / share.weight);
    }
    return rate;
}

TEST(Import, WhatLooksLikeAShippedMachineGetsItsRates) {
    struct Dump {
        std::string text;
        char const* gpu;
        char const* shipped;
    };
    for (Dump const& dump : {Dump{dgx_a100_matrix(), "NVIDIA A100-SXM4-40GB", "dgx-a100"},
                             Dump{nvswitch_matrix(4), "NVIDIA H100 80GB HBM3", "dgx-h100"},
                             Dump{nvswitch_matrix(8), "NVIDIA H200", "hgx-h200"}}) {
        auto const imported = smi_platform(dump.text, "topo.txt", of_gpu(dump.gpu));
        ASSERT_TRUE(imported) << imported.error().message();
        auto const shipped = *load_platform(dump.shipped);
        EXPECT_EQ(imported->name, "mine");
        for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
            MemoryPlace const memory = gpu_memory(gpu);
            EXPECT_DOUBLE_EQ(narrowest(*imported, host_memory(0), memory),
                             narrowest(shipped, host_memory(0), memory))
                << dump.shipped;
            EXPECT_DOUBLE_EQ(narrowest(*imported, memory, host_memory(0)),
                             narrowest(shipped, memory, host_memory(0)))
                << dump.shipped;
        }
        EXPECT_NE(imported->description.find(dump.shipped), std::string::npos);
        for (Cpu const& cpu : imported->cpus) {
            for (auto const& [constant, origin] : cpu.origins) {
                EXPECT_TRUE(origin.starts_with("assumed: as on the shipped")) << origin;
            }
        }
    }
}

TEST(Import, WhatContradictsAShippedMachineIsNotTakenForIt) {
    std::string const others[] = {nvswitch_matrix(2),  // four NUMA nodes
                                  nvswitch_matrix(4)}; // two, of H200
    EXPECT_EQ(smi_platform(others[1], "x", of_gpu("H200"))->description.find("shipped"),
              std::string::npos);
    std::string swapped = nvswitch_matrix(4);
    swapped.replace(swapped.find("0-15\t0\nGPU1"), 8, "0-15\t1\nG");
    EXPECT_EQ(smi_platform(swapped, "x", of_gpu("H100"))->description.find("shipped"),
              std::string::npos);
    // Two NUMA nodes per socket are accepted.
    EXPECT_NE(smi_platform(others[0], "x", of_gpu("H100"))->description.find("dgx-h100"),
              std::string::npos);
}

TEST(Import, AServerThatIsNotShippedHasTheLinksOfAShippedOneOfItsTime) {
    // Two sockets with four H200 each: the shipped platform is a virtual server with one NUMA node.
    auto const imported = smi_platform(nvswitch_matrix(4), "topo.txt", of_gpu("H200"));
    ASSERT_TRUE(imported) << imported.error().message();
    auto const shipped = *load_platform("dgx-h100");
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
        MemoryPlace const memory = gpu_memory(gpu);
        EXPECT_DOUBLE_EQ(narrowest(*imported, host_memory(0), memory),
                         narrowest(shipped, host_memory(0), memory));
        EXPECT_DOUBLE_EQ(narrowest(*imported, memory, gpu_memory((gpu + 1) % 8)),
                         narrowest(shipped, memory, gpu_memory((gpu + 1) % 8)));
    }
    // A GPU is limited by its own link; the socket link limits copies between host memories.
    EXPECT_DOUBLE_EQ(narrowest(*imported, host_memory(0), host_memory(1)),
                     narrowest(shipped, host_memory(0), host_memory(1)));
}

TEST(Import, AdaptersShowTheSwitchesThatNvlinkHides) {
    std::string matrix = dgx_a100_matrix();
    for (std::size_t at = matrix.find("\t7\t"); at != std::string::npos;
         at = matrix.find("\t7\t")) {
        matrix.replace(at, 3, "\t2\t"); // not a DGX, so only the dump decides
    }
    auto const platform = smi_platform(matrix, "topo.txt", of_gpu("A100"));
    ASSERT_TRUE(platform) << platform.error().message();
    auto const topology = *Topology::of(*platform);
    auto const first_link = [&](std::uint32_t gpu) {
        auto const route = topology.route(gpu_memory(gpu), host_memory(3));
        return platform->links[route->links[0]].to + platform->links[route->links[0]].from;
    };
    EXPECT_NE(first_link(0).find("pcie-switch0"), std::string::npos);
    EXPECT_NE(first_link(1).find("pcie-switch0"), std::string::npos);
    EXPECT_EQ(first_link(2).find("pcie-switch0"), std::string::npos);
}

TEST(Import, TheGpusDataSheetSaysMemoryAndPcieGeneration) {
    std::string const two = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                            "GPU0\t X \tPHB\t0-15\t0\nGPU1\tPHB\t X \t0-15\t0\n";
    struct Kind {
        char const* gpu;
        std::uint64_t memory_Bps;
        std::uint64_t pcie_Bps;
    };
    constexpr std::uint64_t GBps = 1'000'000'000;
    for (Kind const& kind : {Kind{"NVIDIA H100 PCIe", 2039 * GBps, 64 * GBps},
                             Kind{"NVIDIA H100 80GB HBM3", 3350 * GBps, 64 * GBps},
                             Kind{"NVIDIA A100 80GB PCIe", 1935 * GBps, 32 * GBps},
                             Kind{"Tesla V100-SXM2-32GB", 900 * GBps, 16 * GBps},
                             Kind{"NVIDIA L4", 300 * GBps, 32 * GBps},
                             Kind{"NVIDIA GeForce RTX 4090", 1008 * GBps, 32 * GBps},
                             Kind{"48 GB, 864 GB/s, 142 SMs, 2520 MHz", 864 * GBps, 32 * GBps}}) {
        auto const platform = smi_platform(two, "topo.txt", of_gpu(kind.gpu));
        ASSERT_TRUE(platform) << platform.error().message();
        EXPECT_EQ(device_of(*platform, 0).hbm_bandwidth_Bps, kind.memory_Bps) << kind.gpu;
        EXPECT_EQ(kind_of(*platform, platform->links[0]).bandwidth_Bps, kind.pcie_Bps) << kind.gpu;
        EXPECT_FALSE(assumptions_of(*platform).empty());
    }
    // Valid numbers of a card: 1 to 100,000 each.
    for (auto const& [sheet, is_one] :
         {std::pair{"1 GB, 1 GB/s, 1 SMs, 1 MHz", true},
          std::pair{"100000 GB, 100000 GB/s, 100000 SMs, 100000 MHz", true},
          std::pair{"48 GB, 864 GB/s, 0 SMs, 2520 MHz", false},
          std::pair{"48 GB, 864 GB/s, 100001 SMs, 2520 MHz", false},
          std::pair{"48 GB, 1e6 GB/s, 142 SMs, 2520 MHz", false},
          std::pair{"48 GB, 864 GB/s, 142 SMs, inf MHz", false},
          std::pair{"48 GB, 864 GB/s, 142 SMs, nan MHz", false},
          std::pair{"48 GB, 864 GB/s, 142 SMs, 2520 GHz", false}}) {
        EXPECT_EQ(smi_platform(two, "topo.txt", of_gpu(sheet)).has_value(), is_one) << sheet;
    }
    // Cards without NVLink cannot have a matrix with it.
    EXPECT_FALSE(smi_platform(smi, "topo.txt", of_gpu("L40S")));
}

TEST(Import, NcclTellsAdaptersAndTheirSpeed) {
    auto const platform = nccl_platform(nccl, "topo.xml", a100);
    ASSERT_TRUE(platform) << platform.error().message();
    auto const nic = std::ranges::find(platform->switches, "nic0", &Switch::name);
    ASSERT_NE(nic, platform->switches.end());
    EXPECT_EQ(nic->rail, 0U);
    EXPECT_EQ(nic->rail_Bps, 25'000'000'000U); // 200 Gb/s
    auto const cluster = make_cluster({{*platform, 2}});
    ASSERT_TRUE(cluster) << cluster.error().message();
    auto const rail = std::ranges::find(cluster->link_kinds, "rail 25 GB/s", &LinkKind::name);
    ASSERT_NE(rail, cluster->link_kinds.end());
    EXPECT_NE(nccl_with("speed=\"200000\"", "speed=\"fast\"").find("not the rate of a network"),
              std::string::npos);
}

TEST(Export, SimGridGetsALinkForEachDirectionAndARouteForEachPair) {
    auto const text = export_simgrid(*load_platform("ac922"));
    ASSERT_TRUE(text.has_value());
    std::size_t routes = 0;
    for (std::size_t at = text->find("<route "); at != std::string::npos;
         at = text->find("<route ", at + 1)) {
        ++routes;
    }
    EXPECT_EQ(routes, 6U * 5U); // 2 memories and 4 GPUs
    EXPECT_NE(text->find("<link id=\"xbus: cpu0 &gt; cpu1\" bandwidth=\"4.0768e+10Bps\" "
                         "latency=\"1000000ps\"/>"), // 64 GB/s * 0.637
              std::string::npos)
        << *text;
}

TEST(Draw, CapacityIsWidthAndUseIsColour) {
    auto const platform = *load_platform("ac922");
    std::string const plain = draw_topology(platform);
    EXPECT_NE(plain.find("\"cpu0\" -- \"cpu1\" [label=\"40.77 GB/s\""), std::string::npos) << plain;
    auto const use = parse_link_use("link,GB/s\nxbus,40.768\n", "use.csv", platform);
    ASSERT_TRUE(use.has_value()) << use.error().message();
    std::string const used = draw_topology(platform, *use);
    EXPECT_NE(used.find("label=\"40.77 / 40.77 GB/s\""), std::string::npos);
    EXPECT_NE(used.find("color=\"0 0.9 0.8\", tooltip=\"xbus\""), std::string::npos); // red: full
    auto const unknown = parse_link_use("ybus,1\n", "use.csv", platform);
    ASSERT_FALSE(unknown.has_value());
    EXPECT_EQ(unknown.error().subject, "use.csv:1");
}

} // namespace
} // namespace keyswap::simulator
