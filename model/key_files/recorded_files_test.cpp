/// \file Golden test of the messages that readers
/// of key files give for slightly malformed files.

#include "model/key_files/key_file.hpp"
#include "model/keys/key_text.hpp"
#include "model/testing/temporary_keys.hpp"
#include "traces/testing/recorded_text.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

class RecordedFiles : public ::testing::Test {
  protected:
    /// \param name its ending determines the format
    void describe(std::string const& what,
                  std::string const& name,
                  std::string const& bytes,
                  std::optional<KeyType> type,
                  std::optional<std::string> const& column = std::nullopt,
                  std::optional<NarrowType> narrow = std::nullopt) {
        auto const path = folder_.put(name, bytes);
        text_ << what << ": " << masked(read(path, {std::nullopt, type, column, narrow})) << '\n';
    }
    void expect_as_recorded(std::string const& name) const {
        keyswap::testing::expect_recorded(std::string(KEYSWAP_RECORDED_FILES) + "/" + name,
                                          text_.str());
    }

  private:
    static std::string read(std::filesystem::path const& path, KeyFileOptions const& options) {
        auto const reader = open_key_file(path, options);
        if (!reader) {
            return reader.error().message();
        }
        KeyType const type = (*reader)->key_type();
        std::string text(stored_type_name(type, (*reader)->narrow_type()));
        text += (*reader)->key_count() ? ", " + std::to_string(*(*reader)->key_count()) + " keys:"
                                       : ", keys:";
        std::vector<std::byte> block(3 * key_size_bytes(type)); // several reads
        while (true) {
            auto const count = (*reader)->read(block);
            if (!count) {
                return text + " then " + count.error().message();
            }
            if (*count == 0) {
                break;
            }
            for (std::size_t i = 0; i < *count; ++i) {
                std::size_t const size = key_size_bytes(type);
                text += ' ' + key_text(type, std::span(block).subspan(i * size, size));
            }
        }
        return text + ((*reader)->header() ? ", heading " + *(*reader)->header() : "");
    }
    [[nodiscard]] std::string masked(std::string text) const {
        std::string const folder = folder_.path().string() + "/";
        for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
            text.erase(at, folder.size());
        }
        return text;
    }

    testing::KeyFolder folder_;
    std::ostringstream text_;
};

std::string npy_of(std::string const& dictionary,
                   std::string const& data,
                   char version = 1,
                   std::size_t length = 118) {
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    bytes += static_cast<char>(length % 256);
    bytes += static_cast<char>(length / 256);
    if (version != 1) {
        bytes += std::string(2, '\0');
    }
    std::string text = dictionary;
    text.resize(length - 1, ' ');
    return bytes + text + '\n' + data;
}

std::string dictionary_of(std::string const& descriptor,
                          std::string const& shape,
                          std::string const& fortran = "False") {
    return "{'descr': '" + descriptor + "', 'fortran_order': " + fortran + ", 'shape': " + shape +
           ", }";
}

TEST_F(RecordedFiles, OfNumpyAreReadOrRefusedAsTheyWere) {
    std::string const eight("\1\0\0\0\2\0\0\1", 8);
    for (std::string const descriptor : {"<u4",
                                         "<i4",
                                         "<f4",
                                         "<u8",
                                         "<f8",
                                         "|u1",
                                         "|i1",
                                         "<u2",
                                         "<f2",
                                         ">u4",
                                         ">f8",
                                         "|S16",
                                         "S16",
                                         "|S8",
                                         "<c8",
                                         "<U4",
                                         "|b1",
                                         "",
                                         "an entire sentence that no program would write there"}) {
        std::size_t const size =
            descriptor.size() == 3 && descriptor[2] >= '1' && descriptor[2] <= '8'
                ? 8 / static_cast<std::size_t>(descriptor[2] - '0')
                : 0;
        describe("type " + descriptor,
                 "a.npy",
                 npy_of(dictionary_of(descriptor, "(" + std::to_string(size) + ",)"), eight),
                 std::nullopt);
    }
    for (std::string const shape : {"(2,)",
                                    "(2)",
                                    "(2, )",
                                    "(1, 2)",
                                    "(2, 1)",
                                    "()",
                                    "(-2,)",
                                    "(3,)",
                                    "(1,)",
                                    "(0,)",
                                    "(99999999999999999999,)",
                                    "(18446744073709551615,)",
                                    "2",
                                    "(2,",
                                    "(2,,)",
                                    "(a,)"}) {
        describe(
            "shape " + shape, "a.npy", npy_of(dictionary_of("<u4", shape), eight), std::nullopt);
    }
    for (std::string const& dictionary :
         {dictionary_of("<u4", "(2,)", "True"),
          dictionary_of("<u4", "(2,)", "Maybe"),
          std::string("{'descr': '<u4', 'shape': (2,)}"),
          std::string("{'descr': '<u4', 'fortran_order': False}"),
          std::string("{'fortran_order': False, 'shape': (2,)}"),
          std::string("{'descr': '<u4', 'fortran_order': False, 'shape': (2,)}"),
          std::string("{\"descr\": \"<u4\", \"fortran_order\": False, \"shape\": (2,)}"),
          std::string("{'descr': '<u4', 'descr': '<u4', 'fortran_order': False, 'shape': (2,)}"),
          std::string("{'fortran_order': False, 'fortran_order': False, 'descr': '<u4', 'shape': "
                      "(2,)}"),
          std::string("{'shape': (2,), 'shape': (2,), 'descr': '<u4', 'fortran_order': False}"),
          std::string("{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (2,)}"),
          std::string("{'descr': '<u4', 'fortran_order': False, 'shape': (2,), 'more': 1}"),
          std::string("{'descr': '<u4', 'fortran_order': False, 'shape': (2,)} x"),
          std::string("{'descr': '<u4', 'fortran_order': False, 'shape': (2,)"),
          std::string("{'descr': '<u4' 'fortran_order': False, 'shape': (2,)}"),
          std::string("'descr'"),
          std::string()}) {
        describe(dictionary, "a.npy", npy_of(dictionary, eight), std::nullopt);
    }
    std::string const good = dictionary_of("<u4", "(2,)");
    for (int const version : {1, 2, 3, 4}) {
        describe("version " + std::to_string(version),
                 "a.npy",
                 npy_of(good, eight, static_cast<char>(version)),
                 std::nullopt);
    }
    std::string const whole = npy_of(good, eight);
    for (std::size_t const size : {0U, 5U, 6U, 8U, 9U, 10U, 100U, 127U, 128U, 129U, 132U, 135U}) {
        describe("the first " + std::to_string(size) + " bytes",
                 "a.npy",
                 whole.substr(0, size),
                 std::nullopt);
    }
    describe("a byte more", "a.npy", whole + "x", std::nullopt);
    describe("as i32", "a.npy", whole, KeyType::i32);
    describe("as u32", "a.npy", whole, KeyType::u32);
    expect_as_recorded("npy.txt");
}

TEST_F(RecordedFiles, OfNumbersAreReadOrRefusedAsTheyWere) {
    for (KeyType const type : every_key_type) {
        for (char const* const cell : {"7",
                                       "-7",
                                       "+7",
                                       "007",
                                       "7.0",
                                       "7.5",
                                       "1e3",
                                       "1e400",
                                       "-0",
                                       "0x10",
                                       "nan",
                                       "-nan",
                                       "inf",
                                       "-inf",
                                       "NaN",
                                       "4294967295",
                                       "4294967296",
                                       "-2147483648",
                                       "-2147483649",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "9223372036854775808",
                                       "-9223372036854775808",
                                       "-9223372036854775809",
                                       "1e-50",
                                       "16777217",
                                       "340282366920938463463374607431768211455",
                                       "340282366920938463463374607431768211456",
                                       "-170141183460469231731687303715884105728",
                                       "-170141183460469231731687303715884105729",
                                       "1 2",
                                       "1_000",
                                       "",
                                       "123e4567-e89b-12d3-a456-426614174000",
                                       "::1",
                                       "fe80::1%eth0",
                                       "1:2:3:4:5:6:7:8",
                                       "::ffff:10.0.0.1",
                                       "00112233445566778899aabbccddeeff",
                                       "0011"}) {
            describe(std::string(to_string(type)) + " " + cell,
                     "a.csv",
                     "1\n" + std::string(cell) + "\n",
                     type);
        }
    }
    expect_as_recorded("numbers.txt");
}

TEST_F(RecordedFiles, OfTextAreReadOrRefusedAsTheyWere) {
    std::string const long_row = "1\n" + std::string(300, '7') + "\n";
    std::string const table = "id,value;x\n1,10;a\n2,20;b\n";
    for (auto const& [what, bytes] : std::vector<std::pair<std::string, std::string>>{
             {"nothing", ""},
             {"an empty row", "\n"},
             {"empty rows between", "1\n\n2\n\n\n3\n"},
             {"no last line feed", "1\n2"},
             {"carriage returns", "1\r\n2\r\n"},
             {"a byte order mark",
              "\xef\xbb\xbf"
              "1\n2\n"},
             {"two byte order marks",
              "\xef\xbb\xbf\xef\xbb\xbf"
              "1\n2\n"},
             {"a mark in row 2",
              "1\n\xef\xbb\xbf"
              "2\n"},
             {"a heading", "keys\n1\n2\n"},
             {"a heading alone", "keys\n"},
             {"two headings", "keys\nof mine\n1\n"},
             {"a heading below", "1\nkeys\n"},
             {"blanks", "  1 \n\t2\t\n"},
             {"quotation marks", "\"1\"\n\"2\"\n"},
             {"an open mark", "\"1\n2\n"},
             {"two columns", "1,2\n3,4\n"},
             {"semicolons", "1;2\n"},
             {"a control character", "1\n2\x01\n"},
             {"a zero byte",
              std::string("1\n\0"
                          "2\n",
                          5)},
             {"a long row", long_row},
             {"four blocks", std::string(10, '1') + "\n" + std::string(70'000, '\n') + "5\n"}}) {
        describe(what, "a.csv", bytes, KeyType::u32);
    }
    for (std::string const column : {"1", "2", "3", "0", "id", "value", "value;x", "x", "", "-1"}) {
        describe("column " + column, "a.csv", table, KeyType::u32, column);
        describe(
            "column " + column + " without a heading", "a.csv", "5,6\n7,8\n", KeyType::u32, column);
    }
    for (char const* const rows : {"id,key\n1,5\n2\n",
                                   "id,key\n1,\n",
                                   "id,key\n1,5,9\n2,6\n",
                                   "id,key\n\"a,b\",5\n",
                                   "id,\"k\"\"y\"\n1,5\n",
                                   "id,id\n1,5\n"}) {
        describe(rows, "a.csv", rows, KeyType::u32, "key");
        describe(rows, "a.csv", rows, KeyType::u32, "id");
    }
    expect_as_recorded("text.txt");
}

TEST_F(RecordedFiles, OfBytesAreReadOrRefusedAsTheyWere) {
    std::string const bytes("\1\2\3\4\xff\xfe\xfd\x80\0\0\x80\x3f\0\x3c\0\x7c", 16);
    for (KeyType const type : every_key_type) {
        for (std::size_t const size : {16U, 15U, 8U, 4U, 3U, 0U}) {
            describe(std::string(to_string(type)) + " of " + std::to_string(size),
                     "a.raw",
                     bytes.substr(0, size),
                     type);
        }
    }
    for (NarrowTraits const& traits : narrow_traits) {
        NarrowType const narrow = traits.type;
        for (std::size_t const size : {16U, 15U, 1U}) {
            describe(std::string(to_string(narrow)) + " of " + std::to_string(size),
                     "a.raw",
                     bytes.substr(0, size),
                     widened_type(narrow),
                     std::nullopt,
                     narrow);
        }
        for (char const* const cell : {"7",
                                       "-7",
                                       "255",
                                       "256",
                                       "-128",
                                       "-129",
                                       "65535",
                                       "65536",
                                       "-32768",
                                       "-32769",
                                       "1.5",
                                       "0.1",
                                       "65504",
                                       "65505",
                                       "1e39",
                                       "nan",
                                       "-inf",
                                       "256.5"}) {
            describe(std::string(to_string(narrow)) + " " + cell,
                     "a.csv",
                     "1\n" + std::string(cell) + "\n",
                     widened_type(narrow),
                     std::nullopt,
                     narrow);
        }
    }
    describe("no type", "a.raw", bytes, std::nullopt);
    describe("a column of bytes", "a.raw", bytes, KeyType::u32, "2");
    expect_as_recorded("bytes.txt");
}

} // namespace
} // namespace keyswap::model
