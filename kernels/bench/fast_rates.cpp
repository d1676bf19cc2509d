#include "kernels/bench/fast_rates.hpp"

#include "kernels/bench/benchmark_kernels.hpp"
#include "kernels/bench/timed_stream.hpp"
#include "kernels/device/vector_copies.hpp"
#include "kernels/primitives/leaves/leaf_sort.hpp"
#include "kernels/primitives/steps/leading_counts.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::kernels {

namespace {

/// Uniform elements of one shape, and buffers for the output of the measured kernels.
class FastProbe {
  public:
    FastProbe(int device, ElementShape shape, std::uint64_t key_count)
        : device_(device), shape_(shape), key_count_(key_count), stream_(device) {
        for (auto& place : keys_) {
            place = DeviceBuffer<std::byte>{device, bytes_of(shape.key_bytes)};
        }
        for (auto& place : values_) {
            place = DeviceBuffer<std::byte>{device, bytes_of(shape.value_bytes)};
        }
        constexpr std::uint64_t seed_of_keys = 1;
        launch_bench_keys(stream_.get(),
                          shape.key_bytes,
                          keys_[0].data(),
                          0,
                          key_count,
                          key_count,
                          BenchKeys::uniform,
                          seed_of_keys);
    }

    [[nodiscard]] double unstable_step_ps(int bits) const {
        return step_ps(bits, unstable_tile_keys(shape_), launch_unstable_step);
    }
    [[nodiscard]] double stable_step_ps() const {
        return step_ps(step_bits, tile_keys(shape_), launch_digit_step);
    }

    [[nodiscard]] double count_ps(int digits) const {
        Tiles const tiles = make_tiles(unstable_tile_keys(shape_));
        DeviceBuffer<std::uint32_t> const bins{device_,
                                               static_cast<std::size_t>(digits) * step_bins};
        return ps_per_key(stream_.median_us(
            TimedCalls::in_a_row, [&] { count_digits(tiles, low_digits(digits), bins.data()); }));
    }

    /// Leaves of the usual size after levels: between 0.3 and 0.6 of the largest.
    [[nodiscard]] double leaf_ps() const {
        LeafSizes const sizes = leaf_sizes(shape_.key_bytes, shape_.value_bytes);
        auto const leaf_keys =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(sizes.back() / 16 * 7, key_count_));
        auto const entries = static_cast<std::uint32_t>(key_count_ / leaf_keys);
        auto const of_class = static_cast<std::size_t>(
            std::ranges::find_if(sizes, [&](std::uint32_t size) { return size >= leaf_keys; }) -
            sizes.begin());
        std::vector<std::uint64_t> ends(entries);
        std::vector<std::uint32_t> leaves((leaf_classes + 1) * std::size_t{entries});
        for (std::uint32_t entry = 0; entry < entries; ++entry) {
            ends[entry] = (entry + std::uint64_t{1}) * leaf_keys;
            leaves[of_class * entries + entry] = entry;
        }
        ChildKinds kinds;
        kinds.leaves[of_class] = entries;
        std::vector<ChildKinds> const all_kinds{kinds};
        std::vector<std::uint64_t> const counts(entries, leaf_keys);
        std::vector<std::uint8_t> const one_values(entries, 0);
        cudaStream_t const stream = stream_.get();
        auto const device_counts = copy_to_device(device_, stream, counts);
        auto const device_ends = copy_to_device(device_, stream, ends);
        auto const device_one_values = copy_to_device(device_, stream, one_values);
        auto const device_leaves = copy_to_device(device_, stream, leaves);
        auto const device_kinds = copy_to_device(device_, stream, all_kinds);
        ChildTable table;
        table.entries = entries;
        table.counts = device_counts.data();
        table.ends = device_ends.data();
        table.one_value = device_one_values.data();
        table.leaves = device_leaves.data();
        table.kinds = device_kinds.data();
        auto const [keys_in, keys_out, values_in, values_out] = arrays();
        LeafSort const sort{shape_,
                            Stability::unstable,
                            table,
                            kinds,
                            {keys_in, keys_out, values_in, values_out, {}}};
        double const us = stream_.median_us(TimedCalls::in_a_row, [&] {
            launch_leaf_sorts({&stream, 1}, sort);
        });
        return us * ps_per_us / (static_cast<double>(entries) * leaf_keys);
    }

  private:
    static constexpr double ps_per_us = 1e6;

    /// Tiles of all keys as a single segment.
    struct Tiles {
        DeviceBuffer<SortTile> tiles;
        std::uint32_t count = 0;
    };

    [[nodiscard]] std::size_t bytes_of(int width) const {
        return static_cast<std::size_t>(key_count_) * static_cast<std::size_t>(width);
    }
    [[nodiscard]] MovedArrays arrays() const {
        return {keys_[0].data(), keys_[1].data(), values_[0].data(), values_[1].data()};
    }
    [[nodiscard]] double ps_per_key(double us) const {
        return us * ps_per_us / static_cast<double>(key_count_);
    }
    [[nodiscard]] BitWindow low_digits(int digits) const { return {0, digits * step_bits}; }

    [[nodiscard]] Tiles make_tiles(std::uint32_t keys_per_tile) const {
        std::vector<SegmentPart> part(1);
        part.front().count = key_count_;
        auto const parts = copy_to_device(device_, stream_.get(), part);
        auto const count =
            static_cast<std::uint32_t>((key_count_ + keys_per_tile - 1) / keys_per_tile);
        Tiles tiles{DeviceBuffer<SortTile>{device_, count}, count};
        launch_tiles(stream_.get(), parts.data(), 1, count, keys_per_tile, tiles.tiles.data());
        wait_for(stream_.get());
        return tiles;
    }

    void count_digits(Tiles const& tiles, BitWindow window, std::uint32_t* bins) const {
        PartTable const one_segment{nullptr, 0, 1};
        launch_segment_bins(stream_.get(),
                            shape_.key_bytes,
                            {{arrays().keys_read(), one_segment, window, step_bits, {}, bins},
                             tiles.tiles.data(),
                             tiles.count});
    }

    template <class Launch>
    [[nodiscard]] double
    step_ps(int bits, std::uint32_t keys_per_tile, Launch const& launch) const {
        Tiles const tiles = make_tiles(keys_per_tile);
        DeviceBuffer<std::uint32_t> const bins{device_, step_bins};
        DeviceBuffer<std::uint32_t> const scratch{device_, std::size_t{tiles.count} * step_bins};
        count_digits(tiles, {0, bits}, bins.data());
        DigitStep step{arrays()};
        step.tiles = tiles.tiles.data();
        step.tile_count = tiles.count;
        step.bins = bins.data();
        step.bins_stride = step_bins;
        step.scratch = scratch.data();
        step.bits = bits;
        return ps_per_key(
            stream_.median_us(TimedCalls::in_a_row, [&] { launch(stream_.get(), shape_, step); }));
    }

    int device_;
    ElementShape shape_;
    std::uint64_t key_count_;
    TimedStream stream_;
    DeviceBuffer<std::byte> keys_[2];
    DeviceBuffer<std::byte> values_[2];
};

} // namespace

FastRates measure_fast_kernels(int device, std::uint64_t key_count) {
    key_count = std::min(key_count, segment_count_max);
    FastRates rates;
    {
        FastProbe const probe{device, {8, 0}, key_count};
        rates.step64_ps = probe.unstable_step_ps(step_bits);
        rates.stable_step64_ps = probe.stable_step_ps();
        rates.leaf64_ps = probe.leaf_ps();
    }
    {
        FastProbe const probe{device, {4, 4}, key_count};
        rates.step_pairs_ps = probe.unstable_step_ps(step_bits);
        rates.leaf_pairs_ps = probe.leaf_ps();
    }
    FastProbe const probe{device, {4, 0}, key_count};
    constexpr int few_bits = 4;
    constexpr int counted_digits = 3;
    rates.step32_ps = probe.unstable_step_ps(step_bits);
    rates.step_few_ps = probe.unstable_step_ps(few_bits);
    rates.stable_step32_ps = probe.stable_step_ps();
    rates.count_ps = probe.count_ps(counted_digits);
    rates.leaf32_ps = probe.leaf_ps();
    return rates;
}

} // namespace keyswap::kernels
