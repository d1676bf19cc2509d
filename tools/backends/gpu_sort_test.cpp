#include "tools/backends/gpu_sort.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace keyswap::tools {
namespace {

TEST(BackendChoice, OfTheReferenceIsANumberOfGpus) {
    SortArguments sort;
    sort.gpu_count = 5;
    EXPECT_TRUE(resolve_gpus(BackendChoice{}, sort).value().empty());
    EXPECT_EQ(sort.gpu_count, 5U);
}

TEST(BackendChoice, RefusesWhatContradictsItself) {
    SortArguments sort;
    BackendChoice list;
    list.gpus = "0,2";
    EXPECT_NE(resolve_gpus(list, sort).error().remedy.find("--gpu-count"), std::string::npos);
}

TEST(PhaseSpans, TakeTheLongestOfAllGpusAndAddThePass) {
    auto const spans = phase_spans({{GpuId{0}, Phase::histogram, 1, 0, 2'000'000},
                                    {GpuId{0}, Phase::key_swap, 0, 2'000'000, 5'000'000},
                                    {GpuId{1}, Phase::histogram, 1, 0, 1'000'000},
                                    {GpuId{1}, Phase::key_swap, 0, 1'000'000, 8'000'000}});
    ASSERT_EQ(spans.size(), 2U);
    EXPECT_EQ(spans[0].name, "histogram 1");
    EXPECT_DOUBLE_EQ(spans[0].ms, 2.0);
    EXPECT_EQ(spans[1].name, "key swap");
    EXPECT_DOUBLE_EQ(spans[1].ms, 7.0);
}

TEST(GpuAccount, IsOfTheDevicesPassesAndTimes) {
    kernels::SortOptions options;
    options.devices = {2, 0};
    options.choice = choose("rmg", "rotated").value();
    cuda::SortResult result;
    result.device = "NVIDIA H200";
    result.driver = "580.1";
    result.seconds = 0.25;
    result.pinned = true;
    result.workspace = {0, 500'000, 2'000'000};
    result.report.passes = 1;
    result.report.chunks = {{0, 7}, {7, 5}};
    result.report.times = {{GpuId{0}, Phase::histogram, 1, 1000, 2'001'000},
                           {GpuId{1}, Phase::histogram, 1, 0, 3'000'000}};
    std::ostringstream out;
    print_gpu_account(options, result, 1'000'000'000, out);
    EXPECT_EQ(
        out.str(),
        "\nSorted on NVIDIA H200, driver 580.1, devices 2 0, variant rotated, 1 pass,\n"
        "from host memory to host memory in 250.000 ms (4.000 Gkeys/s, the first run: nothing "
        "is warm)\n"
        "  longest on a GPU                ms\n"
        "  histogram 1                     3.000\n"
        "  device memory of a GPU, MB      2.5\n");

    options.choice = choose("p2p-merge", {}).value();
    result.report.passes = 2;
    result.report.peer_access = false;
    result.pinned = false;
    std::ostringstream slow;
    print_gpu_account(options, result, 1'000'000'000, slow);
    EXPECT_EQ(slow.str().find("variant"), std::string::npos);
    for (char const* const words :
         {"devices 2 0, 2 passes,",
          "Some pairs of GPUs copy through the host: they have no peer access.\n",
          "The keys' memory could not be pinned; transfers were slower for it.\n"}) {
        EXPECT_NE(slow.str().find(words), std::string::npos) << words << slow.str();
    }
    std::ostringstream none;
    print_gpu_account(options, result, 0, none);
    EXPECT_EQ(none.str().find("pinned"), std::string::npos);

    auto const json = gpu_account_json(options, result);
    EXPECT_EQ(json["device"], "NVIDIA H200");
    EXPECT_EQ(json["driver"], "580.1");
    EXPECT_EQ(json["devices"], options.devices);
    EXPECT_EQ(json["variant"], options.choice.variant->name);
    EXPECT_EQ(json["passes"], 2);
    EXPECT_EQ(json["peer_access"], false);
    EXPECT_EQ(json["seconds"], 0.25);
    EXPECT_EQ(json["bytes_per_gpu"], 2'500'000);
    EXPECT_EQ(json["ownership"][1]["base"], 7);
    EXPECT_EQ(json["ownership"][1]["count"], 5);
    EXPECT_EQ(json["phases"][0]["gpu"], 0);
    EXPECT_EQ(json["phases"][0]["phase"], "histogram");
    EXPECT_EQ(json["phases"][0]["pass"], 1);
    EXPECT_EQ(json["phases"][0]["begin_ns"], 1000);
    EXPECT_EQ(json["phases"][0]["end_ns"], 2'001'000);
}

} // namespace
} // namespace keyswap::tools
