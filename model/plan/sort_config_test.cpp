#include "model/sort_config.hpp"

#include <gtest/gtest.h>

namespace keyswap::model {
namespace {

/// The option that is named where a configuration is refused; "" where it is fine.
std::string refused_option(SortConfig const& config) {
    auto const result = validated(config);
    return result ? "" : result.error().subject;
}

TEST(SortConfig, AcceptsTheLimitsAndNamesTheOptionBeyondThem) {
    SortConfig config;
    EXPECT_EQ(validated(config).value(), config);
    config = {key_count_max, gpu_count_max};
    config.digit_bits = digit_bits_max;
    config.tolerance_ppm = 500'000;
    config.fuse_ppm = 1'000'000;
    EXPECT_EQ(refused_option(config), "");

    EXPECT_EQ(refused_option({key_count_max + 1}), "number of keys");
    EXPECT_EQ(refused_option({1, 0}), "number of GPUs");
    EXPECT_EQ(refused_option({1, gpu_count_max + 1}), "number of GPUs");
    for (int const bits : {0, digit_bits_max + 1}) {
        SortConfig digits;
        digits.digit_bits = bits;
        EXPECT_EQ(refused_option(digits), "digit bits");
    }
    SortConfig tolerance;
    tolerance.tolerance_ppm = 500'001;
    EXPECT_EQ(refused_option(tolerance), "tolerance");
    SortConfig fuse;
    fuse.fuse_ppm = 1'000'001;
    EXPECT_EQ(refused_option(fuse), "fusing threshold");
}

} // namespace
} // namespace keyswap::model
