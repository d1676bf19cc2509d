#include "tools/text/request_text.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

TEST(RequestText, ADistributionHasItsParameterOrItsDefault) {
    EXPECT_EQ(distribution_text("uniform", {}), "uniform");
    EXPECT_EQ(distribution_text("zipf", {}), "zipf(1)");
    EXPECT_EQ(distribution_text("zipf", 0.75), "zipf(0.75)");
    EXPECT_EQ(distribution_text("of another program", {}), "of another program");
    EXPECT_EQ(resolved_parameter("uniform", {}), std::nullopt);
}

TEST(RequestText, RunsOfThreeGpusAndMoreAreJoined) {
    EXPECT_EQ(gpu_set_text({0, 2, 4, 5, 6}), "0,2,4-6");
    EXPECT_EQ(gpu_set_text({0, 1}), "0,1");
    EXPECT_EQ(gpu_set_text({}), "-");
    EXPECT_EQ(gpu_set_name({3}), "GPU 3");
    EXPECT_EQ(gpu_set_name({0, 1, 2, 3}), "GPUs 0-3");
}

} // namespace
} // namespace keyswap::tools
