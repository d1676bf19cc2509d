#include "model/check/cause.hpp"
#include "model/check/output_check.hpp"
#include "model/keys/key_order.hpp"
#include "model/testing/planted_causes.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::check_of;
using testing::drawn_keys;
using testing::expect_named;
using testing::KeyFolder;
using testing::plants;
using testing::Random;
using testing::read_as;
using testing::sorted;

TEST(CauseGuess, NamesBitsThatEveryKeyHasChanged) {
    auto const changed = [](auto change) {
        return [change](Random&, auto keys) {
            std::ranges::transform(keys, keys.begin(), change);
            return sorted(keys);
        };
    };
    expect_named<std::uint32_t>(Cause::changed_bits,
                                changed([](std::uint32_t key) { return key ^ (1U << 13); }),
                                "every key has bit 13 flipped");
    expect_named<std::uint64_t>(Cause::changed_bits,
                                changed([](std::uint64_t key) { return key | 0x30U; }),
                                "every key has bits 4 to 5 set");
    expect_named<std::uint64_t>(
        Cause::changed_bits,
        changed([](std::uint64_t key) { return (key & ~std::uint64_t{0x30}) ^ 4U; }),
        "every key has bit 2 flipped, bits 4 to 5 cleared");
    expect_named<std::uint64_t>(Cause::changed_bits,
                                changed([](std::uint64_t key) { return key & 0xffffffffU; }),
                                "truncated to its low 32 bits");
    expect_named<std::uint32_t>(Cause::changed_bits,
                                changed([](std::uint32_t key) { return key & 0xffffU; }),
                                "truncated to its low 16 bits");
    expect_named<std::uint32_t>(Cause::changed_bits,
                                changed([](std::uint32_t key) { return key & 0xffU; }),
                                "truncated to its low 8 bits");
}

TEST(CauseGuess, NamesConversionsThatEveryKeyWentThrough) {
    auto const converted = [](auto conversion) {
        return [conversion](Random&, auto keys) {
            std::ranges::transform(keys, keys.begin(), conversion);
            return sorted(keys);
        };
    };
    expect_named<std::uint64_t>(Cause::converted_keys,
                                converted([](std::uint64_t key) { return __builtin_bswap64(key); }),
                                "bytes of every key are in reverse order");
    expect_named<double>(Cause::converted_keys,
                         converted([](double key) { return double{static_cast<float>(key)}; }),
                         "rounded to 32 bits");
    expect_named<std::int64_t>(
        Cause::converted_keys,
        converted([](std::int64_t key) { return std::int64_t{static_cast<std::int32_t>(key)}; }),
        "sign-extended");
}

TEST(CauseGuess, NamesNansAndOtherFloatsThatWereMadeAlike) {
    constexpr std::uint32_t payload = 0xffc00001U;
    struct Case {
        std::uint32_t before;
        std::uint32_t after;
        std::string words;
    };
    for (auto const& [before, after, words] :
         {Case{payload, 0x7fc00000U, "NaNs had been canonicalised"},
          Case{0xffc00123U, 0x7fffffffU, "NaNs had been canonicalised"},
          Case{0x80000000U, 0U, "every -0.0 became +0.0"},
          Case{0x00000123U, 0U, "subnormal"},
          Case{0x7f800000U, 0x7f7fffffU, "infinite key became the largest"}}) {
        Random random(3);
        auto keys = read_as<std::uint32_t>(drawn_keys<float>(random));
        for (std::size_t i = 0; i < keys.size(); i += 5) {
            keys[i] = before;
        }
        auto output = keys;
        std::ranges::replace(output, before, after);
        auto const image = [](std::uint32_t key) { return image_of(std::bit_cast<float>(key)); };
        std::ranges::sort(output, {}, image);
        OutputCheck const check = check_of(read_as<float>(keys), read_as<float>(output));
        ASSERT_TRUE(check.guess) << words;
        EXPECT_EQ(check.guess->cause, Cause::converted_keys) << check.guess->sentence;
        EXPECT_NE(check.guess->sentence.find(words), std::string::npos) << check.guess->sentence;
    }
}

TEST(CauseGuess, NamesNansThatBecameOne) {
    auto const nan = std::numeric_limits<float>::quiet_NaN();
    auto const odd = std::bit_cast<float>(0x7fc00001U);
    std::vector<float> const input{nan, 3, -nan, 1, odd, 2};
    OutputCheckOptions options;
    options.nan_order = NanOrder::last;
    for (float const one : {nan, -nan}) {
        auto const check =
            check_of<float>(input, std::vector<float>{1, 2, 3, one, one, one}, options);
        ASSERT_TRUE(check.guess);
        EXPECT_EQ(check.guess->cause, Cause::converted_keys);
        EXPECT_NE(check.guess->sentence.find("every NaN became"), std::string::npos);
        EXPECT_NE(check.guess->sentence.find("AVX-512"), std::string::npos);
    }
    EXPECT_FALSE(check_of<float>(input, std::vector<float>{1, 2, 4, nan, nan, nan}, options).guess);
    EXPECT_FALSE(check_of<float>(input, std::vector<float>{1, 2, 3, nan, odd, odd}, options).guess);
}

TEST(CauseGuess, NamesTheOtherWidthOfTheOutput) {
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto const narrow = drawn_keys<std::uint32_t>(random);
        std::vector<std::uint64_t> const wide(narrow.begin(), narrow.end());
        OutputCheck const widened = check_of(narrow, sorted(wide));
        ASSERT_TRUE(widened.guess);
        EXPECT_EQ(widened.guess->cause, Cause::other_width);

        auto input = drawn_keys<std::uint64_t>(random);
        input.resize(input.size() / 2 * 2);
        std::vector<std::uint32_t> cut;
        cut.reserve(input.size());
        for (std::uint64_t const key : input) {
            cut.push_back(static_cast<std::uint32_t>(key));
        }
        OutputCheck const narrowed = check_of(input, sorted(cut));
        ASSERT_TRUE(narrowed.guess);
        EXPECT_EQ(narrowed.guess->cause, Cause::other_width);
    }
}

TEST(CauseGuess, NamesTheOtherWidthOfAnOutputThatIsNoWholeKeys) {
    KeyFolder const folder;
    OutputCheckOptions options;
    options.input.key_type = KeyType::u64;
    auto const input = folder.put("in", std::vector<std::uint64_t>{3, 1, 2});
    auto const cut =
        check_output(input, folder.put("cut", std::vector<std::uint32_t>{1, 2, 3}), options);
    ASSERT_FALSE(cut);
    testing::expect_in(cut.error().message(),
                       {"has 12 bytes, which is not a multiple of the 8 bytes of a u64 key",
                        "the input's 3 keys would fill it with 4 bytes each",
                        "written as a narrower type"});
    auto const one = check_output(folder.put("one", std::vector<std::uint64_t>{3}),
                                  folder.put("narrow", std::vector<std::uint32_t>{3}),
                                  options);
    ASSERT_FALSE(one);
    testing::expect_in(one.error().message(), {"the input's 1 keys would fill it with 4 bytes"});
    auto const none = check_output(folder.put("none", std::vector<std::uint64_t>{}),
                                   folder.put("narrow", std::vector<std::uint32_t>{3}),
                                   options);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message().find("would fill"), std::string::npos);
    auto const other = check_output(input, folder.put("other", std::string("abc4567")), options);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().message().find("narrower"), std::string::npos);
}

} // namespace
} // namespace keyswap::model
