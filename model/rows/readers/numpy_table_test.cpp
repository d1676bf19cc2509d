#include "model/rows/readers/numpy_table.hpp"

#include "model/rows/readers/zip_archive.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {
namespace {

using namespace std::string_literals;

std::string little_endian(std::uint64_t value, std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        text += static_cast<char>(value >> 8 * i);
    }
    return text;
}

/// \param descriptor "'<i4'" or a list of fields
std::string npy(std::string const& descriptor,
                std::string const& shape,
                std::string const& data,
                bool fortran = false,
                char version = 1) {
    std::string const dictionary = "{'descr': " + descriptor +
                                   ", 'fortran_order': " + (fortran ? "True" : "False") +
                                   ", 'shape': " + shape + ", }\n";
    return "\x93NUMPY"s + version + '\0' + little_endian(dictionary.size(), version == 1 ? 2 : 4) +
           dictionary + data;
}

template <class T>
std::string numbers(std::vector<T> const& values) {
    return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

Expected<TableFile> parse(std::string text) {
    return parse_npy_table(std::make_shared<std::string const>(std::move(text)), "a.npy");
}

/// Formats each column as "name type: cell cell ...".
std::vector<std::string> shown(RowTable const& table) {
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
        columns.push_back(table.columns()[i].name + " " + to_string(table.columns()[i].type) + ":");
        for (std::uint64_t row = 0; row < table.row_count(); ++row) {
            columns.back() += " " + table.shown(row, i);
        }
    }
    return columns;
}

std::vector<std::string> shown(std::string text) {
    auto const read = parse(std::move(text));
    return read ? shown(read->table) : std::vector{read.error().message()};
}

void expect_refusal(std::string text, std::vector<std::string> const& words) {
    auto const read = parse(std::move(text));
    ASSERT_FALSE(read) << words.front();
    for (std::string const& word : words) {
        EXPECT_NE(read.error().message().find(word), std::string::npos) << read.error().message();
    }
    EXPECT_FALSE(read.error().remedy.empty());
}

/// A zip archive in the format of numpy.savez.
class Zip {
  public:
    /// \param stored bytes of the member as stored in the archive
    Zip& add(std::string const& name,
             std::string const& content,
             std::string const& stored,
             unsigned method) {
        std::string const crc = little_endian(crc32(0,
                                                    reinterpret_cast<Bytef const*>(content.data()),
                                                    static_cast<uInt>(content.size())),
                                              4);
        std::string const sizes =
            little_endian(stored.size(), 4) + little_endian(content.size(), 4);
        std::string const common = "\x14\0\0\0"s + little_endian(method, 2) + "\0\0\0\0"s + crc;
        std::string const wide =
            "\x01\0\x10\0"s + little_endian(content.size(), 8) + little_endian(stored.size(), 8);
        directory_ += "PK\x01\x02\x14\0"s + common + sizes + little_endian(name.size(), 2) +
                      std::string(12, '\0') + little_endian(archive_.size(), 4) + name;
        archive_ += "PK\x03\x04"s + common + std::string(8, '\xff') +
                    little_endian(name.size(), 2) + little_endian(wide.size(), 2) + name + wide +
                    stored;
        ++count_;
        return *this;
    }
    Zip& store(std::string const& name, std::string const& content) {
        return add(name, content, content, 0);
    }
    Zip& deflate(std::string const& name, std::string const& content) {
        uLongf size = compressBound(content.size());
        std::string packed(size, '\0');
        compress(reinterpret_cast<Bytef*>(packed.data()),
                 &size,
                 reinterpret_cast<Bytef const*>(content.data()),
                 content.size());
        // Raw deflate, without zlib's header and checksum.
        return add(name, content, packed.substr(2, size - 6), 8);
    }
    [[nodiscard]] std::string text() const {
        return archive_ + directory_ + "PK\x05\x06\0\0\0\0"s + little_endian(count_, 2) +
               little_endian(count_, 2) + little_endian(directory_.size(), 4) +
               little_endian(archive_.size(), 4) + "\0\0"s;
    }
    /// Like the archive above, with a ZIP64 directory.
    [[nodiscard]] std::string wide_text() const {
        std::string const end = "PK\x06\x06"s + little_endian(44, 8) + std::string(12, '\0') +
                                little_endian(count_, 8) + little_endian(count_, 8) +
                                little_endian(directory_.size(), 8) +
                                little_endian(archive_.size(), 8);
        return archive_ + directory_ + end + "PK\x06\x07\0\0\0\0"s +
               little_endian(archive_.size() + directory_.size(), 8) + "\1\0\0\0"s +
               "PK\x05\x06\0\0\0\0"s + std::string(12, '\xff') + "\0\0"s;
    }

  private:
    std::string archive_;
    std::string directory_;
    std::uint64_t count_ = 0;
};

std::vector<std::string> shown_archive(std::string text) {
    auto const read =
        parse_npz_table(std::make_shared<std::string const>(std::move(text)), "a.npz");
    return read ? shown(read->table) : std::vector{read.error().message()};
}

TEST(NumpyTable, ReadsFieldsWhereTheyLie) {
    std::string const record = "\1\0\0\0"s + "\2"s + "pad"s + numbers<double>({1.5}) + "ab\0\0"s;
    std::string const text =
        npy("[('a', '<i4'), (('title', 'b'), '|u1'), ('', '|V3'), ('c', '<f8'), ('d', '|S4')]",
            "(2,)",
            record + "\xff\xff\xff\xff"s + record.substr(4));
    EXPECT_EQ(shown(text),
              (std::vector<std::string>{
                  "a int32: 1 -1", "b uint8: 2 2", "c float64: 1.5 1.5", "d string: 'ab' 'ab'"}));
    auto const shared = std::make_shared<std::string const>(text);
    auto const read = parse_npy_table(shared, "a.npy");
    EXPECT_EQ(read->record_bytes, record.size());
    EXPECT_EQ(reinterpret_cast<char const*>(read->table.batches().front().columns.front().cells),
              read->records.data());
    EXPECT_EQ(read->records.data() + read->records.size(), shared->data() + shared->size());
}

TEST(NumpyTable, ReadsPlainArraysOfOneAndTwoDimensions) {
    EXPECT_EQ(shown(npy("'<u2'", "(3,)", numbers<std::uint16_t>({7, 8, 9}))),
              std::vector<std::string>{"1 uint16: 7 8 9"});
    std::string const six = numbers<std::int64_t>({1, 2, 3, 4, 5, 6});
    EXPECT_EQ(shown(npy("'<i8'", "(3, 2)", six)),
              (std::vector<std::string>{"1 int64: 1 3 5", "2 int64: 2 4 6"}));
    EXPECT_EQ(shown(npy("'<i8'", "(3, 2)", six, true)),
              (std::vector<std::string>{"1 int64: 1 2 3", "2 int64: 4 5 6"}));
    EXPECT_EQ(parse(npy("'<i8'", "(3, 2)", six, true))->record_bytes, 0U);
    EXPECT_EQ(shown(npy("'<i8'", "(0, 2)", "")),
              (std::vector<std::string>{"1 int64:", "2 int64:"}));
}

TEST(NumpyTable, ReadsBigEndianNumbersBooleansAndHalves) {
    EXPECT_EQ(
        shown(npy("[('a', '>i2'), ('b', '>f4'), ('c', '|b1'), ('d', '<f2')]",
                  "(2,)",
                  "\xff\xfe\x3f\xc0\0\0\1\0\x3e"s + "\0\3\xbf\x80\0\0\0\0\xc0"s)),
        (std::vector<std::string>{
            "a int16: -2 3", "b float32: 1.5 -1", "c bool: true false", "d float16: 1.5 -2"}));
}

TEST(NumpyTable, ReadsTextOfBytesAndOfCodePoints) {
    std::string const euro = "\xac\x20\0\0"s + "\0\xf6\1\0"s + "\0\0\0\0"s;
    EXPECT_EQ(shown(npy("'<U3'", "(2,)", euro + std::string(12, '\0'))),
              std::vector<std::string>{"1 string: '\u20ac\U0001f600' ''"});
    EXPECT_EQ(shown(npy("'>U1'", "(2,)", "\0\0\0a\0\0\0\xe4"s)),
              std::vector<std::string>{"1 string: 'a' '\u00e4'"});
    EXPECT_EQ(shown(npy("'|S2'", "(2,)", "a\0\xff\xfe"s)).front().substr(0, 9), "1 binary:");
    expect_refusal(npy("'<U1'", "(2,)", "a\0\0\0\0\xd8\0\0"s),
                   {"a.npy", "'1'", "row 1", "Unicode"});
    expect_refusal(npy("'<U1'", "(1,)", "\0\0\x11\0"s), {"row 0", "Unicode"});
}

TEST(NumpyTable, ReadsTimesOfEveryUnit) {
    constexpr std::int64_t nat = INT64_MIN;
    auto const times = [](std::string const& unit, std::vector<std::int64_t> const& values) {
        return shown(npy("'<M8[" + unit + "]'",
                         "(" + std::to_string(values.size()) + ",)",
                         numbers(values)))
            .front();
    };
    EXPECT_EQ(times("D", {0, -1, 19'782}), "1 date: 1970-01-01 1969-12-31 2024-02-29");
    EXPECT_EQ(times("D", {nat, 1}), "1 date: NULL 1970-01-02");
    EXPECT_EQ(times("W", {1}), "1 date: 1970-01-08");
    EXPECT_EQ(times("M", {-1, 13}), "1 date: 1969-12-01 1971-02-01");
    EXPECT_EQ(times("Y", {54, -1, nat}), "1 date: 2024-01-01 1969-01-01 NULL");
    EXPECT_EQ(times("h", {25}), "1 timestamp[s]: 1970-01-02 01:00:00");
    EXPECT_EQ(times("25s", {2, nat}), "1 timestamp[s]: 1970-01-01 00:00:50 NULL");
    EXPECT_EQ(times("us", {1, nat}), "1 timestamp[us]: 1970-01-01 00:00:00.000001 NULL");
    EXPECT_EQ(times("ns", {1}), "1 timestamp[ns]: 1970-01-01 00:00:00.000000001");
    for (std::string const unit : {"D", "W", "M", "Y", "h", "m"}) {
        EXPECT_NE(times(unit, {0, INT64_MAX}).find("row 1, too far from 1970"), std::string::npos)
            << unit;
    }
    EXPECT_EQ(shown(npy("'>M8[s]'", "(1,)", "\0\0\0\0\0\0\0\1"s)).front(),
              "1 timestamp[s]: 1970-01-01 00:00:01");
}

TEST(NumpyTable, ReadsNamesOfFieldsAsPythonWritesThem) {
    EXPECT_EQ(shown(npy(R"([("it's", '|u1'), ('\'"', '|u1'), ('\\', '|u1')])"
                        "",
                        "(1,)",
                        "\1\2\3")),
              (std::vector<std::string>{"it's uint8: 1", "'\" uint8: 2", "\\ uint8: 3"}));
    EXPECT_EQ(shown(npy("[('\xe4', '|u1')]", "(1,)", "\1")).front(), "\u00e4 uint8: 1");
    EXPECT_EQ(shown(npy("[('\u20ac', '|u1')]", "(1,)", "\1", false, 3)).front(), "\u20ac uint8: 1");
    expect_refusal(npy("[('\xe4', '|u1')]", "(1,)", "\1", false, 3), {"UTF-8"});
}

TEST(NumpyTable, RefusesWhatNoColumnHolds) {
    expect_refusal(npy("[('a', [('x', '<i4')])]", "(1,)", "\0\0\0\0"s),
                   {"a.npy, field 'a'", "a nested record"});
    expect_refusal(npy("[('a', '<i4', (3,))]", "(1,)", std::string(12, '\0')),
                   {"field 'a'", "several elements"});
    expect_refusal(npy("[('a', '|O')]", "(1,)", ""), {"field 'a'", "Python objects"});
    expect_refusal(npy("'<c8'", "(1,)", ""), {"complex", "a.real"});
    expect_refusal(npy("'<f16'", "(1,)", ""), {"'<f16'", "astype('f8')"});
    expect_refusal(npy("'<m8[s]'", "(1,)", ""), {"durations"});
    expect_refusal(npy("'<M8[ps]'", "(1,)", ""), {"astype('M8[ns]')"});
    expect_refusal(npy("'<M8'", "(1,)", ""), {"'<M8'"});
    expect_refusal(npy("'<i3'", "(1,)", ""), {"'<i3'"});
    expect_refusal(npy("''", "(1,)", ""), {"''"});
    expect_refusal(npy("[]", "(1,)", ""), {"a.npy"});
    expect_refusal(npy("'|S0'", "(9223372036854775807,)", ""), {"0 bytes"});
    expect_refusal(npy("'<i4'", "()", "\0\0\0\0"s), {"()", "ravel"});
    expect_refusal(npy("'<i4'", "(1, 1, 1)", "\0\0\0\0"s), {"(1, 1, 1)", "reshape"});
    expect_refusal(npy("'<i4'", "(1, 0)", ""), {"0 columns"});
    expect_refusal(npy("[('a', '<i4')]", "(1, 1)", "\0\0\0\0"s), {"one dimension"});
    expect_refusal(npy("'<i4'", "(2,)", "\0\0\0\0"s), {"cut off", "2 rows of 4 bytes"});
    expect_refusal(npy("'<i4'", "(1,)", "\0\0\0\0\0"s), {"too long"});
    expect_refusal(npy("'<i8'", "(4611686018427387904, 4)", ""), {"cut off"});
    expect_refusal(npy("'<i8'", "(18446744073709551615, 1000000)", ""), {"cut off"});
    expect_refusal("", {"not a .npy file"});
}

TEST(NumpyTable, ReadsArraysOfAnArchiveAsColumns) {
    std::string const a = npy("'<i4'", "(2,)", numbers<std::int32_t>({5, -6}));
    std::string const b = npy("'|S1'", "(2,)", "xy");
    for (bool const wide : {false, true}) {
        Zip archive;
        archive.store("a.npy", a).deflate("b c.npy", b);
        EXPECT_EQ(shown_archive(wide ? archive.wide_text() : archive.text()),
                  (std::vector<std::string>{"a int32: 5 -6", "b c string: 'x' 'y'"}));
    }
    std::string const matrix = npy("'|u1'", "(1, 2)", "\1\2");
    EXPECT_EQ(shown_archive(Zip().deflate("m.npy", matrix).text()),
              (std::vector<std::string>{"1 uint8: 1", "2 uint8: 2"}));
    EXPECT_EQ(shown_archive(Zip().store("a.npy", a).text()),
              std::vector<std::string>{"a int32: 5 -6"});
}

TEST(NumpyTable, RefusesArchivesThatAreNoTable) {
    std::string const a = npy("'|u1'", "(2,)", "\1\2");
    auto const expect = [](Zip const& zip, std::vector<std::string> const& words) {
        std::string const message = shown_archive(zip.text()).front();
        for (std::string const& word : words) {
            EXPECT_NE(message.find(word), std::string::npos) << message;
        }
    };
    expect(Zip(), {"a.npz", "holds no arrays"});
    expect(Zip().store("a.npy", a).store("b.npy", npy("'|u1'", "(3,)", "abc")),
           {"two lengths", "'a' of 2", "'b' of 3"});
    expect(Zip().store("a.npy", a).store("b.npy", npy("'|u1'", "(2, 2)", "abcd")),
           {"array 'b'", "2 columns"});
    expect(Zip().store("x/sheet.xml", "<x/>"), {"'x/sheet.xml'", "not a NumPy array"});
    expect(Zip().add("a.npy", a, a, 12), {"'a.npy'", "method 12"});
    expect(Zip().add("a.npy", a, a + "x", 0), {"'a.npy'", "two sizes"});
    expect(Zip().add("a.npy", a, "\xff\xff", 8), {"'a.npy'", "cannot be unpacked"});
    expect(Zip().add("a.npy", std::string(10'000, 'x'), "ab", 8), {"more bytes than"});
    // Every flipped bit of an archive is detected or harmless.
    std::string const whole = Zip().deflate("a.npy", a).store("b.npy", a).text();
    auto const right = shown_archive(whole);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string changed = whole;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
        auto const read = shown_archive(changed);
        for (std::string const& column : read) {
            EXPECT_TRUE(column.find("a.npz") != std::string::npos || column.ends_with(": 1 2"))
                << bit << ": " << column;
        }
    }
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_NE(shown_archive(whole.substr(0, size)).front().find("a.npz"), std::string::npos);
    }
}

} // namespace
} // namespace keyswap::model
