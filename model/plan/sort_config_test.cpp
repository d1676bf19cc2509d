#include "model/plan/sort_config.hpp"

#include "model/keys/key_source.hpp"

#include "traces/catalog/catalog.hpp"
#include "traces/catalog/parameters.hpp"

#include <gtest/gtest.h>

namespace keyswap::model {
namespace {

/// The option that validated() rejects; "" if the configuration is valid.
std::string refused_option(SortConfig const& config) {
    auto const result = validated(config);
    return result ? "" : result.error().subject;
}

TEST(SortConfig, AcceptsTheLimitsAndNamesTheOptionBeyondThem) {
    SortConfig config;
    EXPECT_EQ(validated(config).value(), config);
    config.key_count = key_count_max;
    config.gpu_count = gpu_count_max;
    config.digit_bits = digit_bits_max;
    config.tolerance_ppm = 500'000;
    config.fuse_ppm = 1'000'000;
    EXPECT_EQ(refused_option(config), "");

    EXPECT_EQ(refused_option({{}, {}, key_count_max + 1}), "number of keys");
    EXPECT_EQ(refused_option({{}, {}, 1, 0}), "number of GPUs");
    EXPECT_EQ(refused_option({{}, {}, 1, gpu_count_max + 1}), "number of GPUs");
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

TEST(SortConfig, HasTheLimitsOfTheCatalogue) {
    for (ParameterInfo const& parameter : (*find_algorithm_info("rmg"))->parameters) {
        SortConfig config;
        set_value(config, parameter, parameter.least);
        EXPECT_EQ(refused_option(config), "") << parameter.name;
        set_value(config, parameter, parameter.most);
        EXPECT_EQ(refused_option(config), "") << parameter.name;
        ParameterInfo wider = parameter;
        wider.most = parameter.most + 1;
        set_value(config, wider, wider.most);
        EXPECT_NE(refused_option(config), "") << parameter.name;
    }
}

} // namespace
} // namespace keyswap::model
