#include "model/key_files/file_content.hpp"

#include <gtest/gtest.h>

#include <string>

namespace keyswap::model {
namespace {

using namespace std::string_literals;

std::string format_of(std::string const& beginning) {
    auto const found = unsupported_format(beginning, "some file");
    return found ? found->name : "none";
}

/// The beginning of an Arrow stream with one column, as written by pyarrow 14.
std::string arrow_stream() {
    return "\x78\0\0\0\x10\0\0\0\0\0\x0a\0\x0c\0\x06\0\x05\0\x08\0\x0a\0\0\0\0\x01\x04\0\x0c\0\0\0"
           "\x08\0\x08\0\0\0\x04\0\x08\0\0\0\x04\0\0\0\x01\0\0\0\x14\0\0\0"s;
}

TEST(FileContent, NamesFormatsByTheirFirstBytes) {
    EXPECT_EQ(format_of("PAR1abcd"), "Parquet");
    EXPECT_EQ(format_of("\x89PNG\r\n\x1a\n"), "PNG");
    EXPECT_EQ(format_of("BZh91AY&SY"), "bzip2");
    EXPECT_EQ(format_of("\x80\x04\x95\x20\0\0\0\0\0\0\0abc"s), "pickle");
    EXPECT_EQ(format_of("\x40\0\0\0\0\0\0\0{\"a\""s), "safetensors");
    EXPECT_EQ(format_of(std::string(257, '\0') + "ustar"), "tar");
    EXPECT_EQ(format_of(""), "none");
    EXPECT_EQ(format_of(std::string(4096, '\xff')), "none");
}

TEST(FileContent, NamesArrowStreamsWithAndWithoutTheirMark) {
    EXPECT_EQ(format_of("\xff\xff\xff\xff" + arrow_stream()), "Arrow streams");
    EXPECT_EQ(format_of(arrow_stream()), "Arrow streams");
    for (std::size_t const at : {std::size_t{4}, std::size_t{10}, std::size_t{25}}) {
        std::string other = "\xff\xff\xff\xff" + arrow_stream();
        other[at + 4] = '\x7f';
        EXPECT_EQ(format_of(other), "none") << at;
    }
    for (std::size_t size = 0; size < 26; ++size) {
        EXPECT_EQ(format_of(arrow_stream().substr(0, size)), "none") << size;
    }
}

TEST(FileContent, KnowsNamesOfFilesOfOtherPrograms) {
    EXPECT_EQ(unsupported_extension(".parquet")->name, "parquet");
    EXPECT_EQ(unsupported_extension(".zz")->remedy, "decompress it first");
    EXPECT_EQ(unsupported_extension(".bz2")->remedy, "decompress it first");
    for (std::string const ending : {"", ".raw", ".u32", ".csv", ".dat", ".npy"}) {
        EXPECT_FALSE(unsupported_extension(ending)) << ending;
    }
}

TEST(FileContent, SaysHowKeysComeOut) {
    auto const rows_remedy = [](std::string_view beginning) {
        return unsupported_format(beginning, "x y", FileContent::rows)->remedy;
    };
    EXPECT_EQ(rows_remedy("PAR1"),
              "python3 -c \"import pandas; pandas.read_parquet('x y').to_csv('rows.csv', "
              "index=False)\"");
    EXPECT_EQ(rows_remedy("PK\x03\x04"), "unpack it, or save its rows as CSV");
    EXPECT_EQ(rows_remedy("Obj\x01"), "save its rows as CSV");
    EXPECT_EQ(rows_remedy("LZIP"), "decompress it with 'lzip -dk x y'");
    EXPECT_EQ(unsupported_extension(".arrows", FileContent::rows)->remedy, "save its rows as CSV");
    EXPECT_EQ(unsupported_format("PAR1", "a/b.parquet")->remedy,
              "python3 -c \"import numpy, pandas; numpy.save('keys.npy', "
              "pandas.read_parquet('a/b.parquet')['COLUMN'])\"");
}

TEST(FileContent, DistinguishesTextFromOtherBytes) {
    for (std::string const& text : {"5\n3\n"s,
                                    "a\tb\r\n"s,
                                    "\xef\xbb\xbf"
                                    "5"s,
                                    "gr\xc3\xbc\xc3"s}) {
        EXPECT_TRUE(is_text(text)) << text;
    }
    for (std::string const& bytes : {""s, "5\0"s, "\xff\xff"s, "\x80"s, "a\xc3z"s, "\x01"s}) {
        EXPECT_FALSE(is_text(bytes)) << bytes;
    }
    EXPECT_TRUE(is_wide_text("\xff\xfe"
                             "5\0\n\0"s));
    EXPECT_TRUE(is_wide_text("\xfe\xff\0"
                             "5\0\n"s));
    EXPECT_TRUE(is_wide_text("\xff\xfe\0\0"
                             "5\0\0\0\n\0\0\0"s));
    EXPECT_TRUE(is_wide_text("5\0\n\0"s));
    EXPECT_TRUE(is_wide_text("\0"
                             "5\0\n"s));
    EXPECT_FALSE(is_wide_text("5\0"
                              "3\0"s));                      // no line end
    EXPECT_FALSE(is_wide_text("5\0\0\0\n\0\0\0"s));          // 53 and 10 as u32
    EXPECT_FALSE(is_wide_text("\xfe\xff\0\0\xfd\xff\0\0"s)); // 65,534 and 65,533 as u32
    EXPECT_FALSE(is_wide_text("\xff\xfe\x10\x20\x30\x40"s));
}

} // namespace
} // namespace keyswap::model
