#include "kernels/segmented_sort.hpp"

#include "kernels/device_buffer.hpp"
#include "kernels/gpu_test.hpp"

#include <numeric>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using gpu_test::pattern_count;

template <class T>
DeviceBuffer<T> on_device(std::vector<T> const& host) {
    DeviceBuffer<T> buffer{0, host.size()};
    KEYSWAP_CUDA(
        cudaMemcpy(buffer.data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return buffer;
}

/// Segments one after the other, each divided into three parts that lie in reverse order.
struct Example {
    std::vector<SegmentPart> parts;
    std::vector<std::uint64_t> begins; ///< of the segments in the output, and the end
    std::uint32_t tiles = 0;
};

Example make_example(std::vector<std::uint64_t> const& sizes, std::uint32_t keys_per_tile) {
    Example example;
    std::uint64_t const total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    std::uint64_t source = total;
    std::uint64_t begin = 0;
    for (std::size_t segment = 0; segment < sizes.size(); ++segment) {
        example.begins.push_back(begin);
        std::uint32_t const segment_tile = example.tiles;
        std::uint64_t const third = sizes[segment] / 3;
        for (std::uint64_t const count : {third, std::uint64_t{0}, sizes[segment] - third}) {
            if (count == 0) {
                continue;
            }
            source -= count;
            example.parts.push_back({source,
                                     count,
                                     begin,
                                     static_cast<std::uint32_t>(segment),
                                     example.tiles,
                                     segment_tile,
                                     0});
            example.tiles +=
                static_cast<std::uint32_t>((count + keys_per_tile - 1) / keys_per_tile);
        }
        begin += sizes[segment];
    }
    example.begins.push_back(begin);
    return example;
}

/// One digit step over scattered parts equals a stable sort of each segment by that digit.
template <class Key, class Value>
void expect_step_is_stable(int pattern, BitWindow window) {
    ElementShape const shape{sizeof(Key), sizeof(Value)};
    std::uint64_t const tile = tile_keys(shape);
    std::vector<std::uint64_t> const sizes = {1, tile - 1, tile, tile + 1, 2, 100'003, 3 * tile, 7};
    Example const example = make_example(sizes, tile_keys(shape));
    std::uint64_t const total = example.begins.back();
    auto const keys = make_keys<Key>(pattern, total, 5);
    std::vector<Value> index(total);
    std::iota(index.begin(), index.end(), Value{0});

    auto const device_keys = on_device(keys);
    auto const device_values = on_device(index);
    DeviceBuffer<Key> const keys_out{0, total};
    DeviceBuffer<Value> const values_out{0, total};
    auto const parts = on_device(example.parts);
    DeviceBuffer<SortTile> const tiles{0, example.tiles};
    DeviceBuffer<std::uint32_t> const bins{0, sizes.size() * step_bins};
    DeviceBuffer<std::uint32_t> const lookback{0, example.tiles * step_bins};
    launch_tiles(nullptr,
                 parts.data(),
                 static_cast<std::uint32_t>(example.parts.size()),
                 example.tiles,
                 tile_keys(shape),
                 tiles.data());
    launch_segment_bins(nullptr,
                        sizeof(Key),
                        device_keys.data(),
                        tiles.data(),
                        example.tiles,
                        static_cast<std::uint32_t>(sizes.size()),
                        window,
                        bins.data());
    DigitStep step;
    step.keys_in = device_keys.data();
    step.keys_out = keys_out.data();
    step.values_in = device_values.data();
    step.values_out = values_out.data();
    step.tiles = tiles.data();
    step.tile_count = example.tiles;
    step.bins = bins.data();
    step.bins_stride = step_bins;
    step.lookback = lookback.data();
    step.shift = window.begin;
    step.bits = window.end - window.begin;
    launch_digit_step(nullptr, shape, step);

    std::vector<Value> result(total);
    std::vector<Key> result_keys(total);
    KEYSWAP_CUDA(cudaMemcpy(
        result.data(), values_out.data(), total * sizeof(Value), cudaMemcpyDeviceToHost));
    KEYSWAP_CUDA(cudaMemcpy(
        result_keys.data(), keys_out.data(), total * sizeof(Key), cudaMemcpyDeviceToHost));
    std::vector<Value> expected;
    auto const digit = [&keys, window](Value i) {
        return keys[i] >> window.begin & ((Key{1} << (window.end - window.begin)) - 1);
    };
    for (std::uint32_t segment = 0; segment < sizes.size(); ++segment) {
        auto const begin = static_cast<std::ptrdiff_t>(expected.size());
        for (SegmentPart const& part : example.parts) {
            for (std::uint64_t i = 0; part.segment == segment && i < part.count; ++i) {
                expected.push_back(static_cast<Value>(part.source + i));
            }
        }
        std::stable_sort(expected.begin() + begin, expected.end(), [&digit](Value a, Value b) {
            return digit(a) < digit(b);
        });
    }
    ASSERT_EQ(result, expected);
    for (std::uint64_t i = 0; i < total; ++i) {
        ASSERT_EQ(result_keys[i], keys[expected[i]]);
    }
}

TEST(DigitStepKernel, SortsEverySegmentStablyByOneDigitFromScatteredParts) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_step_is_stable<std::uint32_t, std::uint32_t>(pattern, {0, 8});
        expect_step_is_stable<std::uint32_t, std::uint32_t>(pattern, {24, 32});
        expect_step_is_stable<std::uint32_t, std::uint64_t>(pattern, {16, 19});
        expect_step_is_stable<std::uint64_t, std::uint32_t>(pattern, {56, 64});
        expect_step_is_stable<std::uint64_t, std::uint64_t>(pattern, {0, 1});
    }
}

TEST(CopyKernel, CopiesEveryElementAndNoMore) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::uint64_t const count : {0ULL, 1ULL, 255ULL, 2'048ULL, 2'049ULL, 3'000'001ULL}) {
        auto const words = make_keys<std::uint32_t>(0, count + 3, 1);
        auto const from = on_device(words);
        auto const to = on_device(std::vector<std::uint32_t>(count + 3, 0));
        launch_copy(nullptr, 4, to.data() + 1, from.data() + 2, count);
        std::vector<std::uint32_t> result(count + 3);
        KEYSWAP_CUDA(
            cudaMemcpy(result.data(), to.data(), result.size() * 4, cudaMemcpyDeviceToHost));
        std::vector<std::uint32_t> expected(count + 3, 0);
        std::copy_n(words.begin() + 2, count, expected.begin() + 1);
        ASSERT_EQ(result, expected);
    }
}

} // namespace
} // namespace keyswap::kernels
