#include "model/rows/readers/arrow_stream.hpp"

#include "model/rows/check_rows.hpp"
#include "model/testing/arrow_fixtures.hpp"
#include "traces/errors/utf8.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model {
namespace {

using testing::ArrowNode;
using testing::ExportedStream;
using testing::number_column;
using testing::record_batch;
using testing::text_column;

/// Imports one batch that must be refused, and checks that everything is released exactly once.
Expected<RowTable> import_batch(ArrowNode batch) {
    int alive = 0;
    int stream_releases = 0;
    batch.alive = &alive;
    auto stream = export_stream(ExportedStream{batch, {batch}, 0, -1, &stream_releases});
    auto table = import_arrow_stream(&stream, "table");
    EXPECT_FALSE(table);
    EXPECT_EQ(stream.release, nullptr);
    EXPECT_EQ(stream_releases, 1);
    EXPECT_EQ(alive, 0);
    return table;
}

/// Cells of column 0 as text, row by row.
std::vector<std::string> cells_of(ArrowNode const& column) {
    auto const node = record_batch({column});
    auto stream = export_stream(ExportedStream{node, {node}, 0, -1, nullptr});
    auto const table = import_arrow_stream(&stream, "table");
    std::vector<std::string> cells;
    if (!table) {
        return {table.error().message()};
    }
    for (std::uint64_t row = 0; row < table->row_count(); ++row) {
        cells.push_back(table->shown(row, 0));
    }
    return cells;
}

using Texts = std::vector<std::string>;

TEST(ArrowStream, ReadsNumbersOfEveryWidth) {
    EXPECT_EQ(cells_of(number_column<std::int8_t>("c", "x", {-1, 2})), (Texts{"-1", "2"}));
    EXPECT_EQ(cells_of(number_column<std::uint8_t>("C", "x", {255})), (Texts{"255"}));
    EXPECT_EQ(cells_of(number_column<std::int16_t>("s", "x", {-300})), (Texts{"-300"}));
    EXPECT_EQ(cells_of(number_column<std::uint16_t>("S", "x", {65535})), (Texts{"65535"}));
    EXPECT_EQ(cells_of(number_column<std::int32_t>("i", "x", {-7})), (Texts{"-7"}));
    EXPECT_EQ(cells_of(number_column<std::uint32_t>("I", "x", {4'000'000'000U})),
              (Texts{"4000000000"}));
    EXPECT_EQ(cells_of(number_column<std::int64_t>("l", "x", {-9})), (Texts{"-9"}));
    EXPECT_EQ(cells_of(number_column<std::uint64_t>("L", "x", {~std::uint64_t{0}})),
              (Texts{"18446744073709551615"}));
    EXPECT_EQ(cells_of(number_column<std::uint16_t>("e", "x", {0x3c00, 0xc100, 0x0001})),
              (Texts{"1", "-2.5", "5.9604645e-08"}));
    EXPECT_EQ(cells_of(number_column<float>("f", "x", {0.1F})), (Texts{"0.1"}));
    EXPECT_EQ(cells_of(number_column<double>("g", "x", {0.1})), (Texts{"0.1"}));
}

TEST(ArrowStream, ReadsDatesTimesAndDecimals) {
    EXPECT_EQ(cells_of(number_column<std::int32_t>("tdD", "x", {0, 19'782, -1})),
              (Texts{"1970-01-01", "2024-02-29", "1969-12-31"}));
    EXPECT_EQ(cells_of(number_column<std::int64_t>("tdm", "x", {-1, 86'400'000})),
              (Texts{"1969-12-31", "1970-01-02"}));
    EXPECT_EQ(cells_of(number_column<std::int64_t>("tsu:Europe/Berlin", "x", {1'500'000})),
              (Texts{"1970-01-01 00:00:01.5Z"}));
    EXPECT_EQ(cells_of(number_column<std::int64_t>("tsn:", "x", {-1})),
              (Texts{"1969-12-31 23:59:59.999999999"}));
    EXPECT_EQ(cells_of(number_column<int128>("d:12,2", "x", {int128{-5}, int128{123'456}})),
              (Texts{"-0.05", "1234.56"}));
    EXPECT_EQ(cells_of(number_column<int128>("d:5,-2,128", "x", {int128{7}})), (Texts{"700"}));
}

TEST(ArrowStream, ReadsTextBooleansNullsAndSlices) {
    EXPECT_EQ(cells_of(text_column<std::int32_t>("u", "x", {"a", "", "ü"})),
              (Texts{"'a'", "''", "'ü'"}));
    EXPECT_EQ(cells_of(text_column<std::int64_t>("Z", "x", {"\xff"})), (Texts{"'\\xff'"}));
    ArrowNode sliced = text_column<std::int64_t>("U", "x", {"a", "b", "c", "d"});
    sliced.offset = 1;
    sliced.length = 2;
    sliced.null_count = -1;
    sliced.buffers[0] = {std::byte{0b1011}}; // c is null
    EXPECT_EQ(cells_of(sliced), (Texts{"'b'", "NULL"}));
    ArrowNode bits;
    bits.format = "b";
    bits.length = 3;
    bits.offset = 7;
    bits.buffers = {{}, {std::byte{0x80}, std::byte{0x02}}};
    EXPECT_EQ(cells_of(bits), (Texts{"true", "false", "true"}));
    ArrowNode nulls;
    nulls.format = "n";
    nulls.length = nulls.null_count = 2;
    EXPECT_EQ(cells_of(nulls), (Texts{"NULL", "NULL"}));
}

TEST(ArrowStream, AddsTheOffsetOfARecordBatchToItsColumns) {
    auto column = number_column<std::int32_t>("i", "x", {1, 2, 3, 4, 5});
    column.offset = 1;
    column.length = 4;
    auto batch = record_batch({column});
    batch.offset = 2;
    batch.length = 2;
    auto stream = export_stream(ExportedStream{batch, {batch, batch}, 0, -1, nullptr});
    auto const table = import_arrow_stream(&stream, "table");
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->row_count(), 4);
    EXPECT_EQ(table->shown(0, 0), "4");
    EXPECT_EQ(table->shown(3, 0), "5");
}

TEST(ArrowStream, DecodesDictionariesAndViews) {
    ArrowNode indices = number_column<std::int8_t>("c", "x", {1, 0, 1, 0});
    indices.buffers[0] = {std::byte{0b0111}};
    indices.null_count = 1;
    indices.dictionary =
        std::make_shared<ArrowNode>(text_column<std::int32_t>("u", "", {"no", "yes"}));
    EXPECT_EQ(cells_of(indices), (Texts{"'yes'", "'no'", "'yes'", "NULL"}));
    indices.buffers[1][2] = std::byte{2};
    EXPECT_NE(cells_of(indices).front().find("an index beyond its dictionary of 2"),
              std::string::npos);
    indices.buffers[1][2] = std::byte{0xff};
    EXPECT_EQ(cells_of(indices).size(), 1);
    // A view of 3 bytes, and one of 13 bytes at offset 2 of buffer 0.
    ArrowNode views;
    views.format = "vu";
    views.name = "x";
    views.length = 2;
    std::vector<std::int32_t> words{3, 0, 0, 0, 13, 0, 0, 2};
    std::memcpy(&words[1], "abc", 3);
    std::string const data = "--thirteen byte";
    views.buffers = {{},
                     testing::bytes_of_numbers(words),
                     testing::bytes_of_numbers(std::vector<char>(data.begin(), data.end())),
                     testing::bytes_of_numbers(std::vector<std::int64_t>{15})};
    EXPECT_EQ(cells_of(views), (Texts{"'abc'", "'thirteen byte'"}));
    views.buffers[3] = testing::bytes_of_numbers(std::vector<std::int64_t>{14});
    EXPECT_NE(cells_of(views).front().find("a view outside"), std::string::npos);
}

TEST(ArrowStream, RefusesWhatIsMalformed) {
    auto const refused = [](ArrowNode const& column, std::string const& words) {
        auto const table = import_batch(record_batch({column}));
        ASSERT_FALSE(table) << words;
        EXPECT_NE(table.error().message().find(words), std::string::npos)
            << table.error().message();
        EXPECT_NE(table.error().message().find("table, column 'x'"), std::string::npos);
    };
    auto column = number_column<std::int32_t>("i", "x", {1, 2});
    column.length = -1;
    auto batch = record_batch({column});
    EXPECT_FALSE(import_batch(batch));
    column.length = 2;
    column.offset = -1;
    refused(column, "claims 2 rows from -1 on");
    column.offset = 0;
    column.null_count = 3;
    refused(column, "claims 3 nulls among 2 rows");
    column.null_count = 1;
    refused(column, "no validity bitmap");
    column.null_count = 0;
    column.buffers.pop_back();
    refused(column, "has 1 buffers where its type has 2");
    column.buffers = {{}, {}};
    refused(column, "has rows, but no values");
    auto text = text_column<std::int32_t>("u", "x", {"a", "b"});
    text.buffers[1] = testing::bytes_of_numbers(std::vector<std::int32_t>{0, 2, 1});
    refused(text, "offsets that do not ascend");
    text.buffers[1] = testing::bytes_of_numbers(std::vector<std::int32_t>{-1, 0, 1});
    refused(text, "offsets that do not ascend");
    refused(text_column<std::int32_t>("u", "x", {"a", "\xff"}),
            "row 1 of a chunk that is not UTF-8");
    auto shorter = record_batch({number_column<std::int32_t>("i", "x", {1, 2})});
    shorter.length = 3;
    EXPECT_NE(import_batch(shorter).error().message().find("has 2 rows in a batch of 3"),
              std::string::npos);
}

TEST(ArrowStream, RefusesOtherTypesByName) {
    for (auto const& [format, name] :
         std::vector<std::pair<std::string, std::string>>{{"+l", "list"},
                                                          {"+vl", "list view"},
                                                          {"+w:4", "fixed-size list"},
                                                          {"+s", "struct"},
                                                          {"+m", "map"},
                                                          {"+ud:0,1", "union"},
                                                          {"+r", "run-end encoded"},
                                                          {"w:16", "fixed-size binary"},
                                                          {"ttu", "time64"},
                                                          {"tDs", "duration"},
                                                          {"tin", "interval"},
                                                          {"q", "not known, 'q'"},
                                                          {"d:99,2", "99 digits"},
                                                          {"d:12,2,256", "decimals of 256 bits"},
                                                          {"d:x", "not known"},
                                                          {"tsx:", "not known"},
                                                          {"", "not known"}}) {
        ArrowNode column = number_column<std::int32_t>(format, "x", {1});
        auto const table = import_batch(record_batch({column}));
        ASSERT_FALSE(table) << format;
        EXPECT_NE(table.error().message().find(name), std::string::npos) << table.error().message();
        EXPECT_FALSE(table.error().remedy.empty());
    }
}

TEST(ArrowStream, PassesOnWhatAStreamSaysOfItsFailure) {
    auto const batch = record_batch({number_column<std::int32_t>("i", "x", {1})});
    int released = 0;
    auto stream = export_stream(ExportedStream{batch, {batch, batch}, 0, 1, &released});
    auto const table = import_arrow_stream(&stream, "table");
    ASSERT_FALSE(table);
    EXPECT_EQ(
        table.error().message(),
        "table: cannot be read: the disk is gone (the program that exports the data reports this)");
    EXPECT_EQ(released, 1);
    EXPECT_FALSE(import_arrow_stream(&stream, "table")); // already released
    EXPECT_FALSE(import_arrow_stream(nullptr, "table"));
}

TEST(ArrowStream, ReleasesArraysOnceNoTableNeedsThem) {
    int alive = 0;
    auto batch = record_batch({number_column<std::int32_t>("i", "x", {1})});
    batch.alive = &alive;
    {
        auto stream = export_stream(ExportedStream{batch, {batch}, 0, -1, nullptr});
        auto table = import_arrow_stream(&stream, "table");
        ASSERT_TRUE(table);
        auto const copy = *table;
        EXPECT_EQ(stream.release, nullptr);
        table = tl::unexpected(InputError{});
        EXPECT_EQ(alive, 1);
        EXPECT_EQ(copy.shown(0, 0), "1");
    }
    EXPECT_EQ(alive, 0);
    auto single = number_column<std::int64_t>("l", "", {5, 6});
    auto stream = export_stream(ExportedStream{single, {single}, 0, -1, nullptr});
    auto const table = import_arrow_stream(&stream, "column");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->columns().front().name, "value");
    EXPECT_EQ(table->shown(1, 0), "6");
}

TEST(Utf8, KnowsEveryMalformedForm) {
    for (std::string const good :
         {"", "abc", "ü", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf", "€€€€€€€€"}) {
        EXPECT_TRUE(is_utf8(good)) << good;
    }
    for (std::string const bad : {"\x80",
                                  "\xc0\x80",
                                  "\xc3",
                                  "\xe0\x80\x80",
                                  "\xed\xa0\x80",
                                  "\xf0\x80\x80\x80",
                                  "\xf4\x90\x80\x80",
                                  "\xf5",
                                  "abcdefgh\xff",
                                  "\xe2\x82",
                                  "a\xe2(\xa1"}) {
        EXPECT_FALSE(is_utf8(bad));
    }
}

TEST(CellTypes, AreReadAsTheyAreWritten) {
    for (std::string const name : {"null",
                                   "bool",
                                   "int8",
                                   "uint64",
                                   "float16",
                                   "double",
                                   "date",
                                   "date64",
                                   "string",
                                   "binary",
                                   "timestamp[ns, UTC]",
                                   "timestamp[s]",
                                   "decimal(12, 2)"}) {
        auto const type = parse_cell_type(name);
        ASSERT_TRUE(type) << name;
        EXPECT_EQ(*parse_cell_type(to_string(*type)), *type);
    }
    EXPECT_EQ(parse_cell_type("VARCHAR")->kind, CellKind::utf8);
    for (std::string const name : {"strnig", "decimal(40)", "decimal(3,4)", "timestamp[h]", ""}) {
        EXPECT_FALSE(parse_cell_type(name)) << name;
    }
}

} // namespace
} // namespace keyswap::model
