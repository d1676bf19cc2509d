#include "model/key_files/csv_column.hpp"

#include "model/key_files/csv_reader.hpp"
#include "model/key_files/key_file.hpp"
#include "model/testing/temporary_keys.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::expect_in;

/// The header and keys of a column as text; or the error.
std::string column_of(std::string const& text, std::string const& column) {
    auto const reader =
        make_csv_reader(bytes_of(text), "a.csv", {std::nullopt, KeyType::u32, column});
    std::array<std::uint32_t, 16> block{};
    auto const count = reader->read(std::as_writable_bytes(std::span(block)));
    if (!count) {
        return count.error().message();
    }
    std::string keys = reader->header().value_or("");
    for (std::size_t i = 0; i < *count; ++i) {
        keys += " " + std::to_string(block[i]);
    }
    return keys;
}

TEST(CsvColumn, IsFoundByItsHeadingOrItsNumber) {
    std::string const text = "id,bytes,name\n1,20,a\n2,10,b\n";
    EXPECT_EQ(column_of(text, "bytes"), "bytes 20 10");
    EXPECT_EQ(column_of(text, "2"), "bytes 20 10");
    EXPECT_EQ(column_of(text, "id"), "id 1 2");
    EXPECT_EQ(column_of(text, "1"), "id 1 2");
}

TEST(CsvColumn, ByNumberNeedsNoHeading) {
    EXPECT_EQ(column_of("1,20\n2,10\n", "2"), " 20 10");
    EXPECT_EQ(column_of("2021,2022\n2,10\n", "2"), " 2022 10"); // a number is never a header
    EXPECT_EQ(column_of("7\n8\n", "1"), " 7 8");
}

TEST(CsvColumn, ReadsSeparatorsQuotationMarksAndLineEndsAsProgramsWriteThem) {
    for (std::string const text : {"id;k\n1;5\n2;6\n",
                                   "id\tk\n1\t5\n2\t6\n",
                                   "id,k\r\n1,5\r\n2,6",
                                   "\"id\",\"k\"\n\"1\",\"5\"\n\"2\",\"6\"\n",
                                   "\xef\xbb\xbf\"a, b\",k\n\"x, \"\"y\"\"\",5\n\",\",6\n",
                                   "\"a;b\",k\nx,5\ny,6\n"}) {
        EXPECT_EQ(column_of(text, "k"), "k 5 6") << text;
    }
}

TEST(CsvColumn, RefusesWhatIsNotThere) {
    std::string const text = "id,k,k\n1,2,3\n";
    expect_in(column_of(text, "bytes"), {"a.csv, row 1", "no column 'bytes'", "'id', 'k', 'k'"});
    expect_in(column_of(text, "4"), {"a.csv, row 1", "no column 4", "'id'"});
    expect_in(column_of(text, "0"), {"no column 0", "count from 1"});
    expect_in(column_of(text, "k"), {"two columns 'k'", "its number"});
    expect_in(column_of("id,k\n1,2\n3\n", "k"), {"row 3", "has 1 cell", "first row 2 cells"});
    expect_in(column_of("id,k\n1,two\n", "k"), {"row 2", "'two' is not a valid u32 key"});
    expect_in(column_of("id,k\n1,\n", "k"), {"row 2", "is empty"});
    expect_in(column_of("id\tk\n1\t2\n\t\n", "k"), {"row 3", "is empty"});
    expect_in(column_of("id,k\n\"1,2\n", "k"), {"row 2", "not closed"});
    expect_in(column_of("id,k\n", "k"), {"no keys below its header 'k'"});
    expect_in(column_of("1,#5\n", "2"), {"row 1", "neither a key of type u32 nor a header"});
}

TEST(CsvColumn, TakesNoDecimalCommaForASeparator) {
    std::string const text = "1,50;2,25\n10,25;1,75\n";
    expect_in(column_of(text, "1"), {"row 1", "'1,50' has a comma", "decimal"});
    expect_in(column_of("a;k\n1,50;2\n", "a"), {"row 2", "'1,50' has a comma"});
    EXPECT_EQ(column_of("a;k\n1,50;2\n", "k"), "k 2");
    EXPECT_EQ(column_of("1\t2,3\n", "1"), " 1");
    EXPECT_EQ(column_of("a,b;c\n1,2\n", "a"), "a 1"); // not a decimal comma
}

TEST(CsvColumn, RefusesDecimalCommasWhereTheFirstRowHasBothSeparators) {
    expect_in(column_of("Price, EUR;n\n1,50;3\n", "1"), {"row 2", "has semicolons", "quote cells"});
    EXPECT_EQ(column_of("\"Price, EUR\";n\n1,50;3\n", "n"), "n 3");
}

TEST(CsvColumn, TakesQuotationMarksAroundCellsAlone) {
    EXPECT_EQ(column_of("t,k\n6\" x 4\" pipe,5\n", "k"), "k 5");
    EXPECT_EQ(column_of("t, \"k\"\n\"a\", \"5\"\n", "k"), "k 5");
    expect_in(column_of("k,t\n\"1\"2,a\n", "k"),
              {"row 2", "continues after its closing quotation"});
    expect_in(column_of("k,t\n1\"2\",a\n", "k"), {"row 2", "is not a valid u32 key"});
}

TEST(CsvColumn, SaysWhatElseSeparatesCells) {
    expect_in(column_of("a|k\n1|5\n", "k"), {"no column 'k'", "tr '|'"});
    expect_in(column_of("a k\n1 5\n", "2"), {"no column 2", "not by spaces"});
    expect_in(column_of(",k\n0,5\n", "1"), {"row 1", "an empty cell in that column"});
}

TEST(CsvColumn, RefusesRowsOfAnotherNumberOfCells) {
    expect_in(column_of("id,k\n1,1,234\n", "k"), {"row 2", "has 3 cells", "first row 2 cells"});
    expect_in(column_of("x\ty\n1\t5\t6\n", "x"), {"row 2", "has 3 cells", "each column a name"});
}

TEST(CsvColumn, RefusesSeveralColumnsAsOneKey) {
    expect_in(column_of("a,b\n1,2\n", "a,b"), {"no column 'a,b'", "pack them into one"});
}

TEST(CsvColumn, IsTheOnlyOneIfThatIsEnough) {
    auto const find = [](std::string const& row) {
        return CsvColumn::find(row, "k", CsvColumn::Need::ignored_if_single);
    };
    EXPECT_TRUE(find("k")->is_named());
    EXPECT_FALSE(find("other")->is_named());
    EXPECT_EQ(find("id,k")->cell("1,2"), "2");
    EXPECT_FALSE(find("id,other"));
}

} // namespace
} // namespace keyswap::model
