#include "model/partition/value_histogram.hpp"

#include "model/keys/key_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace keyswap::model {
namespace {

template <class T>
ValueHistogram
histogram_of(std::vector<T> const& samples, double lower, double upper, std::uint32_t bins) {
    std::vector<ImageOf<T>> images;
    images.reserve(samples.size());
    for (T const sample : samples) {
        images.push_back(image_of(sample));
    }
    auto const edges = even_edges(key_type_of<T>, lower, upper, bins).value();
    return value_histogram(
        std::span<ImageOf<T> const>(images), edges, 8 * static_cast<int>(sizeof(T)));
}

TEST(ValueHistogram, BinsHoldTheirLowerEdgeAndNotTheirUpperOne) {
    auto const found = histogram_of<float>({-0.5F, 0.0F, 0.99F, 1.0F, 1.5F, 2.0F, 3.0F}, 0, 2, 2);
    EXPECT_EQ(found, (ValueHistogram{1, {2, 2}, 2}));
}

TEST(ValueHistogram, BothZerosAreAtAnEdgeOfZeroAndNansOutside) {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    auto const found = histogram_of<float>({-0.0F, 0.0F, nan, std::copysign(nan, -1.0F)}, 0, 1, 4);
    EXPECT_EQ(found, (ValueHistogram{1, {2, 0, 0, 0}, 1}));
    auto const upper = histogram_of<float>({-1.0F, -0.0F, 0.0F}, -1, 0, 1);
    EXPECT_EQ(upper, (ValueHistogram{0, {1}, 2}));
}

TEST(ValueHistogram, TheLastEdgeIsTheUpperBound) {
    // -5 + 3 * (0.1 - -5) / 3 is 0.0999...96 in double.
    auto const edges = even_edges(KeyType::f64, -5, 0.1, 3).value();
    EXPECT_EQ(edges.back(), key_image(image_of(0.1)));
}

TEST(ValueHistogram, SamplesNextToRoundedEdgesFallToTheSideOfTheEdge) {
    auto const edges = even_edges(KeyType::f32, 0, 1, 10).value();
    // 0.3 as a float exceeds 3 * 1.0 / 10 in double; the edge is the float.
    float const edge = key_of<float>(static_cast<std::uint32_t>(edges[3].low));
    EXPECT_EQ(edge, 0.3F);
    auto const found = histogram_of<float>({std::nextafter(edge, 0.0F), edge}, 0, 1, 10);
    EXPECT_EQ(found.counts[2], 1U);
    EXPECT_EQ(found.counts[3], 1U);
}

TEST(ValueHistogram, SignedKeysAreCountedInTheirOrder) {
    auto const found = histogram_of<std::int32_t>({-11, -10, -1, 0, 9, 10}, -10, 10, 2);
    EXPECT_EQ(found, (ValueHistogram{1, {2, 2}, 1}));
}

TEST(ValueHistogram, BinsThatCannotBeAreRefused) {
    EXPECT_FALSE(even_edges(KeyType::u32, 0, 10, 11));
    EXPECT_TRUE(even_edges(KeyType::u32, 0, 10, 10));
    EXPECT_FALSE(even_edges(KeyType::u32, -1, 10, 2));
    EXPECT_FALSE(even_edges(KeyType::f32, 0, 1e300, 2));
    EXPECT_FALSE(even_edges(KeyType::f32, 1, 1, 2));
    EXPECT_FALSE(even_edges(KeyType::f32, std::nan(""), 1, 2));
    EXPECT_FALSE(even_edges(KeyType::u32, 0, 10, 0));
    EXPECT_FALSE(even_edges(KeyType::u64, 0, std::ldexp(1.0, 64), 2));
}

} // namespace
} // namespace keyswap::model
