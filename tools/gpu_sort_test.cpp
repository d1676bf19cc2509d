#include "tools/gpu_sort.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

TEST(DeviceList, IsNumbersSeparatedByCommas) {
    EXPECT_EQ(parse_device_list("0", "--gpus").value(), std::vector<int>({0}));
    EXPECT_EQ(parse_device_list("3,0,12", "--gpus").value(), std::vector<int>({3, 0, 12}));
    for (char const* const wrong : {"", ",", "0,", ",1", "0,,1", "-1", "a", "1 2", "99999999999"}) {
        EXPECT_FALSE(parse_device_list(wrong, "--gpus").has_value()) << wrong;
    }
}

TEST(GpuChoice, OfTheReferenceIsANumberOfGpus) {
    SortOptions sort;
    GpuChoice choice;
    choice.gpus = "5";
    EXPECT_TRUE(resolve_gpus(choice, sort).value().empty());
    EXPECT_EQ(sort.gpus, 5U);
}

TEST(GpuChoice, RefusesWhatContradictsItself) {
    SortOptions sort;
    GpuChoice list;
    list.gpus = "0,2";
    EXPECT_FALSE(resolve_gpus(list, sort).has_value());
    GpuChoice virtual_reference;
    virtual_reference.virtual_gpus = 4;
    EXPECT_FALSE(resolve_gpus(virtual_reference, sort).has_value());
    GpuChoice several_devices;
    several_devices.backend = "cuda";
    several_devices.gpus = "0,1";
    several_devices.virtual_gpus = 4;
    EXPECT_NE(resolve_gpus(several_devices, sort).error().subject.find("--virtual-gpus"),
              std::string::npos);
    GpuChoice unknown;
    unknown.backend = "metal";
    EXPECT_FALSE(resolve_gpus(unknown, sort).has_value());
}

TEST(PhaseSpans, TakeTheLongestOfAllGpusAndAddThePass) {
    auto const spans = phase_spans({{GpuId{0}, "histogram", 1, 0, 2'000'000},
                                    {GpuId{0}, "key swap", 0, 2'000'000, 5'000'000},
                                    {GpuId{1}, "histogram", 1, 0, 1'000'000},
                                    {GpuId{1}, "key swap", 0, 1'000'000, 8'000'000}});
    ASSERT_EQ(spans.size(), 2U);
    EXPECT_EQ(spans[0].name, "histogram 1");
    EXPECT_DOUBLE_EQ(spans[0].ms, 2.0);
    EXPECT_EQ(spans[1].name, "key swap");
    EXPECT_DOUBLE_EQ(spans[1].ms, 7.0);
}

} // namespace
} // namespace keyswap::tools
