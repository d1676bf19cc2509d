#include "simulator/platform/units.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

TEST(Units, DecimalBinaryAndBitPrefixesDiffer) {
    EXPECT_EQ(parse_bandwidth("300 GB/s")->bytes_per_second, 300'000'000'000U);
    EXPECT_EQ(parse_bandwidth("1 GiB/s")->bytes_per_second, 1'073'741'824U);
    EXPECT_EQ(parse_bandwidth("400 Gb/s")->bytes_per_second, 50'000'000'000U); // 400e9 / 8
    EXPECT_EQ(parse_bandwidth("400 Gb/s")->family, UnitFamily::bits);
    EXPECT_EQ(*parse_size("40 GiB"), 42'949'672'960U);
    EXPECT_EQ(*parse_size("60 MB"), 60'000'000U);
}

TEST(Units, DecimalsAreReadExactly) {
    // 0.1 and 26.562 have no finite binary representation.
    EXPECT_EQ(parse_bandwidth("26.562 GB/s")->bytes_per_second, 26'562'000'000U);
    EXPECT_EQ(parse_time("0.1 ns")->ps, 100);
    EXPECT_EQ(parse_time("1.8us")->ps, 1'800'000);
}

TEST(Units, ARefusedTextSaysWhyAndWhatToWrite) {
    EXPECT_NE(parse_bandwidth("300").error().problem.find("has no unit"), std::string::npos);
    EXPECT_NE(parse_bandwidth("1.8 us").error().problem.find("\"us\" is not a unit"),
              std::string::npos);
    EXPECT_NE(parse_bandwidth("-3 GB/s").error().problem.find("negative"), std::string::npos);
    EXPECT_NE(parse_time("fast").error().problem.find("is not a number"), std::string::npos);
    EXPECT_NE(parse_size("10000000000 GB").error().problem.find("too large"), std::string::npos);
    EXPECT_NE(parse_size("12 Gigs").error().remedy.find("GiB"), std::string::npos);
}

TEST(Units, WritingAndReadingGiveTheSameInteger) {
    for (std::uint64_t value : {0ULL,
                                1ULL,
                                999ULL,
                                1'000ULL,
                                26'562'000'001ULL,
                                42'949'672'960ULL,
                                1'048'576ULL,
                                4'000'000'000'000'000ULL,
                                123'456'789'012'345'678ULL}) {
        EXPECT_EQ(parse_bandwidth(format_bandwidth(value))->bytes_per_second, value);
        EXPECT_EQ(*parse_size(format_size(value)), value);
        SimTime const time{static_cast<std::int64_t>(value)};
        EXPECT_EQ(*parse_time(format_time(time)), time);
    }
    EXPECT_EQ(format_bandwidth(26'562'000'000U), "26.562 GB/s");
    EXPECT_EQ(format_size(42'949'672'960U), "40 GiB");
    EXPECT_EQ(format_time(SimTime{1'800'000}), "1.8 us");
}

} // namespace
} // namespace keyswap::simulator
