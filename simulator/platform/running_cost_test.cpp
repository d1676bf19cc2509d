// Energy and price of platforms.

#include "simulator/platform/running_cost.hpp"

#include "simulator/platform/platform.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace keyswap::simulator {
namespace {

TEST(RunningCosts, EveryShippedMachineSaysWhatItTakesAndThatItIsAssumed) {
    for (EmbeddedText const& shipped : shipped_platforms()) {
        auto const cost = load_running_cost(shipped.name);
        ASSERT_TRUE(cost && *cost) << shipped.name;
        EXPECT_TRUE((*cost)->origin.starts_with("assumed: ")) << shipped.name;
    }
    auto const one = load_running_cost("dgx-a100");
    EXPECT_DOUBLE_EQ((*one)->keys_per_joule(6.5e9), 1e6);
    EXPECT_DOUBLE_EQ(*(*one)->keys_per_dollar(32.77), 3600.0);
    EXPECT_EQ((*load_running_cost("ac922"))->keys_per_dollar(1e9), std::nullopt);
}

TEST(RunningCosts, ThatOfAClusterIsTheSumOfItsNodes) {
    auto const cost = load_running_cost("cluster:dgx-h100:2+dgx-a100:1");
    ASSERT_TRUE(cost && *cost);
    EXPECT_EQ((*cost)->power_W, 2U * 10'200 + 6'500);
    EXPECT_EQ((*cost)->price_cent, 2U * 9'832 + 3'277);
    auto const unpriced = load_running_cost("cluster:dgx-h100:1+ac922:1");
    EXPECT_EQ((*unpriced)->price_cent, 0U);
    EXPECT_FALSE(load_running_cost("cluster:dgx-h100:0"));
}

TEST(RunningCosts, MistakesAreNamedAndFilesMaySayNothing) {
    testing::TemporaryFolder const folder;
    std::string const path = (folder.path() / "mine.toml").string();
    auto const cost_with = [&path](std::string const& table) {
        std::ofstream(path) << "name = \"mine\"\n" << table;
        return load_running_cost(path);
    };
    auto const silent = cost_with("");
    EXPECT_TRUE(silent && !*silent);
    EXPECT_FALSE(cost_with("[running]\norigin = \"assumed: a guess\"\n"));
    EXPECT_FALSE(cost_with("[running]\npower_W = 100\n"));
    EXPECT_FALSE(cost_with("[running]\npower_W = \"much\"\norigin = \"assumed: a guess\"\n"));
    EXPECT_FALSE(cost_with("[running]\npower = 1\norigin = \"assumed: a guess\"\n"));
    EXPECT_FALSE(load_running_cost("nowhere"));
}

} // namespace
} // namespace keyswap::simulator
