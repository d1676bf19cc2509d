#include "kernels/device/key_image.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace keyswap::kernels {
namespace {

/// Images must have the order of the keys, reversed for descending order, and decode correctly.
template <class Key, class Word>
void expect_order_is_kept(KeyType type, std::vector<Key> const& ascending) {
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        ImageCode const code = image_code(type, direction);
        for (std::size_t i = 0; i < ascending.size(); ++i) {
            auto const raw = std::bit_cast<Word>(ascending[i]);
            EXPECT_EQ(decode_image(encode_image(raw, code), code), raw);
            if (i == 0) {
                continue;
            }
            Word const below = encode_image(std::bit_cast<Word>(ascending[i - 1]), code);
            Word const above = encode_image(raw, code);
            EXPECT_TRUE(direction == Direction::ascending ? below < above : below > above) << i;
        }
    }
}

template <class Float>
std::vector<Float> ascending_floats() {
    using Limits = std::numeric_limits<Float>;
    return {-Limits::quiet_NaN(),
            -Limits::infinity(),
            Limits::lowest(),
            Float{-1},
            -Limits::denorm_min(),
            Float{-0.0},
            Float{0.0},
            Limits::denorm_min(),
            Float{1},
            Limits::max(),
            Limits::infinity(),
            Limits::quiet_NaN()};
}

TEST(KeyImage, OfUnsignedKeysIsTheKey) {
    expect_order_is_kept<std::uint32_t, std::uint32_t>(KeyType::u32, {0, 1, 0x80000000U, ~0U});
    expect_order_is_kept<std::uint64_t, std::uint64_t>(KeyType::u64, {0, 1, 1ULL << 63, ~0ULL});
    EXPECT_TRUE(image_code(KeyType::u32, Direction::ascending).is_identity());
}

TEST(KeyImage, OfSignedKeysPutsNegativeOnesFirst) {
    using Limits32 = std::numeric_limits<std::int32_t>;
    using Limits64 = std::numeric_limits<std::int64_t>;
    expect_order_is_kept<std::int32_t, std::uint32_t>(KeyType::i32,
                                                      {Limits32::min(), -1, 0, 1, Limits32::max()});
    expect_order_is_kept<std::int64_t, std::uint64_t>(KeyType::i64,
                                                      {Limits64::min(), -1, 0, 1, Limits64::max()});
}

TEST(KeyImage, OfFloatsIsTheTotalOrderWithNegativeZeroBelowZeroAndNaNsAtTheEnds) {
    expect_order_is_kept<float, std::uint32_t>(KeyType::f32, ascending_floats<float>());
    expect_order_is_kept<double, std::uint64_t>(KeyType::f64, ascending_floats<double>());
}

TEST(KeyImage, Of128BitsKeepsTheOrderOfBothHalves) {
    std::vector<WideImage> const ascending{0,
                                           1,
                                           wide_image({0, ~0ULL}),
                                           wide_image({1, 0}),
                                           wide_image({1ULL << 63, 0}),
                                           ~WideImage{0}};
    expect_order_is_kept<WideImage, WideImage>(KeyType::u128, ascending);
    expect_order_is_kept<WideImage, WideImage>(KeyType::i128,
                                               {wide_image({1ULL << 63, 0}), // the least
                                                ~WideImage{0},               // -1
                                                0,
                                                1,
                                                wide_image({1, 0}),
                                                wide_image({~0ULL >> 1, ~0ULL})});
}

TEST(KeyImage, Of16BytesIsTheNumberThatTheyAre) {
    // 2001:db8::1 and 2001:db8::100, most significant byte first.
    std::vector<WideImage> const ascending{wide_image({0x20010db800000000ULL, 0x001}),
                                           wide_image({0x20010db800000000ULL, 0x100})};
    expect_order_is_kept<WideImage, WideImage>(KeyType::b128, ascending);
    EXPECT_TRUE(image_code(KeyType::b128, Direction::ascending).is_identity());
}

} // namespace
} // namespace keyswap::kernels
