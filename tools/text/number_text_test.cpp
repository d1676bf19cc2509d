#include "tools/text/number_text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace keyswap::tools {
namespace {

struct Spelling {
    std::string_view text;
    std::uint64_t value;
};

TEST(NumberText, ACountMayBeSpelledInManyWays) {
    std::vector<Spelling> const spellings = {
        {"0", 0},
        {"000", 0},
        {"0e9", 0},
        {"007", 7},
        {"2000000000", 2'000'000'000},
        {"2_000_000_000", 2'000'000'000},
        {"2e9", 2'000'000'000},
        {"2E+9", 2'000'000'000},
        {"2G", 2'000'000'000},
        {"1.5e6", 1'500'000},
        {"0.1e1", 1},
        {"3000e-3", 3},
        {"4k", 4'000},
        {"4K", 4'000},
        {"4Ki", 4'096},
        {"0.5Gi", 536'870'912},
        {"1.5T", 1'500'000'000'000},
    };
    for (auto const& spelling : spellings) {
        auto const parsed = parse_count(spelling.text, "--n");
        ASSERT_TRUE(parsed.has_value()) << spelling.text << ": " << parsed.error().message();
        EXPECT_EQ(*parsed, spelling.value) << spelling.text;
    }
}

TEST(NumberText, TheLargest64BitNumberFitsAndTheNextDoesNot) {
    auto const largest = parse_count("18446744073709551615", "--n");
    ASSERT_TRUE(largest.has_value());
    EXPECT_EQ(*largest, std::numeric_limits<std::uint64_t>::max());
    for (auto const* text : {"18446744073709551616",
                             "16Ei",
                             "2e19",
                             "1e4000",
                             "99999999999E",
                             "1111111111111111111111111111111111111111111"}) {
        auto const parsed = parse_count(text, "--n");
        ASSERT_FALSE(parsed.has_value()) << text;
        EXPECT_EQ(parsed.error().problem, "'" + std::string(text) + "' does not fit");
    }
}

TEST(NumberText, AFractionIsRefused) {
    for (auto const* text : {"1.5",
                             "1e-1",
                             "0.0001k",
                             "1.0001K",
                             "0.3Ki",
                             "1.0000000000000000000000000000000000000000001"}) {
        auto const parsed = parse_count(text, "--n");
        ASSERT_FALSE(parsed.has_value()) << text;
        EXPECT_EQ(parsed.error().problem, "'" + std::string(text) + "' is not a whole number");
    }
}

TEST(NumberText, TrailingZerosOfAFractionAreNone) {
    EXPECT_EQ(parse_count("2.000", "--n").value(), 2U);
    EXPECT_EQ(parse_count("10.0e0", "--n").value(), 10U);
}

TEST(NumberText, WhatIsNoNumberIsRefusedWithTheOptionAndARemedy) {
    for (auto const* text : {"",
                             "many",
                             "_1",
                             "1_",
                             "1__0",
                             "1,000",
                             ".5",
                             "1.",
                             "2GB",
                             "2 G",
                             "0x10",
                             "e9",
                             "2e",
                             "2e+",
                             "+2",
                             "1.2.3",
                             "2eG",
                             "nan"}) {
        auto const parsed = parse_count(text, "--n");
        ASSERT_FALSE(parsed.has_value()) << text;
        EXPECT_EQ(parsed.error().subject, "--n");
        EXPECT_EQ(parsed.error().problem, "'" + std::string(text) + "' is not a number");
        EXPECT_FALSE(parsed.error().remedy.empty());
    }
}

TEST(NumberText, ANegativeCountIsRefusedAsSuch) {
    EXPECT_EQ(parse_count("-3", "--gpus").error().problem, "'-3' is negative");
}

TEST(NumberText, RatesAreOfKeysAndOfBytes) {
    EXPECT_EQ(rate_text(2'000'000'000, 4, 200.0), "10 billion keys/s, 40 GB/s");
    EXPECT_EQ(rate_text(1'000'000, 8, 400.0), "2.5 million keys/s, 0.02 GB/s");
    EXPECT_EQ(rate_text(10'000'000'000, 4, 26.6), "376 billion keys/s, 1504 GB/s");
    EXPECT_EQ(rate_text(5, 4, 0.0), "");
}

TEST(NumberText, CountsAgreeWithTheirNouns) {
    EXPECT_EQ(counted(0, "key"), "0 keys");
    EXPECT_EQ(counted(1, "key"), "1 key");
    EXPECT_EQ(counted(20000, "key"), "20,000 keys");
}

TEST(NumberText, SizesHaveThreeDigitsAndAUnit) {
    EXPECT_EQ(size_text(0), "0 B");
    EXPECT_EQ(size_text(999), "999 B");
    EXPECT_EQ(size_text(2'820'000'000), "2.82 GB");
    EXPECT_EQ(size_text(999'700), "1 MB") << "not 1e+03 kB";
    EXPECT_EQ(size_text(8e12), "8 TB");
    EXPECT_EQ(size_text(5e21), "5e+03 EB");
}

TEST(NumberText, LongTimesAreInSecondsAndNoneHasAnExponent) {
    EXPECT_EQ(duration_text(0.14561), "0.1456 ms");
    EXPECT_EQ(duration_text(9999), "9999 ms");
    EXPECT_EQ(duration_text(10'270), "10.27 s");
    EXPECT_EQ(interval_text(204.4, 229.9, 3), "204 to 230 ms");
    EXPECT_EQ(interval_text(1579.3, 2065.4, 3), "1579 to 2065 ms") << "not 1.58e+03";
    EXPECT_EQ(interval_text(9650, 10'900, 3), "9.65 to 10.9 s");
    EXPECT_EQ(significant_text(12'345.6, 4), "12346");
    EXPECT_EQ(significant_text(999.7, 3), "1000");
}

TEST(NumberText, HashesHaveSixteenDigits) {
    EXPECT_EQ(hash_text(0xab), "00000000000000ab");
    EXPECT_EQ(hash_text(~std::uint64_t{0}), "ffffffffffffffff");
}

} // namespace
} // namespace keyswap::tools
