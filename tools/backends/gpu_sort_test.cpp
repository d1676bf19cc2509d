#include "tools/backends/gpu_sort.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

TEST(GpuChoice, OfTheReferenceIsANumberOfGpus) {
    SortOptions sort;
    sort.gpu_count = 5;
    EXPECT_TRUE(resolve_gpus(GpuChoice{}, sort).value().empty());
    EXPECT_EQ(sort.gpu_count, 5U);
}

TEST(GpuChoice, RefusesWhatContradictsItself) {
    SortOptions sort;
    GpuChoice list;
    list.gpus = "0,2";
    EXPECT_NE(resolve_gpus(list, sort).error().remedy.find("--gpu-count"), std::string::npos);
    GpuChoice unknown;
    unknown.backend = "metal";
    EXPECT_FALSE(resolve_gpus(unknown, sort).has_value());
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

} // namespace
} // namespace keyswap::tools
