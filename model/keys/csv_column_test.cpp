#include "model/keys/csv_column.hpp"

#include "model/keys/key_file.hpp"
#include "model/keys/temporary_keys.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::expect_in;

/// The keys of a column as text, with the heading before them; or why there are none.
std::string column_of(std::string const& text, std::string const& column) {
    auto const reader = read_csv_keys(bytes_of(text), "a.csv", KeyType::u32, column);
    std::array<std::uint32_t, 16> block{};
    auto const count = reader->read(std::as_writable_bytes(std::span(block)));
    if (!count) {
        return count.error().message();
    }
    std::string keys = reader->heading().value_or("");
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
    EXPECT_EQ(column_of("2021,2022\n2,10\n", "2"), " 2022 10"); // a number is never a heading
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
    expect_in(column_of("id,k\n1,2\n3\n", "k"), {"row 3", "1 columns", "column 2"});
    expect_in(column_of("id,k\n1,two\n", "k"), {"row 2", "'two' is not a valid u32 key"});
    expect_in(column_of("id,k\n1,\n", "k"), {"row 2", "is empty"});
    expect_in(column_of("id,k\n\"1,2\n", "k"), {"row 2", "not closed"});
    expect_in(column_of("id,k\n", "k"), {"no key under its heading 'k'"});
    expect_in(column_of("1,#5\n", "2"), {"row 1", "neither a key of type u32 nor a heading"});
}

} // namespace
} // namespace keyswap::model
