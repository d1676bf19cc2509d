#include "simulator/cost/rate_profile.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

TEST(RateProfile, EveryShippedProfileReadsBackEqualAndSaysWhereItsConstantsAreFrom) {
    ASSERT_EQ(shipped_rate_profiles().size(), 10U);
    for (std::string const& name : shipped_rate_profiles()) {
        auto profile = load_rate_profile(name);
        ASSERT_TRUE(profile) << profile.error().message();
        EXPECT_EQ(profile->name, name);
        std::string const text = write_rate_profile(*profile);
        auto const again = parse_rate_profile(text, name);
        ASSERT_TRUE(again) << again.error().message();
        EXPECT_EQ(write_rate_profile(*again), text);
        for (ProfileConstant const& constant : constants_of(*profile)) {
            std::string const& origin = profile->origins[constant.name];
            bool const known = origin.starts_with("measured") || origin.starts_with("published") ||
                               origin.starts_with("datasheet") || origin.starts_with("derived") ||
                               origin.starts_with("assumed");
            EXPECT_TRUE(known) << name << ' ' << constant.name << ": " << origin;
        }
    }
}

TEST(RateProfile, MultisplitsOfADeviceHaveTenFittedConstantsAtMost) {
    for (std::string const name : {"k40c-ecc", "k40c", "gtx1080"}) {
        auto profile = load_rate_profile(name);
        ASSERT_TRUE(profile);
        int fitted = 0;
        for (ProfileConstant const& constant : constants_of(*profile)) {
            fitted += profile->origins[constant.name].starts_with(
                          "derived: fitted to GPU Multisplit, tables 3, 4, 5 (")
                          ? 1
                          : 0;
        }
        EXPECT_EQ(fitted, 10) << name;
    }
}

std::string planted_in(std::string const& name, std::string const& from, std::string const& to) {
    std::string text = write_rate_profile(*load_rate_profile(name));
    std::size_t const found = text.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    return text.replace(found, from.size(), to);
}

void expect_profile_refused(std::string const& text, std::string const& words) {
    auto const profile = parse_rate_profile(text, "x.toml");
    ASSERT_FALSE(profile) << words;
    EXPECT_NE(profile.error().message().find(words), std::string::npos)
        << profile.error().message();
}

TEST(RateProfile, RefusesWhatNoDeviceHas) {
    expect_profile_refused("name = \"x\"\n", "has none of the tables");
    expect_profile_refused("name = \"x\"\nsort = 3\n", "'sort' is not a table of sorts");
    expect_profile_refused("name = \"x\"\n[sort.\"a b\"]\n", "other characters");
    expect_profile_refused("name = \"x\"\n[sort]\nmine = 3\n", "'processor.cores' is missing");
    expect_profile_refused(planted_in("gtx1080", "vote =", "wote ="),
                           "'partition.vote' is missing");
    expect_profile_refused(planted_in("gtx1080", "ps/entry", "ps"), "partition.entry.value");
    expect_profile_refused(planted_in("gtx1080", "value = \"32 keys", "value = \"0 keys"),
                           "'partition.direct_tile' is 0");
    expect_profile_refused(planted_in("gtx1080", "value = \"7 bits", "value = \"0.5 bits"),
                           "radix.pass_bits");
    expect_profile_refused(planted_in("core-i7", "value = \"4 cores", "value = \"0 cores"),
                           "'processor.cores' is 0");
    expect_profile_refused(planted_in("core-i7", "origin", "origim"), "has no origin");
}

TEST(RateProfile, NamesWhatIsShippedWhereADeviceIsUnknown) {
    auto const profile = load_rate_profile("k41");
    ASSERT_FALSE(profile);
    EXPECT_NE(profile.error().message().find("gtx1080"), std::string::npos);
}

} // namespace
} // namespace keyswap::simulator
