#include "model/keys/key_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace keyswap::model {
namespace {

template <class T>
class EveryKeyType : public testing::Test {};
using KeyTypes = testing::
    Types<std::uint32_t, std::uint64_t, std::int32_t, std::int64_t, float, double, uint128, int128>;
TYPED_TEST_SUITE(EveryKeyType, KeyTypes);

/// Bit patterns around every power of two, and both extremes.
template <class Image>
std::vector<Image> telling_patterns() {
    std::vector<Image> patterns;
    for (int bit = 0; bit < std::numeric_limits<Image>::digits; ++bit) {
        Image const power = Image{1} << bit;
        for (Image const base : {power, static_cast<Image>(~power)}) {
            for (int step = -2; step <= 2; ++step) {
                patterns.push_back(static_cast<Image>(base + static_cast<Image>(step)));
            }
        }
    }
    return patterns;
}

/// IEEE 754 totalOrder by definition: sign first, then values, then NaN payloads.
template <class T>
bool comes_before(T a, T b) {
    if constexpr (std::floating_point<T>) {
        using Image = ImageOf<T>;
        bool const a_negative = std::signbit(a);
        bool const b_negative = std::signbit(b);
        if (a_negative != b_negative) {
            return a_negative;
        }
        Image const a_bits = std::bit_cast<Image>(a);
        Image const b_bits = std::bit_cast<Image>(b);
        if (std::isnan(a) || std::isnan(b) || a == b) {
            return a_negative ? a_bits > b_bits : a_bits < b_bits;
        }
    }
    return a < b;
}

TYPED_TEST(EveryKeyType, ImagesOrderAsKeysDoAndDescendingImagesTheOtherWay) {
    auto const patterns = telling_patterns<ImageOf<TypeParam>>();
    for (auto const a_bits : patterns) {
        for (auto const b_bits : patterns) {
            auto const a = std::bit_cast<TypeParam>(a_bits);
            auto const b = std::bit_cast<TypeParam>(b_bits);
            ASSERT_EQ(image_of(a) < image_of(b), comes_before(a, b))
                << testing::PrintToString(a) << " " << testing::PrintToString(b);
            ASSERT_EQ(image_of(a, Direction::descending) < image_of(b, Direction::descending),
                      comes_before(b, a));
        }
    }
}

TYPED_TEST(EveryKeyType, AKeyComesBackFromItsImageBitByBit) {
    using Image = ImageOf<TypeParam>;
    for (Image const bits : telling_patterns<Image>()) {
        auto const key = std::bit_cast<TypeParam>(bits);
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            ASSERT_EQ(std::bit_cast<Image>(key_of<TypeParam>(image_of(key, direction), direction)),
                      bits);
        }
    }
}

TYPED_TEST(EveryKeyType, ArraysAreReplacedAndComeBack) {
    using Image = ImageOf<TypeParam>;
    constexpr KeyType type = key_type_of<TypeParam>;
    auto const keys = telling_patterns<Image>();
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        auto words = keys;
        to_images(type, direction, ZeroOrder::total, std::span(words));
        for (std::size_t i = 0; i < keys.size(); ++i) {
            ASSERT_EQ(words[i], image_of(std::bit_cast<TypeParam>(keys[i]), direction));
        }
        to_keys(type, direction, std::span(words));
        EXPECT_EQ(words, keys);
    }
}

TEST(KeyOrder, NansLieAtTheEndsByTheirBits) {
    float const quiet = std::bit_cast<float>(0x7fc00000U);
    float const more_payload = std::bit_cast<float>(0x7fc00001U);
    float const negative = std::bit_cast<float>(0xffc00000U);
    EXPECT_LT(image_of(std::numeric_limits<float>::infinity()), image_of(quiet));
    EXPECT_LT(image_of(quiet), image_of(more_payload));
    EXPECT_LT(image_of(negative), image_of(-std::numeric_limits<float>::infinity()));
    EXPECT_EQ(image_of(std::bit_cast<float>(0xffffffffU)), 0U);
}

TEST(KeyOrder, DenormalsLieBetweenZeroAndTheSmallestNormal) {
    double const denormal = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(image_of(denormal), image_of(0.0) + 1);
    EXPECT_LT(image_of(denormal), image_of(std::numeric_limits<double>::min()));
    EXPECT_EQ(image_of(-denormal) + 1, image_of(-0.0));
}

TEST(KeyOrder, MinusZeroIsBeforePlusZeroUnlessTheyAreToBeEqual) {
    EXPECT_EQ(image_of(-0.0F) + 1, image_of(0.0F));
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        auto const minus = image_of(-0.0F, direction);
        auto const plus = image_of(0.0F, direction);
        EXPECT_EQ(canonical_image<float>(minus, ZeroOrder::equal, direction), plus);
        EXPECT_EQ(canonical_image<float>(plus, ZeroOrder::equal, direction), plus);
        EXPECT_EQ(canonical_image<float>(minus, ZeroOrder::total, direction), minus);
        EXPECT_EQ(canonical_image<std::uint32_t>(minus, ZeroOrder::equal, direction), minus);
    }
}

TEST(KeyOrder, ImagesAreKnownToTheCompiler) {
    static_assert(image_of(std::int32_t{-1}) == 0x7fffffffU);
    static_assert(image_of(1.0F) == 0xbf800000U);
    static_assert(key_of<double>(image_of(-2.5)) == -2.5);
}

} // namespace
} // namespace keyswap::model
