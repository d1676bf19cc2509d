#include "traces/catalog/parameters.hpp"

#include "traces/catalog/catalog.hpp"

#include <gtest/gtest.h>

#include <array>

namespace keyswap {
namespace {

AlgorithmInfo const& rmg() {
    return **find_algorithm_info("rmg");
}

constexpr std::array own_parameters{
    ParameterInfo{"ways", "runs", "Runs merged at once", 2, 64, 4, "nowhere"}};

/// An algorithm with a parameter that has no field.
AlgorithmInfo with_ways() {
    AlgorithmInfo info = **find_algorithm_info("p2p-merge");
    info.parameters = own_parameters;
    return info;
}

TEST(Parameters, StandardsAreTheCatalogues) {
    auto const parameters = parameters_from(rmg(), {});
    ASSERT_TRUE(parameters.has_value());
    EXPECT_EQ(*parameters, SortParameters{}) << "defaults of the fields are the same";
}

TEST(Parameters, FieldsAndOthersAreSetAndReadByName) {
    auto const of_rmg = parameters_from(rmg(), {{"tolerance-ppm", 7}});
    ASSERT_TRUE(of_rmg.has_value());
    EXPECT_EQ(of_rmg->tolerance_ppm, 7U);
    EXPECT_EQ(value_of(*of_rmg, *find_parameter(rmg(), "tolerance-ppm")), 7U);
    EXPECT_TRUE(of_rmg->parameters.empty());

    auto const others = parameters_from(with_ways(), {{"ways", 8}});
    ASSERT_TRUE(others.has_value());
    EXPECT_EQ(others->parameters.at("ways"), 8U);
    EXPECT_EQ(value_of(*others, own_parameters[0]), 8U);
    EXPECT_EQ(value_of(SortParameters{}, own_parameters[0]), 4U) << "the default";
}

TEST(Parameters, OfAnotherAlgorithmAreRefused) {
    auto const parameters = parameters_from(**find_algorithm_info("p2p-merge"), {{"fuse-ppm", 1}});
    ASSERT_FALSE(parameters.has_value());
    EXPECT_EQ(parameters.error().message(),
              "--fuse-ppm: p2p-merge has no such parameter (leave it out)");
}

TEST(Parameters, OutOfTheirLimitsAreRefused) {
    auto const parameters = parameters_from(rmg(), {{"digit-bits", 17}});
    ASSERT_FALSE(parameters.has_value());
    EXPECT_EQ(parameters.error().message(),
              "--digit-bits: 17 is out of range (give 1 to 16 bits; the default is 8, after RMG "
              "paper, section 4.2)");
    SortParameters wrong;
    wrong.digit_bits = 0;
    EXPECT_FALSE(validated_parameters(rmg(), wrong).has_value());
    EXPECT_TRUE(validated_parameters(**find_algorithm_info("p2p-merge"), wrong).has_value())
        << "which has none";
}

} // namespace
} // namespace keyswap
