#include "kernels/histogram.hpp"

#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using gpu_test::on_device;
using gpu_test::on_host;
using gpu_test::pattern_count;
using gpu_test::TestRandom;

template <class Key>
Key raw_of(double number, KeyType type) {
    switch (type) {
    case KeyType::f32:
        return static_cast<Key>(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
    case KeyType::f64:
        return static_cast<Key>(std::bit_cast<std::uint64_t>(number));
    default:
        return static_cast<Key>(static_cast<std::int64_t>(std::nearbyint(number)));
    }
}

template <class Key>
std::vector<KeyImage> even_edges(double lower, double upper, std::uint32_t bins, KeyType type) {
    ImageCode const code = image_code(type, Direction::ascending);
    std::vector<KeyImage> edges;
    for (std::uint32_t i = 0; i <= bins; ++i) {
        double const number = lower + i * (upper - lower) / bins;
        edges.push_back({0, encode_image(raw_of<Key>(number, type), code)});
    }
    return edges;
}

/// Reference counts by a search in the edges, as bins are defined.
template <class Key>
std::vector<std::uint64_t>
expected_counts(std::vector<Key> const& samples, std::vector<KeyImage> const& edges, KeyType type) {
    ImageCode const code = image_code(type, Direction::ascending);
    std::vector<std::uint64_t> counts(edges.size() - 1);
    for (Key const sample : samples) {
        KeyImage const image{0, encode_image(sample, code)};
        auto const above = std::ranges::upper_bound(edges, image);
        if (above != edges.begin() && above != edges.end()) {
            ++counts[static_cast<std::size_t>(above - edges.begin()) - 1];
        }
    }
    return counts;
}

template <class Key>
void check(std::vector<Key> const& samples,
           std::vector<KeyImage> const& edges,
           KeyType type,
           BinSpacing spacing) {
    HistogramOptions options;
    options.sample_type = type;
    options.edges = edges;
    options.spacing = spacing;
    auto histogram = Histogram::create(options);
    ASSERT_TRUE(histogram) << histogram.error().message;
    auto const device = on_device(samples);
    DeviceBuffer<std::uint64_t> device_counts{0, edges.size() - 1};
    auto const done = histogram->count(device.data(), samples.size(), device_counts.data());
    ASSERT_TRUE(done) << done.error().message;
    auto const counts = on_host(device_counts.data(), edges.size() - 1);
    auto const expected = expected_counts(samples, edges, type);
    ASSERT_EQ(counts, expected) << to_string(type) << ", " << counts.size() << " bins";
    auto const all = histogram->count_host(samples.data(), samples.size());
    ASSERT_TRUE(all) << all.error().message;
    ImageCode const code = image_code(type, Direction::ascending);
    auto const below = std::ranges::count_if(
        samples, [&](Key sample) { return encode_image(sample, code) < edges.front().low; });
    ASSERT_EQ(static_cast<std::ptrdiff_t>(all->front()), below);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), all->begin() + 1));
    ASSERT_EQ(std::reduce(all->begin(), all->end()), samples.size());
}

class HistogramOnGpu : public ::testing::Test {
  protected:
    void SetUp() override { KEYSWAP_NEEDS_GPUS(1); }
};

/// Samples below, inside and above the range, on the edges and next to them, and NaNs.
template <class Key>
std::vector<Key>
samples_of(double lower, double upper, std::vector<KeyImage> const& edges, KeyType type) {
    ImageCode const code = image_code(type, Direction::ascending);
    TestRandom random{7};
    std::vector<Key> samples = make_keys<Key>(0, 5'003, 11);
    for (int i = 0; i < 60'001; ++i) {
        double const part = static_cast<double>(random.next() >> 11) * 0x1p-53;
        samples.push_back(raw_of<Key>(lower + (part * 1.2 - 0.1) * (upper - lower), type));
    }
    for (KeyImage const& edge : edges) {
        for (std::uint64_t const image : {edge.low - 1, edge.low, edge.low + 1}) {
            samples.push_back(decode_image(static_cast<Key>(image), code));
        }
    }
    return samples;
}

template <class Key>
void check_type(KeyType type, double lower, double upper) {
    for (std::uint32_t const bins : {1U, 2U, 3U, 32U, 255U, 256U, 1000U, 2048U, 8192U}) {
        auto const edges = even_edges<Key>(lower, upper, bins, type);
        auto const samples = samples_of<Key>(lower, upper, edges, type);
        check<Key>(samples, edges, type, BinSpacing::even);
        check<Key>(samples, edges, type, BinSpacing::range);
    }
}

TEST_F(HistogramOnGpu, CountsEverySampleTypeBetweenItsEdges) {
    check_type<std::uint32_t>(KeyType::f32, 0, 1024);
    check_type<std::uint32_t>(KeyType::f32, -3.7, 11.3);
    check_type<std::uint32_t>(KeyType::f32, 1e6, 1.001e6); // rounding moves these edges
    check_type<std::uint32_t>(KeyType::u32, 0, 4e9);
    check_type<std::uint32_t>(KeyType::i32, -2e9, 2e9);
    check_type<std::uint32_t>(KeyType::i32, -5000, 5000);
    check_type<std::uint64_t>(KeyType::f64, 0, 1);
    check_type<std::uint64_t>(KeyType::f64, -1e300, 1e300);
    check_type<std::uint64_t>(KeyType::i64, -9e18, 9e18);
}

TEST_F(HistogramOnGpu, UnevenEdgesSplitEveryPattern) {
    ImageCode const code = image_code(KeyType::f32, Direction::ascending);
    std::vector<KeyImage> edges;
    for (float const edge : {-std::numeric_limits<float>::infinity(),
                             -1e30F,
                             -0.0F,
                             0.0F,
                             1e-40F,
                             1.0F,
                             7.0F,
                             1e30F,
                             std::numeric_limits<float>::infinity()}) {
        edges.push_back({0, encode_image(std::bit_cast<std::uint32_t>(edge), code)});
    }
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        check<std::uint32_t>(
            make_keys<std::uint32_t>(pattern, 40'013, 3), edges, KeyType::f32, BinSpacing::range);
    }
    check<std::uint32_t>({}, edges, KeyType::f32, BinSpacing::range);
}

TEST_F(HistogramOnGpu, RefusesEdgesThatDoNotAscend) {
    HistogramOptions options;
    options.edges = {{0, 5}, {0, 5}};
    auto const histogram = Histogram::create(options);
    ASSERT_FALSE(histogram);
    EXPECT_EQ(histogram.error().message,
              "edges 1 and 2 do not ascend (sort them, and remove duplicates)");
}

} // namespace
} // namespace keyswap::kernels
