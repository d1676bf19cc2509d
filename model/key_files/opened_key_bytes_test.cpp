#include "model/key_files/opened_key_bytes.hpp"

#include "model/key_files/stored_keys.hpp"
#include "model/testing/temporary_keys.hpp"
#include "traces/format/byte_sink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::expect_in;
using testing::KeyFolder;
using namespace std::string_literals;

class OpenedKeyBytesTest : public ::testing::Test {
  protected:
    OpenedKeyBytesTest() : keys_(5'000) { std::iota(keys_.rbegin(), keys_.rend(), 0xfffff000U); }

    /// Writes bytes, compressed according to the name.
    std::filesystem::path put(std::string const& name, std::string const& bytes) const {
        auto file = create_bytes(folder_ / name);
        EXPECT_TRUE((*file)->write(bytes));
        EXPECT_TRUE((*file)->finish());
        return folder_ / name;
    }
    [[nodiscard]] std::string raw() const {
        return {reinterpret_cast<char const*>(keys_.data()), keys_.size() * sizeof(keys_[0])};
    }
    [[nodiscard]] std::string npy() const {
        return npy_header_text({KeyType::u32, keys_.size()}) + raw();
    }
    [[nodiscard]] std::string csv() const {
        std::string text = "key\n";
        for (std::uint32_t const key : keys_) {
            text += std::to_string(key) + "\n";
        }
        return text;
    }
    /// True if a file holds the keys, read both sequentially and at an offset.
    void expect_keys(std::filesystem::path const& path,
                     std::optional<KeyFileFormat> format = std::nullopt) const {
        auto const stored = StoredKeys::open(path, {format, KeyType::u32});
        ASSERT_TRUE(stored) << stored.error().message();
        ASSERT_EQ(stored->key_count(), keys_.size()) << path;
        std::vector<std::uint32_t> read(keys_.size() - 7);
        ASSERT_TRUE(stored->read(7, std::as_writable_bytes(std::span(read))));
        EXPECT_TRUE(std::ranges::equal(read, std::span(keys_).subspan(7))) << path;
        auto reader = open_key_file(path, {format, KeyType::u32});
        read.resize(keys_.size());
        ASSERT_EQ((*reader)->read(std::as_writable_bytes(std::span(read))), keys_.size());
        EXPECT_EQ(read, keys_) << path;
    }
    static std::string refusal(std::filesystem::path const& path,
                               std::optional<KeyFileFormat> format = std::nullopt) {
        auto const stored = StoredKeys::open(path, {format, KeyType::u32});
        return stored ? "none" : stored.error().message();
    }

    KeyFolder folder_;
    std::vector<std::uint32_t> keys_;
};

TEST_F(OpenedKeyBytesTest, CompressedFilesHoldTheSameKeys) {
    for (std::string const ending : {"", ".gz", ".zst"}) {
        expect_keys(put("keys.raw" + ending, raw()));
        expect_keys(put("keys.npy" + ending, npy()));
        expect_keys(put("keys.csv" + ending, csv()));
        expect_keys(put("keys" + ending, raw()));
        expect_keys(put("any.bin" + ending, raw()), KeyFileFormat::raw);
    }
}

TEST_F(OpenedKeyBytesTest, RefusesWhatIsCompressedTwiceOrNamedAsOtherFilesAre) {
    auto const once = put("once.raw.gz", raw());
    std::filesystem::rename(once, folder_ / "plain");
    std::string const compressed = ::keyswap::testing::text_of(folder_ / "plain");
    expect_in(refusal(put("twice.raw.gz", compressed)), {"is compressed twice", "--format raw"});
    expect_in(refusal(put("keys.parquet", raw())),
              {"has the extension of parquet files", "--format"});
    expect_keys(put("keys.parquet", raw()), KeyFileFormat::raw);
    expect_keys(put("keys.json", npy()));
}

TEST_F(OpenedKeyBytesTest, TheFirstBytesSayMoreThanTheName) {
    for (std::string const ending : {".gz", ".zst"}) {
        auto const compressed = put("keys.raw" + ending, raw());
        std::filesystem::rename(compressed, folder_ / "renamed");
        expect_keys(folder_ / "renamed");
    }
    expect_keys(put("array", npy()));
    expect_keys(put("array.gz", npy()));
}

TEST_F(OpenedKeyBytesTest, RawFilesAreRawWhereTheUserSaysSo) {
    for (std::string const& beginning : {"\x1f\x8b\x08\0"s, "\x28\xb5\x2f\xfd"s, "PAR1"s}) {
        keys_[0] = 0;
        std::memcpy(keys_.data(), beginning.data(), beginning.size());
        auto const path = put("begins-like-another", raw());
        EXPECT_NE(refusal(path), "none");
        expect_keys(path, KeyFileFormat::raw);
    }
}

TEST_F(OpenedKeyBytesTest, FilesOfOtherProgramsAreRefusedByName) {
    std::vector<std::pair<std::string, std::string>> const files{{"PAR1"s, "Parquet"},
                                                                 {"ARROW1\0\0"s, "Arrow"},
                                                                 {"\x89HDF\r\n\x1a\n"s, "HDF5"},
                                                                 {"CDF\x01"s, "NetCDF"},
                                                                 {"ORC"s, "ORC"},
                                                                 {"Obj\x01"s, "Avro"},
                                                                 {"SQLite format 3\0"s, "SQLite"},
                                                                 {"MATLAB 5.0 MAT-file"s, "MATLAB"},
                                                                 {"PK\x03\x04"s, ".npz"},
                                                                 {"BZh91AY&SY"s, "bzip2"},
                                                                 {"\xfd"
                                                                  "7zXZ\0"s,
                                                                  "xz"}};
    for (auto const& [mark, name] : files) {
        std::string bytes = mark;
        bytes.resize(400, 'x');
        for (std::string const file : {"keys", "keys.raw", "keys.csv", "keys.gz"}) {
            expect_in(refusal(put(file, bytes)),
                      {file, "is in an unsupported format: ", name, "--format raw"});
        }
    }
    EXPECT_EQ(refusal(put("keys", "BZh9\0aaaaaaaaaaa"s)), "none"); // not bzip2's second part
}

TEST_F(OpenedKeyBytesTest, CompressedFilesThatAreDamagedAreRefused) {
    for (std::string const name : {"keys.raw.gz", "keys.raw.zst", "keys.npy.gz", "keys.csv.zst"}) {
        bool const array = name.find("npy") != std::string::npos;
        bool const text = name.find("csv") != std::string::npos;
        auto const path = put(name, array ? npy() : text ? csv() : raw());
        std::string const whole = folder_.text(name);
        for (std::size_t const size : {whole.size() - 1, whole.size() / 2, std::size_t{1}}) {
            folder_.put(name, whole.substr(0, size));
            EXPECT_NE(refusal(path), "none") << name << ", " << size << " bytes";
        }
        folder_.put(name, raw());
        expect_in(refusal(path), {name, "is not compressed in that format", "rename it to keys."});
    }
    expect_in(refusal(put("short.npy.gz", npy().substr(0, 400))), {"5000 keys", "header"});
    expect_in(refusal(put("long.npy.gz", npy() + "1234")), {"5000 keys", "header"});
    expect_in(refusal(put("odd.raw.gz", raw() + "1")), {"20001 bytes", "multiple of the 4"});
}

TEST_F(OpenedKeyBytesTest, TextIsNotTakenForRawKeys) {
    for (std::string const name : {"keys", "keys.dat", "keys.raw", "keys.U32", "keys.bin.gz"}) {
        auto const path = put(name, "5\n3\n9\n1\n7\n2\n8\n4\n");
        expect_in(refusal(path), {name, "holds text", "--format csv", "--format raw"});
        auto const text = StoredKeys::open(path, {KeyFileFormat::csv, KeyType::u32});
        EXPECT_EQ(text.value().key_count(), 8U) << name;
        EXPECT_EQ(refusal(path, KeyFileFormat::raw), "none");
    }
    EXPECT_NE(refusal(put("names", "abcdefghijklmnop")), "none");
    EXPECT_EQ(refusal(put("names.raw", "abcdefghijklmnop")), "none"); // could be 16-byte keys
    EXPECT_EQ(refusal(put("keys", "")), "none");
    for (std::string const name : {"keys", "keys.csv"}) {
        expect_in(refusal(put(name,
                              "\xff\xfe"
                              "5\0\n\0"s)),
                  {"UTF-16", "iconv"});
    }
}

TEST_F(OpenedKeyBytesTest, EndingsAreReadInLettersOfEitherCase) {
    std::filesystem::rename(put("keys.csv.gz", csv()), folder_ / "keys.CSV.GZ");
    expect_keys(folder_ / "keys.CSV.GZ");
    std::filesystem::rename(put("keys.npy.zst", npy()), folder_ / "keys.npy.Zstd");
    expect_keys(folder_ / "keys.npy.Zstd");
    std::filesystem::rename(put("keys.tsv.gz", csv()), folder_ / "keys.tsv.gzip");
    expect_keys(folder_ / "keys.tsv.gzip");
    std::filesystem::rename(put("other.csv.gz", csv()), folder_ / "other.csv.zst");
    expect_in(refusal(folder_ / "other.csv.zst"), {"compressed by gzip", "other.csv.gz"});
}

TEST_F(OpenedKeyBytesTest, SkippableFramesMayComeFirst) {
    std::string const frame = "\x50\x2a\x4d\x18\x04\0\0\0abcd"s;
    put("keys.csv.zst", csv());
    std::string const compressed = folder_.text("keys.csv.zst");
    for (std::string const name : {"a.csv.zst", "a.csv"}) {
        expect_keys(folder_.put(name, frame + compressed));
        expect_keys(folder_.put(name, frame + frame + compressed + frame));
    }
    expect_keys(folder_.put("big.csv.zst",
                            "\x5f\x2a\x4d\x18\0\x20\0\0"s + std::string(0x2000, 'x') + compressed));
    keys_[0] = 0x184d2a50; // a raw key that looks like a zstd skippable frame
    expect_keys(put("keys.raw", raw()));
}

TEST_F(OpenedKeyBytesTest, NothingIsWrittenUnderANameThatPromisesCompression) {
    for (std::string const name : {"out.raw.gz", "out.npy.zst"}) {
        auto const file = create_key_file(folder_ / name, std::nullopt, KeyType::u32);
        ASSERT_FALSE(file);
        expect_in(file.error().message(), {name, "would not be compressed", "name it out."});
    }
}

TEST_F(OpenedKeyBytesTest, ColumnsAreOfCsvOnly) {
    KeyFileOptions options{std::nullopt, KeyType::u32};
    options.column = "key";
    EXPECT_TRUE(StoredKeys::open(put("keys.csv.gz", csv()), options));
    auto const refused = StoredKeys::open(put("keys.raw", raw()), options);
    ASSERT_FALSE(refused);
    expect_in(refused.error().message(), {"keys.raw", "raw, which has no columns", "--column"});
}

} // namespace
} // namespace keyswap::model
