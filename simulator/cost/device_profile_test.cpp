#include "simulator/cost/device_profile.hpp"
#include "simulator/cost/host_profile.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

TEST(DeviceProfile, EveryShippedProfileReadsBackEqual) {
    ASSERT_EQ(shipped_device_profiles().size(), 5U);
    for (std::string const& name : shipped_device_profiles()) {
        auto const profile = load_device_profile(name);
        ASSERT_TRUE(profile) << profile.error().message();
        std::string const text = write_device_profile(*profile);
        auto const again = parse_device_profile(text, name);
        ASSERT_TRUE(again) << again.error().message();
        EXPECT_EQ(write_device_profile(*again), text);
    }
}

std::string planted(std::string const& from, std::string const& to) {
    std::string text = write_device_profile(*load_device_profile("a100"));
    text.replace(text.find(from), from.size(), to);
    return text;
}

void expect_refused(std::string const& text, std::string const& words) {
    auto const profile = parse_device_profile(text, "x.toml");
    ASSERT_FALSE(profile);
    EXPECT_NE(profile.error().message().find(words), std::string::npos)
        << profile.error().message();
}

TEST(DeviceProfile, RefusesAMissingConstantAWrongUnitANegativeOneAndAMissingOrigin) {
    expect_refused(planted("histogram =", "histogran ="), "'key32.histogram' is missing");
    expect_refused(planted("ps/key", "ns/key"), "key32.histogram.value");
    expect_refused(planted("value = \"", "value = \"-"), "key32.histogram.value");
    expect_refused(planted("origin", "origim"), "has no origin");
}

TEST(DeviceProfile, RefusesLowClocksThatMakeAGpuFaster) {
    expect_refused(planted("compute = { value = \"1.28", "compute = { value = \"0.9"),
                   "'warm_up.compute' is below 1");
}

TEST(DeviceProfile, RefusesValuesThatNoGpuHas) {
    expect_refused(planted("scatter_row = { value = \"", "scatter_row = { value = \"9999999999"),
                   "'key32.scatter_row' is");
    expect_refused(planted("local = { value = \"670", "local = { value = \"1e-6"),
                   "'copy.local' is 1e-6");
}

TEST(DeviceProfile, MayLackTheKernelsOfFast) {
    std::string const text = write_device_profile(*load_device_profile("h200"));
    std::size_t const fast = text.find("\n[fast]");
    ASSERT_NE(fast, std::string::npos);
    auto const without = parse_device_profile(text.substr(0, fast), "x.toml");
    ASSERT_TRUE(without) << without.error().message();
    EXPECT_FALSE(without->fast.has_value());
    expect_refused(text.substr(0, text.find("step =", fast)), "'fast.step' is missing");
}

TEST(DeviceProfile, NamesTheShippedOnesWhereNoneFits) {
    auto const profile = load_device_profile("z80");
    ASSERT_FALSE(profile);
    EXPECT_NE(profile.error().message().find("a100, b200, h100, h200, v100"), std::string::npos);
}

TEST(HostProfile, IsFoundByThePlatformsName) {
    auto const profile = host_profile_of("ac922");
    ASSERT_TRUE(profile);
    EXPECT_TRUE(cpu_sort_cost(*profile, "paradis", std::nullopt));
    EXPECT_FALSE(cpu_sort_cost(*profile, "bogosort", std::nullopt));
}

} // namespace
} // namespace keyswap::simulator
