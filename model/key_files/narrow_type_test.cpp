#include "model/key_files/narrow_type.hpp"

#include "model/check/output_check.hpp"
#include "model/key_files/key_file.hpp"
#include "model/key_files/stored_keys.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace keyswap::model {
namespace {

using testing::KeyFolder;

/// All bit patterns of a type, in file order.
std::vector<std::byte> all_patterns(NarrowType type) {
    std::size_t const size = narrow_size_bytes(type);
    std::vector<std::byte> bytes;
    for (std::uint32_t bits = 0; bits < 1U << (8 * size); ++bits) {
        for (std::size_t i = 0; i < size; ++i) {
            bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
        }
    }
    return bytes;
}

std::string text_of(std::vector<std::byte> const& bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

template <class T>
std::vector<T> widened_patterns(NarrowType type) {
    auto const bytes = all_patterns(type);
    std::vector<T> wide(bytes.size() / narrow_size_bytes(type));
    widen(type, bytes, std::as_writable_bytes(std::span(wide)));
    return wide;
}

KeyFileOptions options_of(NarrowType type, KeyFileFormat format = KeyFileFormat::raw) {
    return {format, widened_type(type), std::nullopt, type};
}

TEST(NarrowType, IsNamedAsItIsParsed) {
    for (NarrowTraits const& traits : narrow_traits) {
        NarrowType const type = traits.type;
        EXPECT_EQ(narrow_type_of(to_string(type)), type);
    }
    EXPECT_EQ(narrow_type_of("u32"), std::nullopt);
    EXPECT_EQ(narrow_type_of(""), std::nullopt);
}

TEST(NarrowType, WholeNumbersKeepTheirValues) {
    auto const u8 = widened_patterns<std::uint32_t>(NarrowType::u8);
    auto const i8 = widened_patterns<std::int32_t>(NarrowType::i8);
    auto const u16 = widened_patterns<std::uint32_t>(NarrowType::u16);
    auto const i16 = widened_patterns<std::int32_t>(NarrowType::i16);
    for (std::uint32_t bits = 0; bits < 1U << 16; ++bits) {
        if (bits < 1U << 8) {
            EXPECT_EQ(u8[bits], bits);
            EXPECT_EQ(i8[bits], static_cast<std::int32_t>(bits) - (bits < 128 ? 0 : 256));
        }
        EXPECT_EQ(u16[bits], bits);
        EXPECT_EQ(i16[bits], static_cast<std::int32_t>(bits) - (bits < 32768 ? 0 : 65536));
    }
}

TEST(NarrowType, FloatsOf16BitsHaveTheValueThatTheirStandardGives) {
    auto const f16 = widened_patterns<float>(NarrowType::f16);
    auto const bf16 = widened_patterns<float>(NarrowType::bf16);
    for (std::uint32_t bits = 0; bits < 1U << 15; ++bits) { // positive values
        // IEEE 754: 0.fraction * 2^-14, then 1.fraction * 2^(exponent - 15)
        auto const exponent = static_cast<int>(bits >> 10);
        auto const fraction = static_cast<float>(bits & 1023U) / 1024;
        if (exponent < 31) {
            float const value =
                exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
            EXPECT_EQ(f16[bits], value) << bits;
            EXPECT_EQ(f16[bits | 1U << 15], -value) << bits;
            EXPECT_TRUE(std::signbit(f16[bits | 1U << 15])) << bits;
        } else {
            EXPECT_EQ(std::isnan(f16[bits]), bits != 31U << 10) << bits;
        }
        EXPECT_EQ(std::bit_cast<std::uint32_t>(bf16[bits]), bits << 16);
    }
    EXPECT_EQ(f16[31U << 10], std::numeric_limits<float>::infinity());
}

TEST(NarrowType, OrderOfPositiveFloatsIsThatOfTheirBits) {
    auto const f16 = widened_patterns<std::uint32_t>(NarrowType::f16);
    for (std::uint32_t bits = 1; bits < 1U << 15; ++bits) { // injective, NaNs included
        EXPECT_LT(f16[bits - 1], f16[bits]) << bits;
        EXPECT_EQ(f16[bits | 1U << 15], f16[bits] | 1U << 31) << bits;
    }
}

TEST(NarrowType, FilesAreReadAsWiderKeysInBlocksOfEverySize) {
    KeyFolder const folder;
    for (NarrowTraits const& traits : narrow_traits) {
        NarrowType const type = traits.type;
        auto const bytes = all_patterns(type);
        auto const path = folder.put("keys", text_of(bytes));
        auto const wide = widened_patterns<std::uint32_t>(type);
        for (std::size_t const block_bytes : {4, 5, 12, 1000, 1 << 20}) {
            auto const reader = open_key_file(path, options_of(type));
            ASSERT_TRUE(reader) << reader.error().message();
            EXPECT_EQ((*reader)->key_type(), widened_type(type));
            EXPECT_EQ((*reader)->narrow_type(), type);
            EXPECT_EQ((*reader)->key_count(), wide.size());
            std::vector<std::byte> block(block_bytes);
            std::vector<std::uint32_t> read;
            while (true) {
                auto const count = (*reader)->read(block);
                ASSERT_TRUE(count) << count.error().message();
                if (*count == 0) {
                    break;
                }
                read.resize(read.size() + *count);
                std::copy_n(block.data(),
                            *count * 4,
                            std::as_writable_bytes(std::span(read)).last(*count * 4).begin());
            }
            EXPECT_EQ(read, wide) << to_string(type) << ' ' << block_bytes;
        }
        auto const stored = StoredKeys::open(path, options_of(type));
        ASSERT_TRUE(stored) << stored.error().message();
        EXPECT_EQ(stored->narrow_type(), type);
        std::vector<std::uint32_t> last(2);
        ASSERT_TRUE(stored->read(wide.size() - 2, std::as_writable_bytes(std::span(last))));
        EXPECT_EQ(last, std::vector(wide.end() - 2, wide.end()));
    }
}

TEST(NarrowType, BytesThatAreNoWholeKeysAreRefused) {
    KeyFolder const folder;
    auto const path = folder.put("keys.raw", std::string("abc"));
    auto const keys = StoredKeys::open(path, options_of(NarrowType::bf16));
    ASSERT_FALSE(keys);
    EXPECT_NE(keys.error().message().find(
                  "has 3 bytes, which is not a multiple of the 2 bytes of a bf16 key"),
              std::string::npos)
        << keys.error().message();
}

TEST(NarrowType, CsvHoldsWholeNumbersOfItAndNoRoundedOnes) {
    KeyFolder const folder;
    auto const path = folder.put("keys.csv", std::string("3\n-4\n"));
    auto const keys = StoredKeys::open(path, options_of(NarrowType::i8, KeyFileFormat::csv));
    ASSERT_TRUE(keys) << keys.error().message();
    EXPECT_EQ(keys->key_count(), 2U);
    EXPECT_EQ(keys->narrow_type(), NarrowType::i8);
    EXPECT_FALSE(StoredKeys::open(path, options_of(NarrowType::f16, KeyFileFormat::csv)));
    for (auto const& [type, least, most] : {std::tuple{NarrowType::u8, 0, 255},
                                            std::tuple{NarrowType::i8, -128, 127},
                                            std::tuple{NarrowType::u16, 0, 65'535},
                                            std::tuple{NarrowType::i16, -32'768, 32'767}}) {
        auto const opened = [&, type = type](int key) {
            auto const one = folder.put("one.csv", std::to_string(key) + "\n");
            auto const found = StoredKeys::open(one, options_of(type, KeyFileFormat::csv));
            return found ? "" : found.error().message();
        };
        EXPECT_EQ(opened(least), "");
        EXPECT_EQ(opened(most), "");
        std::string const message = "is out of the range of " + std::string(to_string(type)) +
                                    " (" + std::to_string(least) + " to " + std::to_string(most) +
                                    ")";
        EXPECT_NE(opened(most + 1).find(message), std::string::npos) << opened(most + 1);
        EXPECT_NE(opened(least - 1).find("is out of the range of "), std::string::npos);
    }
}

/// A header as written by NumPy, followed by elements.
std::string
array_text(std::string const& descriptor, std::size_t count, std::string const& elements) {
    std::string text = npy_header_text({KeyType::u32, count});
    text.replace(text.find("<u4"), 3, descriptor);
    return text + elements;
}

TEST(NarrowType, NumpyArraysSayIt) {
    KeyFolder const folder;
    for (auto const& [descriptor, type] : {std::pair{"|u1", NarrowType::u8},
                                           std::pair{"<u2", NarrowType::u16},
                                           std::pair{"|i1", NarrowType::i8},
                                           std::pair{"<i2", NarrowType::i16},
                                           std::pair{"<f2", NarrowType::f16}}) {
        auto const bytes = all_patterns(type);
        std::size_t const count = bytes.size() / narrow_size_bytes(type);
        auto const path = folder.put("keys.npy", array_text(descriptor, count, text_of(bytes)));
        auto const keys = StoredKeys::open(path, {});
        ASSERT_TRUE(keys) << keys.error().message();
        EXPECT_EQ(keys->narrow_type(), type);
        EXPECT_EQ(keys->key_count(), count);
        NpyHeader const header{widened_type(type), count, type};
        std::string const written = npy_header_text(header);
        EXPECT_EQ(parse_npy_header(written, "written"), header);
        EXPECT_EQ(written, array_text(descriptor, count, ""));
        auto const other = StoredKeys::open(path, {std::nullopt, widened_type(type)});
        ASSERT_FALSE(other) << "its keys are narrower than --type says";
        EXPECT_NE(other.error().message().find("holds " + std::string(to_string(type)) + " keys"),
                  std::string::npos)
            << other.error().message();
        auto const cut = folder.put("cut.npy", array_text(descriptor, count + 1, text_of(bytes)));
        EXPECT_FALSE(StoredKeys::open(cut, {}));
    }
    auto const swapped = folder.put("keys.npy", array_text(">u2", 1, "ab"));
    auto const keys = StoredKeys::open(swapped, {});
    ASSERT_TRUE(keys) << keys.error().message();
    std::uint32_t key = 0;
    ASSERT_TRUE(keys->read(0, std::as_writable_bytes(std::span(&key, 1))));
    EXPECT_EQ(key, 0x6162U);
}

TEST(NarrowType, AnOutputIsReadAsTheInputsTypeWhereItDoesNotSayOne) {
    KeyFolder const folder;
    std::string const input = array_text("<i2", 3, std::string("\x05\x00\xfe\xff\x00\x00", 6));
    auto const in = folder.put("in.npy", input);
    auto const right = folder.put("right.raw", std::string("\xfe\xff\x00\x00\x05\x00", 6));
    auto const wrong = folder.put("wrong.raw", std::string("\x00\x00\x05\x00\xfe\xff", 6));
    auto const check = check_output(in, right, {});
    ASSERT_TRUE(check) << check.error().message();
    EXPECT_TRUE(check->holds());
    EXPECT_EQ(check->narrow_type, NarrowType::i16);
    auto const as_unsigned = check_output(in, wrong, {});
    ASSERT_TRUE(as_unsigned) << as_unsigned.error().message();
    EXPECT_TRUE(as_unsigned->permutation());
    EXPECT_EQ(as_unsigned->order.first_unsorted, 2U);
    EXPECT_EQ(as_unsigned->order.key_at, "-2");
}

} // namespace
} // namespace keyswap::model
