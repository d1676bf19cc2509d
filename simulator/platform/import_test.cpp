#include "simulator/platform/export_simgrid.hpp"
#include "simulator/platform/import_topology.hpp"
#include "simulator/platform/topology.hpp"
#include "simulator/platform/topology_draw.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

ImportDefaults const a100{"A100", "here"};

/// Four GPUs on NVSwitch, pairs on a PCIe switch, two NUMA nodes; the header is underlined as
/// nvidia-smi does it.
std::string const smi = "\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
                        "GPU0\t X \tNV12\tNV12\tNV12\t0-63\t0\n"
                        "GPU1\tNV12\t X \tNV12\tNV12\t0-63\t0\n"
                        "GPU2\tNV12\tNV12\t X \tNV12\t64-127\t1\n"
                        "GPU3\tNV12\tNV12\tNV12\t X \t64-127\t1\n\n"
                        "Legend:\n\n  X    = Self\n";

TEST(Import, NvidiaSmiGivesNumaNodesAndAnNvSwitchOfTheCountedLinks) {
    auto const platform = import_nvidia_smi(smi, "topo.txt", a100);
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
    auto const platform = import_nvidia_smi("\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\n"
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
    auto const cut = import_nvidia_smi(smi.substr(0, 100), "topo.txt", a100);
    ASSERT_FALSE(cut.has_value());
    EXPECT_EQ(cut.error().subject.substr(0, 8), "topo.txt");
    EXPECT_FALSE(import_nvidia_smi(smi, "topo.txt", {"GTX", "x"}).has_value());
}

/// What the import says of the text with a part replaced; "accepted" where nothing.
std::string smi_with(std::string const& part, std::string const& by) {
    std::string text = smi;
    text.replace(text.find(part), part.size(), by);
    auto const platform = import_nvidia_smi(text, "topo.txt", a100);
    return platform ? "accepted" : platform.error().message();
}

TEST(Import, NvidiaSmiRowsGoByTheirNames) {
    std::string const first = "GPU0\t X \tNV12\tNV12\tNV12\t0-63\t0\n";
    std::string moved = smi;
    moved.replace(moved.find(first), first.size(), "");
    moved.insert(moved.find("\nLegend"), first);
    auto const platform = import_nvidia_smi(moved, "topo.txt", a100);
    ASSERT_TRUE(platform.has_value()) << platform.error().message();
    EXPECT_EQ(*platform, *import_nvidia_smi(smi, "topo.txt", a100));
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
    auto const platform = import_nvidia_smi(wide, "topo.txt", a100);
    ASSERT_FALSE(platform.has_value());
    EXPECT_NE(platform.error().message().find("no number of NVLinks"), std::string::npos);
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
    auto const platform = import_nccl_xml(nccl, "topo.xml", a100);
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
    EXPECT_EQ(platform->links.size(), 6U);
}

TEST(Import, NcclMistakesAreNamedWithTheirLine) {
    auto const without = [](std::string const& part) {
        std::string text = nccl;
        text.replace(text.find(part), part.size(), "");
        auto const platform = import_nccl_xml(text, "topo.xml", a100);
        return platform ? "accepted" : platform.error().message();
    };
    EXPECT_NE(without("dev=\"1\" ").find("topo.xml:14: <gpu> has no dev"), std::string::npos);
    EXPECT_NE(without(" link_width=\"8\"").find("topo.xml:13:"), std::string::npos);
    EXPECT_NE(without("</system>").find("topo.xml:"), std::string::npos);
}

std::string nccl_with(std::string const& part, std::string const& by) {
    std::string text = nccl;
    text.replace(text.find(part), part.size(), by);
    auto const platform = import_nccl_xml(text, "topo.xml", a100);
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
                  .find("topo.xml:13: two <gpu> at one bus"),
              std::string::npos);
    std::string const back = "<nvlink target=\"0000:0f:00.0\" count=\"4\" tclass=\"0x030200\"/>";
    EXPECT_NE(nccl_with(back, "").find("do not name the same NVLinks"), std::string::npos);
    std::string const three = "<nvlink target=\"0000:0f:00.0\" count=\"3\" tclass=\"0x030200\"/>";
    EXPECT_NE(nccl_with(back, three).find("do not name the same NVLinks"), std::string::npos);
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
    EXPECT_NE(text->find("<link id=\"xbus: cpu0 &gt; cpu1\" bandwidth=\"3.84e+10Bps\" "
                         "latency=\"1000000ps\"/>"), // 64 GB/s * 0.6
              std::string::npos)
        << *text;
}

TEST(Draw, CapacityIsWidthAndUseIsColour) {
    auto const platform = *load_platform("ac922");
    std::string const plain = draw_topology(platform);
    EXPECT_NE(plain.find("\"cpu0\" -- \"cpu1\" [label=\"38.4 GB/s\""), std::string::npos) << plain;
    auto const use = parse_link_use("link,GB/s\nxbus,38.4\n", "use.csv", platform);
    ASSERT_TRUE(use.has_value()) << use.error().message();
    std::string const used = draw_topology(platform, *use);
    EXPECT_NE(used.find("label=\"38.4 / 38.4 GB/s\""), std::string::npos);
    EXPECT_NE(used.find("color=\"0 0.9 0.8\", tooltip=\"xbus\""), std::string::npos); // red: full
    auto const unknown = parse_link_use("ybus,1\n", "use.csv", platform);
    ASSERT_FALSE(unknown.has_value());
    EXPECT_EQ(unknown.error().subject, "use.csv:1");
}

} // namespace
} // namespace keyswap::simulator
