#include "traces/measurements/rate_table.hpp"

#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace keyswap {
namespace {

std::vector<PublishedRate> published() {
    auto const rates =
        parse_rates(testing::text_of(KEYSWAP_MEASUREMENTS "/rates.csv"), "rates.csv");
    EXPECT_TRUE(rates) << rates.error().message();
    return rates.value_or(std::vector<PublishedRate>());
}

PublishedRate const* find(std::vector<PublishedRate> const& rates,
                          std::string const& table,
                          std::string const& device,
                          std::string const& method,
                          std::uint32_t buckets,
                          int value_bits) {
    for (PublishedRate const& rate : rates) {
        if (rate.source == "gpu-multisplit" && rate.table == table && rate.device == device &&
            rate.method == method && rate.buckets == buckets && rate.value_bits == value_bits &&
            rate.stage == "all") {
            return &rate;
        }
    }
    return nullptr;
}

std::string const header =
    "source,table,device,operation,method,stage,rule,buckets,digit_bits,distribution,key_type,"
    "value_type,keys,time_ms,rate_Gps,time_ratio,ratio_to,use,note\n";

/// A header and one row in which `from` is replaced by `to`.
std::string with(std::string const& from, std::string const& to) {
    std::string row = "s,5,k40c,multisplit,block,all,delta,32,,uniform,u32,none,33554432,,6.51,,,"
                      "held-out,\n";
    std::size_t const found = row.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    row.replace(found, from.size(), to);
    return header + row;
}

void expect_refused(std::string const& text, std::string const& words) {
    auto const rates = parse_rates(text, "x.csv");
    ASSERT_FALSE(rates) << words;
    EXPECT_NE(rates.error().message().find(words), std::string::npos) << rates.error().message();
    EXPECT_FALSE(rates.error().remedy.empty());
}

TEST(RateTable, AGraphIsANameAltogether) {
    std::string const row = "s,10,h200,sssp,near-far,all,,,,rmat:20:16,u32,none,16777216,3.3,,,,"
                            "held-out,\n";
    auto const rates = parse_rates(header + row, "x.csv");
    ASSERT_TRUE(rates) << rates.error().message();
    EXPECT_EQ(rates->front().distribution, "rmat:20:16");
    expect_refused(with("uniform", "uniform:20:16"), "column distribution must be a name");
}

TEST(RateTable, HoldsEveryCellOfThePapersTables) {
    auto const rates = published();
    auto const count = [&](std::string const& source, std::string const& table) {
        return std::ranges::count_if(rates, [&](PublishedRate const& rate) {
            return rate.source == source && rate.table == table;
        });
    };
    // Two sorts and two splits on three devices; ten stages and four totals of three columns in
    // four groups, less packing in groups without values.
    EXPECT_EQ(count("gpu-multisplit", "3"), 2 * 2 * 3);
    EXPECT_EQ(count("gpu-multisplit", "4"), (4 * 4 - 1) * 3 * 4 + 2 * 3);
    EXPECT_EQ(count("gpu-multisplit", "5"), 6 * (5 + 5 + 8 + 8));
    EXPECT_EQ(count("gpu-multisplit", "6"), 4 * 9);
    EXPECT_EQ(count("gpu-multisplit", "7"), 6 * (5 + 8 + 8));
    EXPECT_EQ(count("gpu-multisplit", "8"), 12 * 3);
    EXPECT_EQ(count("gpu-multisplit", "10"), 4 * 6);
    EXPECT_EQ(count("gpu-multisplit", "11"), 12 * 8);
    EXPECT_EQ(count("fast-sort-report", "1"), 7 * 5);
}

TEST(RateTable, RatesOfTableFiveAreThoseOfTheTotalsOfTableFour) {
    auto const rates = published();
    int compared = 0;
    for (std::string const device : {"k40c-ecc", "gtx1080"}) {
        for (std::string const method : {"direct", "warp", "block", "reduced-bit"}) {
            for (std::uint32_t const buckets : {2U, 8U, 32U}) {
                for (int const values : {0, 32}) {
                    auto const* const four = find(rates, "4", device, method, buckets, values);
                    auto const* const five = find(rates, "5", device, method, buckets, values);
                    ASSERT_TRUE(four != nullptr && five != nullptr);
                    EXPECT_NEAR(four->milliseconds() / five->milliseconds(), 1.0, 0.013)
                        << device << ' ' << method << ' ' << buckets << ' ' << values;
                    ++compared;
                }
            }
        }
    }
    EXPECT_EQ(compared, 48);
}

TEST(RateTable, SuspectCellsSayWhy) {
    int suspects = 0;
    for (PublishedRate const& rate : published()) {
        suspects += rate.use == RateUse::suspect ? 1 : 0;
        EXPECT_TRUE(rate.use != RateUse::suspect || !rate.note.empty());
    }
    EXPECT_EQ(suspects, 7);
}

TEST(RateTable, RefusesWhatCannotBeNamingFileLineAndColumn) {
    EXPECT_TRUE(parse_rates(with("u32", "f64"), "x.csv"));
    expect_refused("", "x.csv:1: the header is missing");
    expect_refused("source,table\n", "lacks column device");
    expect_refused(with("s,", "s,s,"), "x.csv:2: has 20 columns instead of 19");
    expect_refused(with("k40c", ""), "x.csv:2: column device must not be empty");
    expect_refused(with("multisplit", "shuffle"), "column operation must be one of sort");
    expect_refused(with("all", "most"), "column stage must be one of all");
    expect_refused(with("delta", "prime"), "column rule must be one of digit");
    expect_refused(with("32,", "0,"), "column buckets must be a whole number from 1");
    expect_refused(with("32,", "-1,"), "column buckets");
    expect_refused(with("uniform", "zipf:x"), "column distribution");
    expect_refused(with("u32", "u33"), "column key_type");
    expect_refused(with("none", "16"), "column value_type");
    expect_refused(with("33554432", "0"), "column keys");
    expect_refused(with("6.51", "nan"), "column rate_Gps");
    expect_refused(with("6.51", "1e300"), "column rate_Gps");
    expect_refused(with("6.51", ""), "time_ms (or rate_Gps) must be given");
    expect_refused(with(",,6.51", ",9,6.51"), "column time_ms must be keys");
    expect_refused(with("6.51,,", "6.51,2,"), "unless time_ratio is");
    expect_refused(with("held-out", "guessed"), "column use must be one of fitted");
    expect_refused(with("held-out", "suspect"), "column note must give the reason");
    expect_refused(with("s,5", "\"s,5"), "quotation mark");
}

TEST(RateTable, IsRecognisedByItsHeader) {
    EXPECT_TRUE(looks_like_rates(header));
    EXPECT_FALSE(looks_like_rates("num_keys,gpus,total_sort_duration\n"));
    EXPECT_FALSE(looks_like_rates(""));
}

} // namespace
} // namespace keyswap
