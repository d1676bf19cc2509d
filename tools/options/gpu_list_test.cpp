#include "tools/options/gpu_list.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

using Gpus = std::vector<std::uint32_t>;

TEST(GpuList, TakesNumbersRangesAndAll) {
    EXPECT_EQ(parse_gpu_list("3", "--gpus", 8).value(), (Gpus{3}));
    EXPECT_EQ(parse_gpu_list("6,0,2-4", "--gpus", 8).value(), (Gpus{6, 0, 2, 3, 4}));
    EXPECT_EQ(parse_gpu_list("0-7", "--gpus", 8).value(),
              parse_gpu_list("all", "--gpus", 8).value());
    EXPECT_EQ(parse_gpu_list("0,0", "--gpus", 1).value(), (Gpus{0, 0})); // virtual GPUs
}

TEST(GpuList, RefusesWhatIsNoListOfThisMachinesGpus) {
    for (std::string_view const text : {"",
                                        ",",
                                        "0,",
                                        "-1",
                                        "1-",
                                        "-",
                                        "2-1",
                                        "0x1",
                                        "one",
                                        "0 1",
                                        "4294967296",
                                        "0-4294967295"}) {
        EXPECT_FALSE(parse_gpu_list(text, "--gpus", 8)) << text;
    }
    auto const missing = parse_gpu_list("6-9", "--gpus", 8);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message(), "--gpus 6-9: there is no GPU 8 (the GPUs are 0 to 7)");
}

TEST(DeviceChoice, IsTheListTheFirstOrVirtualGpusOnOneDevice) {
    using Devices = std::vector<int>;
    EXPECT_EQ(choose_devices(std::nullopt, std::nullopt, 3).value(), (Devices{0, 1, 2}));
    EXPECT_EQ(choose_devices("2,0", std::nullopt, 3).value(), (Devices{2, 0}));
    EXPECT_EQ(choose_devices("2,0", 2, 3).value(), (Devices{2, 0}));
    EXPECT_EQ(choose_devices(std::nullopt, 2, 3).value(), (Devices{0, 1}));
    EXPECT_EQ(choose_devices("1", 4, 3).value(), (Devices{1, 1, 1, 1}));
    EXPECT_FALSE(choose_devices(std::nullopt, 4, 3));
    EXPECT_FALSE(choose_devices("0,1", 4, 3));
    EXPECT_FALSE(choose_devices("0", 65, 3));
    EXPECT_FALSE(choose_devices("0", 0, 3));
    EXPECT_FALSE(choose_devices(std::nullopt, 0, 3));
}

} // namespace
} // namespace keyswap::tools
