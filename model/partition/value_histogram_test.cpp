#include "model/partition/value_histogram.hpp"

#include "model/keys/key_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace keyswap::model {
namespace {

template <class T>
ValueHistogram
histogram_of(std::vector<T> const& samples, std::string_view range, std::uint32_t bins) {
    std::vector<ImageOf<T>> images;
    images.reserve(samples.size());
    for (T const sample : samples) {
        images.push_back(image_of(sample));
    }
    auto const edges = even_edges(key_type_of<T>, range, bins).value();
    return value_histogram(
        std::span<ImageOf<T> const>(images), edges, 8 * static_cast<int>(sizeof(T)));
}

TEST(ValueHistogram, BinsHoldTheirLowerEdgeAndNotTheirUpperOne) {
    auto const found = histogram_of<float>({-0.5F, 0.0F, 0.99F, 1.0F, 1.5F, 2.0F, 3.0F}, "0:2", 2);
    EXPECT_EQ(found, (ValueHistogram{1, {2, 2}, 2}));
}

TEST(ValueHistogram, BothZerosAreAtAnEdgeOfZeroAndNansOutside) {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    auto const found = histogram_of<float>({-0.0F, 0.0F, nan, std::copysign(nan, -1.0F)}, "0:1", 4);
    EXPECT_EQ(found, (ValueHistogram{1, {2, 0, 0, 0}, 1}));
    auto const upper = histogram_of<float>({-1.0F, -0.0F, 0.0F}, "-1:0", 1);
    EXPECT_EQ(upper, (ValueHistogram{0, {1}, 2}));
}

TEST(ValueHistogram, TheLastEdgeIsTheUpperBound) {
    // -5 + 3 * (0.1 - -5) / 3 is 0.0999...96 in double.
    auto const edges = even_edges(KeyType::f64, "-5:0.1", 3).value();
    EXPECT_EQ(edges.back(), key_image(image_of(0.1)));
}

TEST(ValueHistogram, SamplesNextToRoundedEdgesFallToTheSideOfTheEdge) {
    auto const edges = even_edges(KeyType::f32, "0:1", 10).value();
    // 0.3 as a float exceeds 3 * 1.0 / 10 in double; the edge is the float.
    float const edge = key_of<float>(static_cast<std::uint32_t>(edges[3].low));
    EXPECT_EQ(edge, 0.3F);
    auto const found = histogram_of<float>({std::nextafter(edge, 0.0F), edge}, "0:1", 10);
    EXPECT_EQ(found.counts[2], 1U);
    EXPECT_EQ(found.counts[3], 1U);
}

TEST(ValueHistogram, SignedKeysAreCountedInTheirOrder) {
    auto const found = histogram_of<std::int32_t>({-11, -10, -1, 0, 9, 10}, "-10:10", 2);
    EXPECT_EQ(found, (ValueHistogram{1, {2, 2}, 1}));
}

TEST(ValueHistogram, BinsThatCannotBeAreRefused) {
    EXPECT_FALSE(even_edges(KeyType::u32, "0:10", 11));
    EXPECT_TRUE(even_edges(KeyType::u32, "0:10", 10));
    EXPECT_FALSE(even_edges(KeyType::u32, "-1:10", 2));
    EXPECT_FALSE(even_edges(KeyType::f32, "0:1e300", 2));
    EXPECT_FALSE(even_edges(KeyType::f32, "1:1", 2));
    EXPECT_FALSE(even_edges(KeyType::f32, "nan:1", 2));
    EXPECT_FALSE(even_edges(KeyType::u32, "0:10", 0));
    EXPECT_FALSE(even_edges(KeyType::u64, "0:18446744073709551616", 2));
}

TEST(ValueHistogram, BoundsOfWholeNumbersAreExact) {
    auto const edges_of = [](KeyType type, std::string_view range, std::uint32_t bins) {
        auto const edges = even_edges(type, range, bins);
        EXPECT_TRUE(edges) << range;
        std::vector<std::uint64_t> low;
        for (KeyImage const& edge : edges.value_or(std::vector<KeyImage>())) {
            low.push_back(edge.low);
        }
        return low;
    };
    using Edges = std::vector<std::uint64_t>;
    // 2^53 + 1 is the first whole number that is no double.
    EXPECT_EQ(edges_of(KeyType::u64, "9007199254740993:9007199254740995", 2),
              (Edges{9007199254740993, 9007199254740994, 9007199254740995}));
    EXPECT_EQ(edges_of(KeyType::u64, "0:18446744073709551615", 2),
              (Edges{0, std::uint64_t{1} << 63, ~std::uint64_t{0}}));
    EXPECT_EQ(edges_of(KeyType::i64, "-9223372036854775808:9223372036854775807", 1),
              (Edges{0, ~std::uint64_t{0}}));
    EXPECT_EQ(edges_of(KeyType::u128, "0:340282366920938463463374607431768211455", 1),
              (Edges{0, ~std::uint64_t{0}}));
    EXPECT_EQ(edges_of(KeyType::b128,
                       "00000000000000000000000000000000:00000000000000000000000000000004",
                       4),
              (Edges{0, 1, 2, 3, 4}));
    // Ties go to even numbers: 2.5, 5 and 7.5.
    EXPECT_EQ(edges_of(KeyType::u32, "0:10", 4), (Edges{0, 2, 5, 8, 10}));
    EXPECT_EQ(edges_of(KeyType::u32, "0:10", 3), (Edges{0, 3, 7, 10}));
    EXPECT_FALSE(even_edges(KeyType::u32, "0.5:10", 2));
    EXPECT_NE(even_edges(KeyType::f64, "-1.7e308:1.7e308", 2).error().message().find("is wider"),
              std::string::npos);
}

} // namespace
} // namespace keyswap::model
