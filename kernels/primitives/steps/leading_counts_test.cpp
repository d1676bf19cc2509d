#include "kernels/primitives/steps/leading_counts.hpp"

#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"
#include "kernels/device/multiprocessors.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using gpu_test::on_device;
using gpu_test::on_host;
using gpu_test::pattern_count;

template <class Key>
constexpr int key_bits = static_cast<int>(sizeof(Key)) * 8;

template <class Key>
std::vector<std::uint32_t> leading_counts_of(std::vector<Key> const& keys) {
    std::vector<std::uint32_t> counts(leading_values(sizeof(Key)));
    for (Key const key : keys) {
        ++counts[key >> (key_bits<Key> - leading_bits(sizeof(Key)))];
    }
    return counts;
}

/// Keys on the device and their counts.
template <class Key>
class Counted {
  public:
    explicit Counted(std::vector<Key> const& keys, ImageCode code = {})
        : keys_(on_device(keys)), words_(0, leading_words(sizeof(Key))) {
        launch_leading_counts(nullptr, {sizeof(Key), keys_.data(), keys.size(), code}, result());
    }
    [[nodiscard]] LeadingCounts result() const { return {words_.data()}; }
    [[nodiscard]] Key const* keys() const { return keys_.data(); }
    [[nodiscard]] std::vector<std::uint32_t> counts() const {
        return on_host(result().counts(), leading_values(sizeof(Key)));
    }
    [[nodiscard]] bool has_overflowed() const {
        return on_host(&result().overflowed(), 1).front() != 0;
    }

  private:
    DeviceBuffer<Key> keys_;
    DeviceBuffer<std::uint32_t> words_;
};

template <class Key>
void expect_counts(std::vector<Key> const& keys) {
    Counted<Key> const counted{keys};
    ASSERT_FALSE(counted.has_overflowed());
    ASSERT_EQ(counted.counts(), leading_counts_of(keys));
}

TEST(LeadingCountsKernel, CountsKeysOfAnyNumberByTheirLeadingBits) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::size_t const count : {0, 1, 31, 8'191, 8'192, 8'193, 3'000'001}) {
        expect_counts(make_keys<std::uint32_t>(0, count, 3));
        expect_counts(make_keys<std::uint64_t>(0, count, 4));
    }
}

TEST(LeadingCountsKernel, CountsSortedKeysWithoutOverflow) {
    KEYSWAP_NEEDS_GPUS(1);
    auto keys = make_keys<std::uint32_t>(0, 20'000'000, 5);
    std::ranges::sort(keys);
    expect_counts(keys);
    std::ranges::reverse(keys);
    expect_counts(keys);
    expect_counts(std::vector<std::uint64_t>(5'000'000, ~std::uint64_t{0}));
    for (std::size_t i = 0; i < keys.size(); i += 11) { // nearly sorted
        keys[i] = static_cast<std::uint32_t>(i) * 0x9e3779b1U;
    }
    expect_counts(keys);
}

/// Each block counts hundreds of keys of each of the lowest 2^10 values, in no order.
TEST(LeadingCountsKernel, CountersOfABlockPassOnWhatTheyCannotHold) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const blocks = static_cast<std::size_t>(multiprocessor_count());
    auto keys = make_keys<std::uint64_t>(0, blocks * 500'000, 6);
    std::ranges::for_each(keys, [](std::uint64_t& key) { key >>= 8; });
    expect_counts(keys);
}

/// Two values by turns: hundreds of threads of a block add to one counter at the same time.
TEST(LeadingCountsKernel, CountsAreRightOrTheOverflowIsReported) {
    KEYSWAP_NEEDS_GPUS(1);
    std::vector<std::uint32_t> keys(10'000'000);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = i % 2 == 0 ? 0x12345678U : 0xffffffffU;
    }
    Counted<std::uint32_t> const counted{keys};
    EXPECT_TRUE(counted.has_overflowed() || counted.counts() == leading_counts_of(keys));
}

TEST(LeadingCountsKernel, CountsRawKeysByTheirImages) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const keys = make_keys<std::uint64_t>(0, 100'003, 9);
    ImageCode const code = image_code(KeyType::f64, Direction::descending);
    std::vector<std::uint64_t> images(keys.size());
    std::ranges::transform(
        keys, images.begin(), [code](std::uint64_t key) { return encode_image(key, code); });
    Counted<std::uint64_t> const counted{keys, code};
    EXPECT_EQ(counted.counts(), leading_counts_of(images));
}

/// Counts by the first bits, of the leading counts or, after an overflow, of the keys.
template <class Key>
void expect_digits(std::vector<Key> const& keys, Counted<Key> const& counted, int bits) {
    std::vector<std::uint64_t> wanted(std::size_t{1} << bits);
    for (Key const key : keys) {
        ++wanted[key >> (key_bits<Key> - bits)];
    }
    DeviceBuffer<std::uint64_t> const digits{0, wanted.size()};
    launch_leading_digits(
        nullptr, {sizeof(Key), counted.keys(), keys.size()}, counted.result(), bits, digits.data());
    EXPECT_EQ(on_host(digits.data(), wanted.size()), wanted) << bits << " bits";
}

TEST(LeadingDigitsKernel, AddsCountsOrReadsTheKeysAfterAnOverflow) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const narrow = make_keys<std::uint32_t>(0, 300'007, 10);
    auto const wide = make_keys<std::uint64_t>(0, 300'007, 11);
    Counted<std::uint32_t> const of_narrow{narrow};
    Counted<std::uint64_t> const of_wide{wide};
    for (int const bits : {1, 5, step_bits, wide_step_bits}) {
        expect_digits(narrow, of_narrow, bits);
        expect_digits(wide, of_wide, bits);
    }
    std::uint32_t const overflowed = 1;
    KEYSWAP_CUDA(cudaMemcpy(
        &of_narrow.result().overflowed(), &overflowed, sizeof(overflowed), cudaMemcpyDefault));
    KEYSWAP_CUDA(cudaMemset(of_narrow.result().counts(), 0, sizeof(overflowed)));
    expect_digits(narrow, of_narrow, step_bits);
}

TEST(LeadingSumKernel, AddsRowsAndTheirOverflows) {
    KEYSWAP_NEEDS_GPUS(1);
    constexpr std::size_t words = leading_words(4);
    std::vector<std::uint32_t> rows(3 * words);
    std::iota(rows.begin(), rows.end(), 7U);
    auto const device_rows = on_device(rows);
    DeviceBuffer<std::uint32_t> const sum{0, words};
    launch_leading_sum(nullptr, 4, device_rows.data(), 3, {sum.data()});
    std::vector<std::uint32_t> wanted(words);
    for (std::size_t i = 0; i < words; ++i) {
        wanted[i] = rows[i] + rows[words + i] + rows[2 * words + i];
    }
    EXPECT_EQ(on_host(sum.data(), words), wanted);
}

/// Expects the bins of launch_segment_bins() for segments that share the bits above their digits.
/// \param shared number of the shared bits \param widths of the segments' digits, by turns
template <class Key>
void expect_bins(std::vector<Key> keys,
                 int shared,
                 std::vector<int> const& widths,
                 int digit_bits) {
    std::ranges::stable_sort(keys, {}, [shared](Key key) {
        return shared == 0 ? Key{0} : key >> (key_bits<Key> - shared);
    });
    Counted<Key> const counted{keys};
    std::vector<SegmentPart> parts;
    std::uint32_t tiles = 0;
    constexpr std::uint32_t tile_keys = 4'096;
    for (std::size_t begin = 0; begin < keys.size();) {
        auto const is_of_other = [&](Key key) {
            return shared > 0 && (key ^ keys[begin]) >> (key_bits<Key> - shared) != 0;
        };
        auto const end = static_cast<std::size_t>(
            std::find_if(
                keys.begin() + static_cast<std::ptrdiff_t>(begin), keys.end(), is_of_other) -
            keys.begin());
        auto const segment = static_cast<std::uint32_t>(parts.size());
        int const width = widths[parts.size() % widths.size()];
        parts.push_back({begin,
                         end - begin,
                         begin,
                         segment,
                         tiles,
                         tiles,
                         KeyBuffer::input,
                         {static_cast<std::uint8_t>(key_bits<Key> - shared - width),
                          static_cast<std::uint8_t>(width)}});
        tiles += static_cast<std::uint32_t>((end - begin + tile_keys - 1) / tile_keys);
        begin = end;
    }
    auto const count = static_cast<std::uint32_t>(parts.size());
    auto const device_parts = on_device(parts);
    DeviceBuffer<SortTile> const device_tiles{0, tiles};
    launch_tiles(nullptr, device_parts.data(), count, tiles, tile_keys, device_tiles.data());
    std::size_t const size = std::size_t{count} << digit_bits;
    bool const is_leading = shared + std::ranges::max(widths) <= leading_bits(sizeof(Key));
    DeviceBuffer<std::uint32_t> const wanted{0, size};
    DeviceBuffer<std::uint32_t> const bins{0, size};
    DeviceBuffer<std::uint8_t> const known{0, count};
    SegmentBins segments{{{counted.keys(), nullptr},
                          {device_parts.data(), count, count},
                          {0, digit_bits},
                          digit_bits,
                          {},
                          wanted.data()},
                         device_tiles.data(),
                         tiles};
    launch_segment_bins(nullptr, sizeof(Key), segments);
    segments.counts = counted.result();
    segments.bins = bins.data();
    segments.known = known.data();
    launch_segment_bins(nullptr, sizeof(Key), segments);
    ASSERT_EQ(on_host(known.data(), count), std::vector<std::uint8_t>(count, is_leading ? 1 : 0));
    ASSERT_EQ(on_host(bins.data(), size), on_host(wanted.data(), size))
        << "shared bits " << shared << ", digits of " << digit_bits;
}

TEST(LeadingBinsKernel, WritesTheBinsOfSegmentsWhoseDigitsLieInTheLeadingBits) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const narrow = make_keys<std::uint32_t>(0, 1'000'000, 7);
    auto const wide = make_keys<std::uint64_t>(0, 1'000'000, 8);
    for (int const digit_bits : {step_bits, wide_step_bits}) {
        for (int const width : {1, 5, digit_bits}) {
            expect_bins(narrow, 0, {width}, digit_bits);
            expect_bins(wide, 0, {width}, digit_bits);
        }
        expect_bins(narrow, 3, {digit_bits, 2}, digit_bits);
        expect_bins(narrow, step_bits, {digit_bits, 1, 4}, digit_bits);
        expect_bins(wide, step_bits, {digit_bits, 3}, digit_bits);
        expect_bins(wide, wide_step_bits + 1, {digit_bits}, digit_bits);
    }
}

} // namespace
} // namespace keyswap::kernels
