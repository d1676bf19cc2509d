#include "model/verify/ranks/exchange_table.hpp"

#include <gtest/gtest.h>

namespace keyswap::model::verify {
namespace {

std::string const columns = "rank,peer,sent_bytes,received_bytes\n";

TEST(ExchangeTable, FindsThePairsWhoseEndsCountDifferently) {
    ExchangeTable table;
    ASSERT_TRUE(table.add(columns + "0,0,8,8\n0,1,100,40\n0,2,5,6\n", "rank0.csv"));
    ASSERT_TRUE(table.add("received_bytes;time;peer;rank;sent_bytes\r\n"
                          "99;1.5;0;1;40\r\n7;1.6;2;1;3\r\n",
                          "rank1.csv"));
    ASSERT_TRUE(table.add(columns + "2,0,6,5\n2,1,7,3", "rank2.csv"));
    EXPECT_EQ(table.rank_count(), 3U);
    EXPECT_EQ(table.sent_bytes(), 8U + 100 + 5 + 40 + 3 + 6 + 7);
    EXPECT_EQ(table.mismatched_pairs(), (std::vector<RankPair>{{0, 1}}));
    EXPECT_EQ(table.pairs().at({0, 1}), (ExchangedBytes{100, 99}));
    EXPECT_TRUE(table.ranks_without_rows().empty());
}

TEST(ExchangeTable, AddsUpTheRowsOfSeveralExchanges) {
    ExchangeTable table;
    ASSERT_TRUE(table.add(columns + "0,1,10,1\n0,1,20,2\n1,0,3,15\n1,0,0,15\n", "a.csv"));
    EXPECT_TRUE(table.mismatched_pairs().empty());
    EXPECT_EQ(table.pairs().at({0, 1}), (ExchangedBytes{30, 30}));
}

TEST(ExchangeTable, NamesRanksWithoutARowAndBlamesNobodyForThem) {
    ExchangeTable table;
    ASSERT_TRUE(table.add(columns + "0,1,10,1\n0,3,4,4\n3,0,4,4\n", "a.csv"));
    EXPECT_TRUE(table.mismatched_pairs().empty());
    EXPECT_EQ(table.ranks_without_rows(), (std::vector<std::uint32_t>{1, 2}));
}

TEST(ExchangeTable, NoticesAPairThatOnlyOneEndKnowsOf) {
    ExchangeTable table;
    ASSERT_TRUE(table.add(columns + "0,1,10,0\n1,1,0,0\n", "a.csv"));
    EXPECT_EQ(table.mismatched_pairs(), (std::vector<RankPair>{{0, 1}}));
}

TEST(ExchangeTable, NamesTableRowAndColumnOfWhatIsWrong) {
    auto const message = [](std::string const& text) {
        ExchangeTable table;
        auto const added = table.add(text, "a.csv");
        return added ? "" : added.error().message();
    };
    EXPECT_NE(message("").find("a.csv, row 1: "), std::string::npos);
    EXPECT_NE(message("rank,peer,sent_bytes\n").find("received_bytes"), std::string::npos);
    EXPECT_NE(message(columns + "0,1,2\n").find("a.csv, row 2: "), std::string::npos);
    EXPECT_NE(message(columns + "0,1,2,-3\n").find("column received_bytes must be"),
              std::string::npos);
    EXPECT_NE(message(columns + "0,1048576,2,3\n").find("column peer must be"), std::string::npos);
    EXPECT_NE(message(columns + "0,1,1e3,3\n").find("column sent_bytes must be"),
              std::string::npos);
    EXPECT_NE(message(columns + "0,1,18446744073709551615,0\n0,1,1,0\n").find("a.csv, row 3: "),
              std::string::npos);
}

} // namespace
} // namespace keyswap::model::verify
