#include "model/rows/readers/csv_table.hpp"

#include "model/rows/key_encoding.hpp"
#include "model/testing/table_fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using Texts = std::vector<std::string>;

TableFile table_of(std::string text, std::string const& schema = "") {
    CsvTableOptions options;
    if (!schema.empty()) {
        options.schema = *parse_schema(schema);
    }
    auto table = parse_csv_table(std::move(text), "t.csv", options);
    EXPECT_TRUE(table) << table.error().message();
    return *table;
}

std::string error_of(std::string text, std::string const& schema = "") {
    CsvTableOptions options;
    if (!schema.empty()) {
        options.schema = *parse_schema(schema);
    }
    auto const table = parse_csv_table(std::move(text), "t.csv", options);
    EXPECT_FALSE(table);
    return table ? "" : table.error().message();
}

Texts types_of(TableFile const& csv) {
    Texts types;
    for (ColumnInfo const& column : csv.table.columns()) {
        types.push_back(to_string(column.type));
    }
    return types;
}

Texts row_of(TableFile const& csv, std::uint64_t row) {
    Texts cells;
    for (std::size_t column = 0; column < csv.table.columns().size(); ++column) {
        cells.push_back(csv.table.shown(row, column));
    }
    return cells;
}

TEST(CsvTable, GuessesTypesByAllCells) {
    auto const csv = table_of("i,u,d,b,day,at,code,n,s\n"
                              "-1,18446744073709551615,1.50,true,2024-02-29,2024-01-01 "
                              "10:00:00.25,007,,x\n"
                              ",1,nan,FALSE,1969-12-31,2024-01-01T10:00+02:00,12,NULL,\"NULL\"\n");
    EXPECT_EQ(types_of(csv),
              (Texts{"int64",
                     "uint64",
                     "float64",
                     "bool",
                     "date",
                     "timestamp[us]",
                     "string",
                     "null",
                     "string"}));
    EXPECT_EQ(row_of(csv, 0),
              (Texts{"-1",
                     "18446744073709551615",
                     "1.5",
                     "true",
                     "2024-02-29",
                     "2024-01-01 10:00:00.25",
                     "'007'",
                     "NULL",
                     "'x'"}));
    EXPECT_EQ(row_of(csv, 1),
              (Texts{"NULL",
                     "1",
                     "nan",
                     "false",
                     "1969-12-31",
                     "2024-01-01 08:00:00",
                     "'12'",
                     "NULL",
                     "'NULL'"}));
}

TEST(CsvTable, GuessesDecimalsForNumbersThatADoubleRounds) {
    auto const type_of = [](std::string const& cells) {
        return types_of(table_of("a,b\n" + cells)).front();
    };
    EXPECT_EQ(type_of("89014103211118510720,x\n-1,y\n"), "decimal(38, 0)");
    EXPECT_EQ(type_of("9007199254740993,x\n0.25,y\n"), "decimal(38, 2)");
    EXPECT_EQ(type_of("9007199254740992,x\n0.25,y\n"), "float64");
    for (std::string const cells : {"9007199254740993,x\n2e3,y\n",
                                    "nan,x\n9007199254740993,y\n",
                                    "123456789012345678901234567890123456789,x\n"}) {
        EXPECT_NE(error_of("a,b\n" + cells).find("which float64 rounds"), std::string::npos);
        EXPECT_EQ(types_of(table_of("a,b\n" + cells, "a:double")).front(), "float64");
    }
    EXPECT_EQ(type_of(" 9007199254740993,x\n+2 ,y\n"), "int64");
    EXPECT_EQ(type_of("1234567890123456.78,x\n2,y\n"), "decimal(38, 2)");
    EXPECT_EQ(type_of("-0.000000000000000001,x\n+1.000000000000000001,y\n"), "decimal(38, 18)");
    // These are doubles as programs write them, with 17 digits or all.
    EXPECT_EQ(type_of("0.10000000000000001,x\n-12345678901234.56,y\n"), "float64");
    EXPECT_EQ(type_of("0.1000000000000000055511151231257827,x\n"), "float64");
    EXPECT_EQ(type_of("0.1000000000000000055511151231257827021181583404541015625,x\n"), "float64");
    EXPECT_EQ(type_of("+-2,x\n"), "string");
    EXPECT_EQ(types_of(table_of("a,b\n 2024-02-29,true \n", "b:bool")), (Texts{"date", "bool"}));
}

TEST(CsvTable, ReadsQuotesSeparatorsLineEndsAndBlankEnds) {
    auto const csv =
        table_of("\xef\xbb\xbfname;\"the; value\"\r\n\"two\r\nlines\";\"1 \"\"x\"\"\"\r\n"
                 "\"\";2\r\n\r\n");
    ASSERT_EQ(csv.table.row_count(), 2);
    EXPECT_EQ(csv.table.columns()[1].name, "the; value");
    EXPECT_EQ(row_of(csv, 0), (Texts{"'two\\r\\nlines'", "'1 \"x\"'"}));
    EXPECT_EQ(row_of(csv, 1), (Texts{"''", "'2'"}));
    EXPECT_EQ(csv.lines[0], "\"two\r\nlines\";\"1 \"\"x\"\"\"\r\n");
    EXPECT_EQ(row_of(table_of("a\tb\n1\t2"), 0), (Texts{"1", "2"}));
    EXPECT_EQ(row_of(table_of("\"a\nb\";c\n1;2\n"), 0), (Texts{"1", "2"}));
}

TEST(CsvTable, NumbersColumnsWithoutAHeader) {
    auto const csv = table_of("x,1\ny,2\n");
    EXPECT_TRUE(csv.header.empty());
    EXPECT_EQ(csv.table.row_count(), 2);
    EXPECT_EQ(csv.table.columns()[1].name, "2");
    EXPECT_EQ(*csv.table.column_named("2"), 1);
    std::string const years = "region,2019\nN,1\n";
    EXPECT_TRUE(table_of(years).header.empty());
    EXPECT_EQ(table_of(years, "region:string").header, "region,2019\n");
    EXPECT_TRUE(table_of("x,2\ny,3\n", "2:int64").header.empty());
    CsvTableOptions options;
    options.names = {"region"};
    EXPECT_EQ(parse_csv_table(years, "t.csv", options)->table.columns()[1].name, "2019");
}

TEST(CsvTable, RefusesFirstRowsThatMayBeHeaders) {
    std::string const years = "x,2019\n1,3\n2,4\n";
    EXPECT_EQ(
        error_of(years),
        "t.csv, line 1: is neither a header, with the number '2019', nor a row, with 'x' above "
        "values of type int64 (give --schema 'x:int64' if it is a header, or --schema "
        "'1:string' if it is a row)");
    EXPECT_EQ(table_of(years, "x:int64").header, "x,2019\n");
    EXPECT_TRUE(table_of(years, "1:string").header.empty());
    std::string const index = ",name\n0,bob\n1,al\n";
    EXPECT_EQ(error_of(index),
              "t.csv, line 1: is a header with an empty name, or a row without a value (give "
              "--schema 'name:string' if it is a header, or --schema '1:int64' if it is a row)");
    EXPECT_EQ(table_of(index, "name:string").header, ",name\n");
    EXPECT_EQ(table_of(index, "1:int64").table.row_count(), 3);
    EXPECT_NE(error_of(",k\n0,5\n").find("with an empty cell, nor a row, with 'k'"),
              std::string::npos);
    EXPECT_NE(error_of(",k\n").find("'1:string' if it is a row"), std::string::npos);
    for (std::string const rows : {",2024-01-01,x\n1,2024-01-02,y\n",
                                   "007,x\n123,y\n",
                                   ",5\n1,6\n",
                                   "1.5,x\n2,y\n1.5,x\n"}) {
        EXPECT_TRUE(table_of(rows).header.empty()) << rows;
    }
}

TEST(CsvTable, RefusesAHeaderAmongRowsOfOtherTypes) {
    std::string const repeated = "k,b\n2,x\nk,b\n1,y\n";
    for (std::string const schema : {"", "k:int64"}) {
        EXPECT_EQ(error_of(repeated, schema),
                  "t.csv, line 3: repeats the first row, as in concatenated tables (leave out all "
                  "headers but the first)");
    }
    EXPECT_EQ(table_of("word\napple\nword\n").table.row_count(), 2);
}

TEST(CsvTable, KeepsAllDigitsOfATime) {
    auto const csv = table_of("t,u\n2024-01-01 10:00:00.000000001Z,2024-01-01 10:00:00.0000010\n"
                              "2024-01-01 10:00:00+00:00,2024-01-01 10:00\n");
    EXPECT_EQ(types_of(csv), (Texts{"timestamp[ns]", "timestamp[us]"}));
    EXPECT_EQ(row_of(csv, 0),
              (Texts{"2024-01-01 10:00:00.000000001", "2024-01-01 10:00:00.000001"}));
    EXPECT_FALSE(error_of("t\n2024-01-01 10:00:00.00000001\n", "t:timestamp[us]").empty());
    // The first and the last of 64 bits
    auto const ends = table_of("t\n1677-09-21 00:12:43.145224192\n2262-04-11 23:47:16.854775807\n");
    EXPECT_EQ(types_of(ends), Texts{"timestamp[ns]"});
    EXPECT_FALSE(error_of("t\n1677-09-21 00:12:43.145224191\n", "t:timestamp[ns]").empty());
}

TEST(CsvTable, ReadsTypesOfASchema) {
    auto const csv = table_of("a,b,\"c,d\",e\n1.5,2024-01-01,7,5\n-0.05,2024-01-02 01:02:03,8,6\n",
                              "a:decimal(4,2),b:timestamp[s],\"c,d\":uint8,e:float32");
    EXPECT_EQ(row_of(csv, 0), (Texts{"1.50", "2024-01-01 00:00:00", "7", "5"}));
    EXPECT_EQ(row_of(csv, 1), (Texts{"-0.05", "2024-01-02 01:02:03", "8", "6"}));
    EXPECT_EQ(to_string(parse_schema("a:b:timestamp[us, +05:30]")->front().type),
              "timestamp[us, +05:30]");
    EXPECT_NE(parse_schema("a:decimal(50,2)").error().message().find("1 to 38 digits"),
              std::string::npos);
    EXPECT_NE(parse_schema("a:timestamp[h]").error().message().find("timestamp[s]"),
              std::string::npos);
    EXPECT_FALSE(parse_schema("a"));
    EXPECT_FALSE(parse_schema("a:int64,"));
    EXPECT_FALSE(parse_schema("a:int64,a:int8"));
    EXPECT_FALSE(parse_schema("\"a:int64"));
}

TEST(CsvTable, RefusesCellsThatAreNoneOfTheirType) {
    EXPECT_EQ(error_of("a\n1\n300\n", "a:uint8"),
              "t.csv, line 3: column 'a' has '300', which is not a valid uint8 (give --schema "
              "'a:string', "
              "or another type that fits all cells)");
    for (auto const& [type, cell] :
         std::vector<std::pair<std::string, std::string>>{{"int8", "128"},
                                                          {"int8", "-129"},
                                                          {"int64", "1.0"},
                                                          {"date", "2023-02-29"},
                                                          {"date", "2023-13-01"},
                                                          {"date", "2023-1-1"},
                                                          {"timestamp[s]", "2023-01-01 00:00:00.5"},
                                                          {"timestamp[ns]", "9999-01-01"},
                                                          {"timestamp[s]", "2023-01-01 24:00"},
                                                          {"decimal(4,2)", "123.00"},
                                                          {"decimal(4,2)", "1.001"},
                                                          {"bool", "yes"},
                                                          {"string", "\xff"},
                                                          {"float64", "1,5"}}) {
        EXPECT_FALSE(
            parse_csv_table("a\n\"" + cell + "\"\n", "t.csv", {*parse_schema("a:" + type)}))
            << type << ' ' << cell;
    }
}

TEST(CsvTable, RefusesRowsOfOtherLengthsAndOpenQuotes) {
    EXPECT_EQ(error_of("a,b\n1,2\n3\n"),
              "t.csv, line 3: has 1 cell, and the first row 2 cells (complete the row)");
    EXPECT_NE(error_of("a,b\n1,2,3\n").find("quote cells that hold the separator"),
              std::string::npos);
    EXPECT_NE(error_of("# made by x\na,b\n1,2\n").find("line 1: '# made by x' is a comment"),
              std::string::npos);
    EXPECT_NE(error_of("#a,b\n1,2\n# end\n").find("line 3: '# end' is a comment"),
              std::string::npos);
    EXPECT_EQ(error_of("a,b\n1,2\n\n3,4\n"), "t.csv, line 3: is blank (remove the line)");
    EXPECT_NE(error_of("a,b\n1,\"2\n").find("line 2: has a quotation mark"), std::string::npos);
    EXPECT_NE(error_of("a,b\n\"1\"x,2\n").find("continues after"), std::string::npos);
    EXPECT_EQ(error_of("a\n1\n\n3\n"), "t.csv, line 3: is blank (remove the line)");
    EXPECT_EQ(table_of("a\n1\n\"\"\n\n").table.row_count(), 2);
    EXPECT_EQ(row_of(table_of("a\tb\n1\t2\n\t\n \n"), 1), (Texts{"NULL", "NULL"}));
    EXPECT_NE(error_of("a,b\r1,2\r").find("line 1: 'a,b\\r1,2' has a CR inside"),
              std::string::npos);
    EXPECT_NE(error_of("sep=;\na;b\n").find("Excel's separator line"), std::string::npos);
    EXPECT_NE(error_of("a\n1.5\n", "a:float16").find("give float32"), std::string::npos);
    EXPECT_NE(error_of("").find("no first row"), std::string::npos);
    EXPECT_NE(error_of("a\n1\n", "b:int8").find("--schema: t.csv has no column 'b'"),
              std::string::npos);
}

TEST(KeyEncoding, OrdersAsComparisonsDo) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 60; ++round) {
        std::vector<testing::Cells> rows;
        for (int i = 0; i < 200; ++i) {
            auto const null_or = [&](std::string const& cell) {
                return random() % 5 == 0 ? "-" : cell;
            };
            rows.push_back(
                {null_or(std::string(random() % 4, static_cast<char>('a' + random() % 3))),
                 null_or(std::to_string(static_cast<int>(random() % 40) - 20)),
                 null_or(std::to_string(static_cast<int>(random() % 40) - 20)),
                 null_or(std::to_string(static_cast<int>(random() % 9) - 4) + ".5")});
        }
        auto const table = testing::make_table(
            "t", {"s:string", "i:int32", "d:decimal(9,2)", "f:double"}, rows, 37);
        SortKeys keys;
        for (std::string const name : {"s", "i", "d", "f"}) {
            keys.push_back({name,
                            random() % 2 == 0 ? Direction::ascending : Direction::descending,
                            random() % 2 == 0 ? NullPlace::first : NullPlace::last});
        }
        std::ranges::shuffle(keys, random);
        auto const orders = *column_orders(table, keys, ZeroOrder::total, NanOrder::total);
        auto const encoded = encode_keys(table, orders);
        ASSERT_EQ(encoded.keys.size(), rows.size());
        EXPECT_LE(encoded.bits, 24 + 1 + 6 + 1 + 6 + 1 + 64 + 1);
        auto const by_comparisons = sorted_rows(table, orders);
        std::vector<std::uint64_t> by_numbers(rows.size());
        std::iota(by_numbers.begin(), by_numbers.end(), std::uint64_t{0});
        std::ranges::stable_sort(
            by_numbers, {}, [&](std::uint64_t row) { return encoded.keys[row]; });
        EXPECT_EQ(by_numbers, by_comparisons) << to_string(keys);
    }
    auto const long_text = testing::make_table("t", {"s:string"}, {{"seventeen letters"}, {"x"}});
    auto const orders = *column_orders(long_text, {{"s"}}, ZeroOrder::total, NanOrder::total);
    EXPECT_TRUE(encode_keys(long_text, orders).keys.empty());
}

} // namespace
} // namespace keyswap::model
