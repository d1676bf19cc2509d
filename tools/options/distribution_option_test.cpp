#include "tools/options/distribution_option.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

TEST(DistributionOption, HasItsParameterAfterASign) {
    EXPECT_EQ(parse_distribution("zipf=0.75", "--d").value(),
              (model::NamedDistribution{"zipf", 0.75}));
    EXPECT_EQ(parse_distribution("zipf:2", "--d").value(), (model::NamedDistribution{"zipf", 2.0}));
    EXPECT_EQ(parse_distribution("zipf", "--d").value(), (model::NamedDistribution{"zipf", {}}));
}

TEST(DistributionOption, NeedsANumberAfterTheSign) {
    for (char const* const text : {"zipf=", "zipf=one", "zipf=1x", "zipf:1:2", "zipf=1=2", "="}) {
        auto const refused = parse_distribution(text, "--distributions");
        ASSERT_FALSE(refused.has_value()) << text;
        EXPECT_EQ(refused.error().subject, std::string("--distributions '") + text + "'");
    }
}

TEST(DistributionOption, IsGivenItsParameterOnce) {
    EXPECT_EQ(parse_distribution_and("zipf", 1.5).value(), (model::NamedDistribution{"zipf", 1.5}));
    EXPECT_EQ(parse_distribution_and("zipf=1.5", {}).value(),
              (model::NamedDistribution{"zipf", 1.5}));
    EXPECT_FALSE(parse_distribution_and("zipf=1.5", 1.5).has_value());
}

} // namespace
} // namespace keyswap::tools
