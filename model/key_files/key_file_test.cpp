#include "model/key_files/csv_reader.hpp"
#include "model/key_files/key_file.hpp"

#include "model/keys/wide_integer.hpp"
#include "model/testing/temporary_keys.hpp"
#include "traces/errors/try.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace keyswap::model {
namespace {

using testing::expect_in;
using testing::KeyFolder;

/// Reads all keys of a file in blocks of `block_keys` keys.
template <class T>
Expected<std::vector<T>> keys_of(std::filesystem::path const& path,
                                 KeyFileOptions const& options,
                                 std::size_t block_keys = 3) {
    KEYSWAP_TRY(auto reader, open_key_file(path, options));
    std::vector<T> keys;
    std::vector<T> block(block_keys);
    while (true) {
        KEYSWAP_TRY(auto const count, reader->read(std::as_writable_bytes(std::span(block))));
        if (count == 0) {
            return keys;
        }
        keys.insert(keys.end(), block.begin(), block.begin() + std::ptrdiff_t(count));
    }
}

template <class T>
std::string refusal(std::filesystem::path const& path, KeyFileOptions const& options) {
    auto const keys = keys_of<T>(path, options);
    return keys ? "" : keys.error().message();
}

template <class T>
void expect_round_trip(KeyType type,
                       std::vector<T> const& keys,
                       std::vector<std::string> const& names = {
                           "keys.raw", "keys.npy", "keys.csv"}) {
    KeyFolder const folder;
    for (std::string const& name : names) {
        auto writer = create_key_file(folder / name, std::nullopt, type);
        ASSERT_TRUE(writer) << writer.error().message();
        ASSERT_TRUE((*writer)->write(std::as_bytes(std::span(keys).first(2))));
        ASSERT_TRUE((*writer)->write(std::as_bytes(std::span(keys).subspan(2))));
        ASSERT_TRUE((*writer)->finish());
        auto const read = keys_of<T>(folder / name, {std::nullopt, type});
        ASSERT_TRUE(read) << read.error().message();
        ASSERT_EQ(read->size(), keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if constexpr (std::floating_point<T>) {
                EXPECT_EQ(std::signbit((*read)[i]), std::signbit(keys[i])) << name;
                EXPECT_EQ(std::isnan((*read)[i]), std::isnan(keys[i])) << name;
                EXPECT_TRUE((*read)[i] == keys[i] || std::isnan(keys[i])) << name << keys[i];
            } else {
                EXPECT_EQ((*read)[i], keys[i]) << name;
            }
        }
    }
}

template <class T>
std::vector<T> extreme_keys() {
    using Limits = std::numeric_limits<T>;
    return {T{0}, Limits::max(), Limits::lowest(), T{1}, Limits::min(), T{17}, T{3}};
}

TEST(KeyFile, GivesBackTheKeysOfEveryTypeInEveryFormat) {
    expect_round_trip(KeyType::u32, extreme_keys<std::uint32_t>());
    expect_round_trip(KeyType::u64, extreme_keys<std::uint64_t>());
    expect_round_trip(KeyType::i32, extreme_keys<std::int32_t>());
    expect_round_trip(KeyType::i64, extreme_keys<std::int64_t>());
    auto floats = extreme_keys<float>();
    floats.insert(floats.end(), {-0.0F, INFINITY, -INFINITY, NAN, 0.1F});
    expect_round_trip(KeyType::f32, floats);
    auto doubles = extreme_keys<double>();
    doubles.insert(doubles.end(), {-0.0, double{INFINITY}, -double{INFINITY}, double{NAN}, 0.1});
    expect_round_trip(KeyType::f64, doubles);
}

TEST(KeyFile, RefusesASizeThatIsNoMultipleOfTheKey) {
    KeyFolder const folder;
    expect_in(refusal<std::uint32_t>(folder.put("a.raw", std::string(10, 'x')),
                                     {std::nullopt, KeyType::u32}),
              {"a.raw", "10 bytes", "not a multiple of the 4", "--type"});
}

TEST(KeyFile, NamesFileAndRowOfAWordInRow17) {
    KeyFolder const folder;
    std::string text = "bytes\n";
    for (int row = 2; row < 17; ++row) {
        text += std::to_string(row) + "\n";
    }
    auto const path = folder.put("a.csv", text + "seventeen\n18\n");
    expect_in(refusal<std::uint32_t>(path, {std::nullopt, KeyType::u32}),
              {"a.csv, row 17", "'seventeen' is not a valid u32 key"});
}

TEST(KeyFile, ReadsCsvWithBlanksLineEndingsOfWindowsAndNoLastLineFeed) {
    KeyFolder const folder;
    KeyFileOptions const options{std::nullopt, KeyType::i32};
    std::vector<std::int32_t> const expected{1, -2, 3};
    for (std::string const text : {"1\n-2\n3\n",
                                   "1\r\n-2\r\n3",
                                   " 1\n\t-2 \n+3",
                                   "x\n1\n-2\n3\n",
                                   "\xef\xbb\xbfx\n1\n-2\n3\n"}) {
        auto const keys = keys_of<std::int32_t>(folder.put("a.csv", text), options);
        ASSERT_TRUE(keys) << keys.error().message();
        EXPECT_EQ(*keys, expected) << text;
    }
    EXPECT_EQ(keys_of<std::int32_t>(folder.put("a.csv", ""), options)->size(), 0U);
}

TEST(KeyFile, RefusesCsvRowsThatAreNoKeyOfTheType) {
    KeyFolder const folder;
    auto const refused = [&](std::string const& text, KeyType type) {
        return refusal<std::uint64_t>(folder.put("a.csv", text), {std::nullopt, type});
    };
    expect_in(refused("1\n18446744073709551616\n", KeyType::u64), {"row 2", "out of the range"});
    expect_in(refused("1\n-1\n", KeyType::u64), {"row 2", "out of the range"});
    expect_in(refused("1\n9223372036854775808\n", KeyType::i64), {"row 2", "out of the range"});
    expect_in(refused("1e999\n", KeyType::f64), {"row 1", "out of the range"});
    expect_in(refused("1\n2.5\n", KeyType::u64), {"row 2", "not a valid u64 key"});
    expect_in(refused("1\n\n2\n", KeyType::u64), {"row 2", "is empty"});
    expect_in(refused("1\n2,3\n", KeyType::u64), {"row 2", "more than one column"});
    expect_in(refused("1\n" + std::string(100'000, '1'), KeyType::u64), {"row 2", "longer"});
}

/// The skipped header, "none" if there is none, or the error.
std::string header_in(std::string const& text, KeyType type = KeyType::u32) {
    auto const reader = make_csv_reader(bytes_of(text), "a.csv", {std::nullopt, type});
    std::array<std::byte, 64> block{};
    auto const count = reader->read(block);
    return count ? reader->header().value_or("none") : count.error().message();
}

TEST(KeyFile, NamesTheHeadingThatItPassesOver) {
    EXPECT_EQ(header_in("1\n2\n"), "none");
    for (std::string const name : {"k", "x5", "_id", "key in MB", "Schl\xc3\xbcssel"}) {
        EXPECT_EQ(header_in(name + "\n1\n"), name);
    }
    for (char letter = 'A'; letter <= 'z'; ++letter) {
        bool const is_letter = letter <= 'Z' || letter >= 'a';
        std::string const name = std::string(1, letter) + "7";
        EXPECT_EQ(header_in(name + "\n1\n") == name, is_letter || letter == '_') << letter;
    }
    EXPECT_EQ(header_in("\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87\r\n1\r\n"),
              "\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87");
    EXPECT_EQ(header_in("\"key\"\n1\n"), "key");
    EXPECT_EQ(header_in("nan\n1\n", KeyType::f32), "none"); // is a key
}

TEST(KeyFile, TakesNoKeyForAHeading) {
    for (std::string const row : {"'5'",
                                  "\u22125", // a Unicode minus sign
                                  "(5)",
                                  "NULL",
                                  "null",
                                  "NA",
                                  "n/a",
                                  "None",
                                  "nan",
                                  "true",
                                  "$",
                                  "Jan 5 2024",
                                  "np.int64(5)"}) {
        expect_in(
            header_in(row + "\n6\n"),
            {"a.csv, row 1", "neither a key of type u32 nor a header", "begins with a letter"});
    }
    expect_in(header_in("#5\n6\n"), {"a.csv, row 1", "'#5' is a comment", "grep -v '^#'"});
    expect_in(header_in("5\n# five\n"), {"a.csv, row 2", "'# five' is a comment"});
    expect_in(header_in("k\n5\nk\n"), {"a.csv, row 3", "repeats the first row"});
}

TEST(KeyFile, ReadsQuotedKeysOfALoneColumn) {
    EXPECT_EQ(header_in("\"value\"\n\"5\"\n\"3\"\n"), "value");
    EXPECT_EQ(header_in("\"5\"\n3\n"), "none");
    expect_in(header_in("\"1,234\"\n"), {"row 1", "'1,234' has a comma", "thousands separator"});
    expect_in(header_in("5\n\"\"\n"), {"row 2", "is empty"});
}

TEST(KeyFile, PassesOverBlankRowsAtTheEndAlone) {
    EXPECT_EQ(header_in("5\n3\n\n \n\r\n"), "none");
    expect_in(header_in("5\n\n\n3\n"), {"row 2", "is empty"});
    expect_in(header_in("\nk\n3\n"), {"row 1", "is empty"});
}

TEST(KeyFile, RefusesRowsThatEndInCrAlone) {
    for (std::string const& text :
         {std::string("5\r3\r9\r"), std::string("k\r5\r3\r"), "k\r" + std::string(10'000, '1')}) {
        expect_in(header_in(text), {"a.csv, row 1", "CR alone", "tr"});
    }
}

TEST(KeyFile, RefusesAHeadingThatIsAllThereIs) {
    for (std::string const text : {"k", "k\n", "k\r\n", "\xef\xbb\xbfkeys\n"}) {
        expect_in(header_in(text), {"a.csv", "has no keys below its header 'k"});
    }
}

TEST(KeyFile, RefusesATextWithControlCharacters) {
    for (std::string const& text : {std::string("\x1f\x8b\x08\x00\x00\n1\n", 8),
                                    std::string("k\0\0\n1\n", 6),
                                    std::string("k\x1b[2J\n1\n")}) {
        expect_in(header_in(text),
                  {"a.csv, row 1", "contains characters that do not occur in text"});
    }
    expect_in(header_in("B\xe4nder\n1\n"), {"a.csv, row 1", "is not UTF-8", "iconv"});
}

TEST(KeyFile, KnowsItsFormatByANameInLettersOfEitherCase) {
    EXPECT_EQ(format_of_name("a.NPY"), KeyFileFormat::npy);
    EXPECT_EQ(format_of_name("a.Csv"), KeyFileFormat::csv);
    EXPECT_EQ(format_of_name("a.TXT"), KeyFileFormat::csv);
    EXPECT_EQ(format_of_name("a.tsv"), KeyFileFormat::csv);
    EXPECT_EQ(format_of_name("a.CSV.GZ"), KeyFileFormat::csv);
    EXPECT_EQ(format_of_name("a.npy.gzip"), KeyFileFormat::npy);
    EXPECT_EQ(format_of_name("a.TXT.Zstd"), KeyFileFormat::csv);
    EXPECT_EQ(format_of_name("npy"), KeyFileFormat::raw);
}

TEST(KeyFile, ReadsAnNpyFileThatNumpyWrote) {
    KeyFolder const folder;
    // numpy.save("a.npy", numpy.array([1, 2], dtype="<i8")), as written by NumPy 1.24.
    std::string text = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                       "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }";
    text.resize(127, ' ');
    text += '\n';
    text += std::string("\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0", 16);
    auto const keys = keys_of<std::int64_t>(folder.put("a.npy", text), {});
    ASSERT_TRUE(keys) << keys.error().message();
    EXPECT_EQ(*keys, (std::vector<std::int64_t>{1, 2}));
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_NE(refusal<std::int64_t>(folder.put("b.npy", text.substr(0, size)), {}), "");
    }
    for (std::size_t at = 0; at < 6; ++at) {
        std::string other = text;
        other[at] ^= 1;
        expect_in(refusal<std::int64_t>(folder.put("b.npy", other), {}), {"not a .npy file"});
    }
    expect_in(refusal<std::int64_t>(folder.put("b.npy", text.substr(0, 140)), {}),
              {"b.npy", "cut off", "140 bytes", "144"});
    expect_in(refusal<std::int64_t>(folder.put("b.npy", text + "x"), {}), {"too long"});
    expect_in(refusal<std::int64_t>(folder / "a.npy", {std::nullopt, KeyType::u64}),
              {"holds i64 keys", "u64"});
}

TEST(KeyFile, RefusesNpyArraysThatAreNoKeys) {
    auto const header = [](std::string const& dictionary) {
        std::string text("\x93NUMPY\x02\x00", 8);
        text += static_cast<char>(dictionary.size());
        return parse_npy_header(text + std::string(3, '\0') + dictionary, "a.npy");
    };
    auto const refused = [&](std::string const& dictionary) {
        auto const parsed = header(dictionary);
        return parsed ? "" : parsed.error().message();
    };
    EXPECT_EQ(header("{'descr': '<f4', 'fortran_order': False, 'shape': (7,)}").value(),
              (NpyHeader{KeyType::f32, 7}));
    expect_in(refused("{'descr': '<c8', 'fortran_order': False, 'shape': (7,)}"),
              {"'<c8' is not a key type"});
    expect_in(refused("{'descr': '|b1', 'fortran_order': False, 'shape': (7,)}"),
              {"'|b1' is not a key type", "bool", "astype('u1')"});
    expect_in(refused("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (7,)}"),
              {"date", "astype('i8')"});
    expect_in(refused("{'descr': [('k', '<i4'), ('v', [('x', '<f8')], (2,))], 'fortran_order': "
                      "False, 'shape': (2,)}"),
              {"holds records of fields k, v", "a['k']"});
    expect_in(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (7, 2)}"),
              {"2 dimensions", "(7, 2)", "a[:, 0]", "ravel"});
    expect_in(refused("{'descr': '<f4', 'fortran_order': False, 'shape': ()}"), {"0 dimensions"});
    expect_in(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1152921504606846976,)}"),
              {"too many keys"});
    expect_in(parse_npy_header(std::string("\x93NUMPY\x04\x00\x02\x00\x00\x00{}", 14), "a.npy")
                  .error()
                  .message(),
              {"version 4", "1 to 3"});
    expect_in(parse_npy_header(std::string("\x93NUMPY\x02\x00\x00\x00\x00\x01{}", 14), "a.npy")
                  .error()
                  .message(),
              {"claims 16777216 bytes"});
    EXPECT_FALSE(header("{'descr': [('k', '<i4'), 'fortran_order': False, 'shape': (7,)}"));
    expect_in(refused("{'descr': '<f4', 'shape': (7,)}"), {"cannot be understood"});
    std::string const whole = "{'descr': [('k', '<i4'), ('v', '<f8')], 'fortran_order': False, ";
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        expect_in(refused(whole.substr(0, size)), {"cannot be understood"});
    }
    expect_in(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-7,)}"),
              {"cannot be understood"});
}

TEST(KeyFile, ReadsNpyHeadersAsNumpyDoes) {
    auto const read = [](std::string const& dictionary) {
        std::string text("\x93NUMPY\x02\x00", 8);
        text += static_cast<char>(dictionary.size());
        return parse_npy_header(text + std::string(3, '\0') + dictionary, "a.npy");
    };
    auto const of_type = [&](std::string const& type) {
        return read("{'descr': '" + type + "', 'fortran_order': False, 'shape': (7,)}");
    };
    for (std::string const type : {"<u1", ">u1", "=u1", "|u1", "u1"}) {
        EXPECT_EQ(of_type(type).value(), (NpyHeader{KeyType::u32, 7, NarrowType::u8})) << type;
    }
    for (std::string const type : {"<u4", "=u4", "|u4", "u4"}) {
        EXPECT_EQ(of_type(type).value(), (NpyHeader{KeyType::u32, 7})) << type;
    }
    EXPECT_EQ(of_type(">f8").value(), (NpyHeader{KeyType::f64, 7, std::nullopt, true}));
    for (std::string const rest : {"'fortran_order': False, 'shape': (7L,)",
                                   "'fortran_order': True, 'shape': (7,)",
                                   "'fortran_order': False, 'shape': (7, 1)",
                                   "'fortran_order': True, 'shape': (1, 7)"}) {
        EXPECT_EQ(read("{'descr': '<i4', " + rest + "}").value(), (NpyHeader{KeyType::i32, 7}))
            << rest;
    }
    EXPECT_EQ(read("{'descr': '<i4', 'fortran_order': False, 'shape': (0, 1)}")->key_count, 0U);
    EXPECT_EQ(read("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1)}")->key_count, 1U);
}

TEST(KeyFile, ReadsNumbersWhoseMostSignificantByteComesFirst) {
    KeyFolder const folder;
    auto const keys = [&](NpyHeader const& header, std::string const& bytes) {
        return keys_of<std::uint32_t>(folder.put("a.npy", npy_header_text(header) + bytes), {});
    };
    EXPECT_EQ(
        keys({KeyType::u32, 2, std::nullopt, true}, std::string("\0\0\1\2\3\0\0\0", 8)).value(),
        (std::vector<std::uint32_t>{0x102, 0x3000000}));
    EXPECT_EQ(keys({KeyType::u32, 2, NarrowType::u16, true}, std::string("\1\2\0\3", 4)).value(),
              (std::vector<std::uint32_t>{0x102, 3}));
}

TEST(KeyFile, BlamesNoOptionForATypeThatComesFromElsewhere) {
    KeyFolder const folder;
    KeyFileOptions options{std::nullopt, KeyType::u32};
    options.type_of = "the keys of in.npy";
    std::string const array = npy_header_text({KeyType::i64, 1}) + std::string(8, '\0');
    std::string const message = refusal<std::uint64_t>(folder.put("a.npy", array), options);
    expect_in(message, {"holds i64 keys, and the keys of in.npy are u32"});
    EXPECT_EQ(message.find("--type"), std::string::npos) << message;
    expect_in(refusal<std::uint32_t>(folder.put("a.csv", "x y\n-5\n"), options),
              {"row 2", "u32 is the type of the keys of in.npy"});
    for (std::string const& text :
         {refusal<std::uint32_t>(folder.put("b.csv", "-5\n"), options),
          refusal<std::uint32_t>(folder.put("b.csv", "1.5\n"), options),
          refusal<std::uint32_t>(folder.put("b.raw", "12345"), options)}) {
        expect_in(text, {"the type of the keys of in.npy"});
        EXPECT_EQ(text.find("--type"), std::string::npos) << text;
    }
    options.are_indices = true;
    EXPECT_EQ(refusal<std::int64_t>(folder / "a.npy", options), "");
}

TEST(KeyFile, KeysOf128BitsAreWrittenAndReadBack) {
    expect_round_trip(KeyType::u128, extreme_keys<uint128>(), {"keys.raw", "keys.csv"});
    expect_round_trip(KeyType::i128, extreme_keys<int128>(), {"keys.raw", "keys.csv"});
    expect_round_trip(KeyType::b128, extreme_keys<uint128>());
    KeyFolder const folder;
    for (KeyType const type : {KeyType::u128, KeyType::i128}) {
        auto const refused = create_key_file(folder / "a.npy", std::nullopt, type);
        ASSERT_FALSE(refused);
        expect_in(refused.error().message(), {"a.npy", ".npy has no type", "raw or csv"});
    }
}

TEST(KeyFile, BytesOfAKeyStandInTheOrderInWhichTheyAreCompared) {
    KeyFolder const folder;
    std::string bytes(32, '\0');
    bytes[0] = 1;  // the first key's most significant byte
    bytes[31] = 2; // the second key's least significant one
    auto const keys = keys_of<uint128>(folder.put("a.raw", bytes), {std::nullopt, KeyType::b128});
    ASSERT_TRUE(keys) << keys.error().message();
    EXPECT_TRUE((*keys)[0] == uint128{1} << 120);
    EXPECT_TRUE((*keys)[1] == 2);
    auto writer = create_key_file(folder / "b.raw", std::nullopt, KeyType::b128);
    ASSERT_TRUE((*writer)->write(std::as_bytes(std::span(*keys))));
    ASSERT_TRUE((*writer)->finish());
    EXPECT_EQ(folder.text("b.raw"), bytes);
}

TEST(KeyFile, ReadsUuidsAddressesAndHexadecimalDigitsAsBytes) {
    KeyFolder const folder;
    KeyFileOptions const options{std::nullopt, KeyType::b128};
    auto const keys = keys_of<uint128>(folder.put("a.csv",
                                                  "id\n00000000000000000000000000000001\n"
                                                  "FFffffff-0000-0000-0000-00000000000a\n"
                                                  " ::1 \n2001:db8::8:800:200c:417a\n"),
                                       options);
    ASSERT_TRUE(keys) << keys.error().message();
    auto const at = [&](std::size_t i) { return key_image((*keys)[i]); };
    EXPECT_EQ(at(0), (KeyImage{0, 1}));
    EXPECT_EQ(at(1), (KeyImage{0xffffffff00000000, 0xa}));
    EXPECT_EQ(at(2), (KeyImage{0, 1}));
    EXPECT_EQ(at(3), (KeyImage{0x20010db800000000, 0x00080800200c417a}));
    for (std::string const row : {"0000000000000000000000000000001",
                                  "0x000000000000000000000000000001",
                                  "00000000000000000000000000000000f",
                                  "00000000-0000-0000-00000000-0000000a",
                                  "1:2:3",
                                  "-1"}) {
        expect_in(refusal<uint128>(folder.put("b.csv", "::1\n" + row + "\n"), options),
                  {"b.csv, row 2", "is not a valid b128 key", "a UUID or an IPv6 address"});
    }
}

TEST(KeyFile, RefusesNumbersBeyond128Bits) {
    KeyFolder const folder;
    auto const refused = [&](std::string const& row, KeyType type) {
        return refusal<uint128>(folder.put("a.csv", row + "\n"), {std::nullopt, type});
    };
    expect_in(refused("340282366920938463463374607431768211456", KeyType::u128),
              {"row 1", "out of the range of u128", "340282366920938463463374607431768211455"});
    expect_in(refused("-1", KeyType::u128), {"row 1", "out of the range"});
    expect_in(refused("170141183460469231731687303715884105728", KeyType::i128),
              {"row 1", "out of the range", "-170141183460469231731687303715884105728"});
    expect_in(refused("9999999999999999999999999999999999999999", KeyType::i128),
              {"row 1", "out of the range"});
    expect_in(refused("5x", KeyType::i128), {"row 1", "not a valid i128 key"});
    EXPECT_EQ(refused("-170141183460469231731687303715884105728", KeyType::i128), "");
}

TEST(KeyFile, LeavesNothingBehindUnlessItFinishes) {
    KeyFolder const folder;
    auto const keys = extreme_keys<std::uint64_t>();
    for (std::string const name : {"a.raw", "a.npy", "a.csv"}) {
        auto writer = create_key_file(folder / name, std::nullopt, KeyType::u64);
        ASSERT_TRUE(writer);
        ASSERT_TRUE((*writer)->write(std::as_bytes(std::span(keys))));
    }
    EXPECT_EQ(folder.files(), std::vector<std::string>{});
    auto const refused = create_key_file(folder / "no folder/a", std::nullopt, KeyType::u64);
    ASSERT_FALSE(refused);
    expect_in(refused.error().message(), {"no folder/a", "cannot be written"});
}

TEST(KeyFile, AsksForTheTypeWhereTheFileDoesNotSayIt) {
    KeyFolder const folder;
    expect_in(refusal<std::uint32_t>(folder.put("a.raw", "abcd"), {}), {"a.raw", "--type"});
    expect_in(refusal<std::uint32_t>(folder / "none.raw", {std::nullopt, KeyType::u32}),
              {"none.raw", "No such file"});
}

} // namespace
} // namespace keyswap::model
