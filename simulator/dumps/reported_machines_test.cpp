// Machines reported by users that were read wrong at first. The commands with the whole files are
// in tools/scripts/reported/topology.

#include "simulator/dumps/cpu_sheet.hpp"
#include "simulator/dumps/dump_text.hpp"
#include "simulator/dumps/import_topology.hpp"
#include "simulator/platform/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace keyswap::simulator {
namespace {

ImportOptions with_gpu(std::string const& name) {
    ImportOptions options;
    options.gpu_names.push_back(name);
    return options;
}

using Cells = std::function<std::string(std::size_t, std::size_t)>;

/// Output of nvidia-smi for GPUs on these NUMA nodes. \param last columns after the GPUs
std::string smi_table(std::vector<int> const& nodes,
                      Cells const& cells,
                      std::string const& last = "\tCPU Affinity\tNUMA Affinity") {
    std::string text;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        text += "\tGPU" + std::to_string(i);
    }
    text += last + "\n";
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        text += "GPU" + std::to_string(i);
        for (std::size_t j = 0; j < nodes.size(); ++j) {
            text += i == j ? "\t X " : "\t" + cells(i, j);
        }
        int const core = 16 * nodes[i];
        text += last.find("CPU") == std::string::npos
                    ? ""
                    : "\t" + std::to_string(core) + "-" + std::to_string(core + 15);
        text += last.find("NUMA") == std::string::npos ? "" : "\t" + std::to_string(nodes[i]);
        text += "\n";
    }
    return text;
}

Cells in_groups(std::size_t size, std::string const& within, std::string const& between) {
    return [=](std::size_t i, std::size_t j) { return i / size == j / size ? within : between; };
}

Cells all(std::string const& cell) {
    return [=](std::size_t, std::size_t) { return cell; };
}

Expected<MachineDump> read_table(std::string const& text, std::string const& gpu) {
    return read_nvidia_smi(text, "topo.txt", with_gpu(gpu));
}

std::string refusal(Expected<MachineDump> const& dump) {
    return dump ? "accepted" : dump.error().message();
}

bool contains(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

bool has_note(MachineDump const& dump, std::string const& part) {
    return std::ranges::any_of(dump.notes,
                               [&](std::string const& note) { return contains(note, part); });
}

std::vector<int> const one_node(4, 0);
std::vector<int> const two_nodes{0, 0, 0, 0, 1, 1, 1, 1};

TEST(ReportedTables, TabsThatBecameSpacesAreRead) {
    std::string const tabs = smi_table(two_nodes, all("NV18"));
    std::string spaces = tabs;
    for (std::size_t at = spaces.find('\t'); at != std::string::npos; at = spaces.find('\t')) {
        spaces.replace(at, 1, "   ");
    }
    auto const one = import_nvidia_smi(tabs, "topo.txt", with_gpu("H100"));
    auto const other = import_nvidia_smi(spaces, "topo.txt", with_gpu("H100"));
    ASSERT_TRUE(one && other) << other.error().message();
    EXPECT_EQ(one->platform, other->platform);
    EXPECT_TRUE(contains(one->platform.description, "dgx-h100"));
}

TEST(ReportedTables, ALineWithoutTabsAndWithAnEmptyAffinityIsRefused) {
    EXPECT_TRUE(contains(refusal(read_table("  GPU0 GPU1 CPU Affinity NUMA Affinity GPU NUMA ID\n"
                                            "GPU0 X SYS 0 N/A\nGPU1 SYS X 0 N/A\n",
                                            "L4")),
                         "topo.txt:2: 2 cells follow the connections, under 3 columns"));
}

TEST(ReportedTables, BridgesJoinPairsAndQuads) {
    auto const pairs = read_table(smi_table(two_nodes, in_groups(2, "NV12", "SYS")), "A100");
    ASSERT_TRUE(pairs) << pairs.error().message();
    EXPECT_EQ(pairs->peer_nvlinks.size(), 4U);
    EXPECT_TRUE(pairs->gpus[0].switch_nvlinks.empty());
    // 3 x 6 of the 18 links of an H200 NVL.
    auto const quads = read_table(smi_table(two_nodes, in_groups(4, "NV6", "SYS")), "H200-NVL");
    ASSERT_TRUE(quads) << quads.error().message();
    EXPECT_EQ(quads->peer_nvlinks.size(), 12U);
}

TEST(ReportedTables, AShippedMachineNeedsEveryLink) {
    // GPU 0 alone looks like one of a DGX: 12 NVLinks and the same memory.
    auto const imported = import_nvidia_smi(
        smi_table(two_nodes, in_groups(2, "NV12", "SYS")), "topo.txt", with_gpu("A100"));
    ASSERT_TRUE(imported) << imported.error().message();
    EXPECT_FALSE(contains(imported->platform.description, "shipped"));
    auto const topology = *Topology::of(imported->platform);
    EXPECT_EQ(topology.route(gpu_memory(0), gpu_memory(1))->links.size(), 1U);
    EXPECT_GT(topology.route(gpu_memory(0), gpu_memory(2))->links.size(), 1U);
}

TEST(ReportedTables, GpusWithEnoughNvlinksHaveThemDirectly) {
    for (auto const& [gpu, cell] : {std::pair{"A100", "NV4"}, {"H100", "NV6"}, {"V100", "NV2"}}) {
        auto const mesh = read_table(smi_table(one_node, all(cell)), gpu);
        ASSERT_TRUE(mesh) << mesh.error().message();
        EXPECT_EQ(mesh->peer_nvlinks.size(), 6U) << gpu;
        EXPECT_TRUE(mesh->gpus[0].switch_nvlinks.empty()) << gpu;
    }
    // One link per pair more than four GPUs with 12 links can have directly.
    auto const switched = read_table(smi_table(one_node, all("NV5")), "A100");
    ASSERT_TRUE(switched) << switched.error().message();
    EXPECT_EQ(switched->gpus[3].switch_nvlinks.at(0), 5U);
}

TEST(ReportedTables, AGpuWithoutNvlinksLeavesTheOthersOnTheirSwitch) {
    auto const dump = read_table(
        smi_table(two_nodes,
                  [](std::size_t i, std::size_t j) { return i == 3 || j == 3 ? "SYS" : "NV18"; }),
        "H100");
    ASSERT_TRUE(dump) << dump.error().message();
    EXPECT_TRUE(dump->peer_nvlinks.empty());
    EXPECT_TRUE(dump->gpus[3].switch_nvlinks.empty());
    EXPECT_EQ(dump->gpus[7].switch_nvlinks.at(0), 18U);
}

TEST(ReportedTables, ASwitchHasItsGpusNarrowestCount) {
    auto const cells = [](std::string const& other) {
        return [=](std::size_t i, std::size_t j) {
            return i + j == 1 ? other : i == 3 || j == 3 ? "NV16" : "NV18";
        };
    };
    auto const dump = read_table(smi_table(two_nodes, cells("NV18")), "H100");
    ASSERT_TRUE(dump) << dump.error().message();
    EXPECT_EQ(dump->gpus[3].switch_nvlinks.at(0), 16U);
    EXPECT_EQ(dump->gpus[4].switch_nvlinks.at(0), 18U);
    EXPECT_TRUE(contains(refusal(read_table(smi_table(two_nodes, cells("NV17")), "H100")),
                         "GPU0 and GPU1 would have NV18"));
}

TEST(ReportedTables, MoreNvlinksThanTheGpuHasAreRefused) {
    EXPECT_TRUE(contains(refusal(read_table(smi_table({0, 0}, all("NV12")), "V100")),
                         "NV12 of GPU0, and V100 has 6 NVLinks"));
    EXPECT_TRUE(contains(refusal(read_table(smi_table({0, 0}, all("NV4")), "L4")), "no NVLinks"));
}

TEST(ReportedTables, NumbersOfNumaNodesAreNames) {
    auto const dump = read_table(smi_table({0, 0, 8, 8}, in_groups(2, "NV3", "SYS")), "V100");
    ASSERT_TRUE(dump) << dump.error().message();
    EXPECT_EQ(dump->cpus.size(), 2U);
    EXPECT_TRUE(has_note(*dump, "NUMA nodes 0, 8"));
}

TEST(ReportedTables, AffinitiesAndConnectionsStandInForNumaNodes) {
    Cells const halves = in_groups(4, "PIX", "SYS");
    for (auto const& [columns, source] : {std::pair{"\tCPU Affinity", "CPU affinities show 2 CPUs"},
                                          {"", "connections show 2 CPUs"}}) {
        auto const dump = read_table(smi_table(two_nodes, halves, columns), "V100");
        ASSERT_TRUE(dump) << dump.error().message();
        EXPECT_EQ(dump->cpus.size(), 2U);
        EXPECT_EQ(dump->gpus[4].above.cpu, 1U);
        EXPECT_TRUE(has_note(*dump, source)) << columns;
    }
    // NVLinks hide the placement of the GPUs.
    auto const hidden = read_table(smi_table(two_nodes, all("NV18"), ""), "H100");
    ASSERT_TRUE(hidden) << hidden.error().message();
    EXPECT_EQ(hidden->cpus.size(), 1U);
}

TEST(ReportedTables, CellsThatAreNoConnectionAreRefused) {
    for (std::string const cell : {"ERR!", "N/A", "", "NV", "NVx", "NV0", "NV65", "NV-1", "nv4"}) {
        std::string const message = refusal(read_table(smi_table({0, 0}, all(cell)), "A100"));
        EXPECT_TRUE(contains(message, "topo.txt:2: '" + cell + "' between GPU0 and GPU1"))
            << message;
    }
}

TEST(ReportedTables, NamesAroundTheTableSayTheKind) {
    std::string const table = smi_table({0, 0}, all("PHB"));
    auto const dump = read_nvidia_smi("GPU 0: NVIDIA L4 (UUID: GPU-a)\n"
                                      "GPU 1: NVIDIA L40S (UUID: GPU-b)\n" +
                                          table,
                                      "topo.txt",
                                      {});
    ASSERT_TRUE(dump) << dump.error().message();
    EXPECT_EQ(sheet_of(*dump, 0).name, "L4");
    EXPECT_EQ(sheet_of(*dump, 1).name, "L40S");
    auto const of_smi =
        read_nvidia_smi("|   0  NVIDIA L40S                    On  | 00000000:07:00.0 Off |\n"
                        "|   1  Tesla T4                       On  | 00000000:0F:00.0 Off |\n" +
                            table,
                        "topo.txt",
                        {});
    ASSERT_TRUE(of_smi) << of_smi.error().message();
    EXPECT_EQ(sheet_of(*of_smi, 0).name, "L40S");
    EXPECT_EQ(sheet_of(*of_smi, 1).name, "T4");
    auto const unnamed = read_nvidia_smi(table, "topo.txt", {});
    ASSERT_TRUE(unnamed) << unnamed.error().message();
    EXPECT_TRUE(has_note(*unnamed, "H100 is assumed"));
}

TEST(ReportedTables, TheDriversErrorIsShown) {
    EXPECT_TRUE(contains(refusal(read_table("Failed to initialize NVML: Unknown Error\n", "A100")),
                         "Failed to initialize NVML: Unknown Error"));
}

TEST(ReportedTexts, AreWhatTheyWereBeforeATerminal) {
    std::string const text = "\tGPU0\n";
    EXPECT_EQ(plain_dump_text(std::string("\xff\xfe\t\0G\0P\0U\0"
                                          "0\0\r\0\n\0",
                                          16)),
              text);
    EXPECT_EQ(plain_dump_text("\xef\xbb\xbf\tGPU0\r\n"), text);
    EXPECT_EQ(plain_dump_text("\t\x1b[4mGPU0\x1b[0m\n"), text);
    EXPECT_EQ(plain_dump_text("\t[4mGPU0[0m\n"), text);
    EXPECT_EQ(plain_dump_text("\t^[[1;4mGPU0^[[m\n"), text);
    EXPECT_EQ(plain_dump_text("\x1b"), "");
    EXPECT_EQ(plain_dump_text("[12"), "[12");
}

/// A file of NUMA nodes: attributes and content.
std::string nccl_file(std::vector<std::pair<std::string, std::string>> const& cpus) {
    std::string text = "<system version=\"1\">\n";
    for (auto const& [attributes, content] : cpus) {
        text += "<cpu " + attributes + ">\n" + content + "</cpu>\n";
    }
    return text + "</system>\n";
}

std::string nccl_gpu(int dev,
                     std::string const& inside = "",
                     std::string const& attributes = "sm=\"90\"",
                     std::string const& pci = "link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"") {
    return "<pci busid=\"0000:0" + std::to_string(dev) + ":00.0\" " + pci + "><gpu dev=\"" +
           std::to_string(dev) + "\" " + attributes + ">" + inside + "</gpu></pci>\n";
}

std::string const to_switch =
    "<nvlink target=\"fffffff:ff:ff.0\" count=\"18\" tclass=\"0x068000\"/>";

Expected<MachineDump> read_file(std::string const& text, ImportOptions const& options = {}) {
    return read_nccl_xml(text, "topo.xml", options);
}

TEST(ReportedNcclFiles, HostsOnOneNvswitchAreOneMachine) {
    auto const file = [](std::string const& inside) {
        return nccl_file({{"host_hash=\"0xa\" numaid=\"0\"", nccl_gpu(0, inside)},
                          {"host_hash=\"0xb\" numaid=\"0\"", nccl_gpu(0, inside)}});
    };
    auto const dump = read_file(file(to_switch));
    ASSERT_TRUE(dump) << dump.error().message();
    EXPECT_EQ(dump->gpus.size(), 2U);
    EXPECT_EQ(dump->cpus[1].host, 1U);
    auto const imported = import_machine(*dump, "topo.xml", {});
    ASSERT_TRUE(imported) << imported.error().message();
    EXPECT_TRUE(contains(refusal(read_file(file(""))), "2 hosts (host_hash) without an NVSwitch"));
    EXPECT_TRUE(contains(refusal(read_file(nccl_file(
                             {{"numaid=\"0\"", nccl_gpu(0)}, {"numaid=\"0\"", nccl_gpu(1)}}))),
                         "a second <cpu> has numaid=\"0\""));
}

TEST(ReportedNcclFiles, NvlinksToGpusOutsideAreLeftOut) {
    for (std::string const kind : {" tclass=\"0x030200\"", ""}) {
        auto const dump = read_file(nccl_file(
            {{"numaid=\"0\"",
              nccl_gpu(0, "<nvlink target=\"0000:77:00.0\" count=\"12\"" + kind + "/>")}}));
        ASSERT_TRUE(dump) << dump.error().message();
        EXPECT_TRUE(dump->gpus[0].switch_nvlinks.empty());
        EXPECT_EQ(dump->gpus[0].cpu_nvlinks, 0U);
        EXPECT_EQ(dump->gpus[0].pcie_Bps, 64'000'000'000U);
        EXPECT_TRUE(has_note(*dump, "not in the file"));
    }
}

TEST(ReportedNcclFiles, NvlinksToCpusAreThoseOfPower) {
    auto const dump = read_file(
        nccl_file({{"numaid=\"8\" arch=\"ppc64\"",
                    nccl_gpu(0,
                             "<nvlink target=\"0004:00:00.0\" count=\"3\" tclass=\"0x068001\"/>",
                             "sm=\"70\"")}}));
    ASSERT_TRUE(dump) << dump.error().message();
    EXPECT_EQ(dump->gpus[0].cpu_nvlinks, 3U);
    EXPECT_EQ(dump->gpus[0].pcie_Bps, std::nullopt);
    EXPECT_EQ(sheet_of(*dump, 0).name, "V100");
    EXPECT_EQ(dump->cpus.size(), 1U);
}

TEST(ReportedNcclFiles, ANumaidOfMinusOneIsTheFirstNode) {
    for (std::string const first : {"-1", "0"}) {
        auto const dump = read_file(
            nccl_file({{"numaid=\"" + first + "\"", nccl_gpu(0)}, {"numaid=\"-1\"", nccl_gpu(1)}}));
        ASSERT_TRUE(dump) << dump.error().message();
        EXPECT_EQ(dump->cpus.size(), 1U);
        EXPECT_EQ(dump->gpus.size(), 2U);
        EXPECT_TRUE(has_note(*dump, "numaid=\"-1\""));
    }
}

TEST(ReportedNcclFiles, LinksWithoutASpeedHaveThatOfTheGpu) {
    for (std::string const pci : {"",
                                  "link_speed=\"\" link_width=\"0\"",
                                  "link_speed=\"Unknown speed\" link_width=\"255\""}) {
        auto const dump =
            read_file(nccl_file({{"numaid=\"0\"", nccl_gpu(0, "", "sm=\"80\"", pci)}}));
        ASSERT_TRUE(dump) << dump.error().message();
        EXPECT_EQ(dump->gpus[0].pcie_Bps, std::nullopt);
        auto const imported = import_machine(*dump, "topo.xml", {});
        ASSERT_TRUE(imported) << imported.error().message();
        EXPECT_EQ(kind_of(imported->platform, imported->platform.links[0]).bandwidth_Bps,
                  32'000'000'000U);
    }
    EXPECT_TRUE(contains(
        refusal(read_file(nccl_file({{"numaid=\"0\"", nccl_gpu(0, "", "", "link_speed=\"x\"")}}))),
        "link_speed=\"x\""));
}

TEST(ReportedNcclFiles, ChipToChipLinksReplacePcie) {
    auto const dump = read_file(nccl_file(
        {{"numaid=\"0\"", nccl_gpu(0, "<c2c bw=\"44712\" count=\"5\"/>", "sm=\"100\"")}}));
    ASSERT_TRUE(dump) << dump.error().message();
    EXPECT_EQ(dump->gpus[0].c2c_Bps, 223'560'000'000U);
    auto const imported = import_machine(*dump, "topo.xml", {});
    ASSERT_TRUE(imported) << imported.error().message();
    auto const topology = *Topology::of(imported->platform);
    auto const route = topology.route(host_memory(0), gpu_memory(0));
    EXPECT_EQ(kind_of(imported->platform, imported->platform.links[route->links[0]]).bandwidth_Bps,
              223'560'000'000U);
}

TEST(ReportedNcclFiles, GpusOfOthersAndPartsOfGpusAreRefused) {
    auto const message = [](std::string const& gpu) {
        return refusal(read_file(nccl_file({{"numaid=\"0\"", gpu}}), with_gpu("A100")));
    };
    EXPECT_TRUE(contains(message(nccl_gpu(0, "<xgmi target=\"x\" count=\"4\"/>")), "AMD's"));
    EXPECT_TRUE(contains(message(nccl_gpu(0, "", "", "vendor=\"0x1002\"")), "AMD's"));
    EXPECT_TRUE(contains(message(nccl_gpu(0, "", "", "vendor=\"0x8086\"")), "not NVIDIA's"));
    EXPECT_TRUE(contains(message(nccl_gpu(0, "", "mlopart=\"0\"")), "in parts"));
    EXPECT_TRUE(
        contains(message("<pci busid=\"1\"><gpu dev=\"0\"/><gpu dev=\"1\"/></pci>"), "in parts"));
}

TEST(ReportedNcclFiles, GpusOfOneNumberAreRefused) {
    std::string second = nccl_gpu(1);
    second.replace(second.find("dev=\"1\""), 7, "dev=\"0\"");
    EXPECT_TRUE(contains(refusal(read_file(nccl_file({{"numaid=\"0\"", nccl_gpu(0) + second}}))),
                         "topo.xml:4: two GPUs have one dev"));
}

TEST(ReportedNcclFiles, TheGpuIsTheOneThatTheFileNames) {
    auto const read = [](std::string const& gpu, ImportOptions const& options = {}) {
        return read_file(nccl_file({{"numaid=\"0\"", gpu}}), options);
    };
    auto const by_id = read(nccl_gpu(0, "", "sm=\"89\"", "device=\"0x26b9\""));
    ASSERT_TRUE(by_id) << by_id.error().message();
    EXPECT_EQ(sheet_of(*by_id, 0).name, "L40S");
    EXPECT_TRUE(by_id->kinds[0].assumption.empty());
    auto const by_sm = read(nccl_gpu(0, "", "sm=\"86\""));
    ASSERT_TRUE(by_sm) << by_sm.error().message();
    EXPECT_EQ(sheet_of(*by_sm, 0).name, "A40");
    EXPECT_TRUE(has_note(*by_sm, "A40 is assumed of sm 86, which A10, A10G"));
    EXPECT_TRUE(contains(refusal(read(nccl_gpu(0, "", "sm=\"70\"", "device=\"0x20b5\""))),
                         "A100-PCIE-80GB of sm 80, and the file says sm 70"));
    EXPECT_TRUE(contains(refusal(read(nccl_gpu(0, "", "sm=\"70\""), with_gpu("H100"))),
                         "the GPU has sm 70, and --gpu names H100, which has sm 90"));
    EXPECT_TRUE(
        contains(refusal(read(nccl_gpu(0, "", "sm=\"999\""))), "sm 999 is not a known kind"));
    auto const chosen = read(nccl_gpu(0, "", "sm=\"80\"", "device=\"0x20b5\""), with_gpu("A100"));
    ASSERT_TRUE(chosen) << chosen.error().message();
    EXPECT_TRUE(has_note(*chosen, "--gpu names A100, though device 0x20b5 is A100-PCIE-80GB"));
}

TEST(ReportedNcclFiles, TheCpuIsTheOneThatTheFileNames) {
    auto const socket_origin = [](std::string const& cpu) {
        auto const imported =
            import_nccl_xml(nccl_file({{"numaid=\"0\" " + cpu, nccl_gpu(0, "", "sm=\"80\"")},
                                       {"numaid=\"1\" " + cpu, nccl_gpu(1, "", "sm=\"80\"")}}),
                            "topo.xml",
                            {});
        if (!imported) {
            return imported.error().message();
        }
        auto const kind =
            std::ranges::find(imported->platform.link_kinds, "socket", &LinkKind::name);
        return kind->origins.at("bandwidth");
    };
    std::string const intel = "arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" ";
    std::string const amd = "arch=\"x86_64\" vendor=\"AuthenticAMD\" ";
    EXPECT_EQ(socket_origin(intel + "modelid=\"106\""),
              "assumed: three UPI links of 11.2 GT/s, as Xeon Scalable of generation 3 has");
    EXPECT_EQ(socket_origin(amd + "familyid=\"175\" modelid=\"1\""),
              "assumed: Infinity Fabric, as EPYC 7003 has");
    EXPECT_EQ(socket_origin(intel + "modelid=\"999\""),
              "assumed: three UPI links of 11.2 GT/s, as Xeon Scalable of generation 3 has; "
              "GenuineIntel 6/999 is not known");
    EXPECT_EQ(socket_origin("arch=\"ppc64\""), "assumed: the X-Bus, as POWER9 has");
    EXPECT_EQ(socket_origin(""), "assumed: Infinity Fabric, as servers with PCIe 4.0 have");
}

TEST(CpuOfThisComputer, IsNamedAsNcclNamesIt) {
    auto const zen = cpu_model_of("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\n"
                                  "model\t\t: 1\nmodel name\t: AMD EPYC 7713\n\nprocessor\t: 1\n");
    ASSERT_TRUE(zen.has_value());
    EXPECT_EQ(*zen, (CpuModel{"x86_64", "AuthenticAMD", 175, 1}));
    EXPECT_EQ(cpu_model_of("cpu\t\t: POWER9, altivec supported\n")->arch, "ppc64");
    EXPECT_EQ(cpu_model_of("nothing of a CPU\n"), std::nullopt);
}

} // namespace
} // namespace keyswap::simulator
