#include "kernels/segmented_sort.hpp"

#include "kernels/device_buffer.hpp"
#include "kernels/gpu_test.hpp"

#include <algorithm>
#include <functional>
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

template <class T>
std::vector<T> on_host(DeviceBuffer<T> const& buffer, std::size_t count) {
    std::vector<T> host(count);
    KEYSWAP_CUDA(cudaMemcpy(host.data(), buffer.data(), count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
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
    DeviceBuffer<std::uint32_t> const scratch{0, example.tiles * step_bins};
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
                        step_bits,
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
    step.scratch = scratch.data();
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

/// Sizes of segments around those of tiles.
std::vector<std::uint64_t> segment_sizes(std::uint64_t tile) {
    return {1, tile - 1, tile, tile + 1, 2, 100'003, 3 * tile, 7};
}

/// What an unstable step is run on: scattered parts of segments, and where they lie on the device.
template <class Key>
class UnstableExample {
  public:
    UnstableExample(std::vector<Key> keys, std::vector<std::uint64_t> const& sizes)
        : keys_(std::move(keys)), example_(make_example(sizes, unstable_tile_keys(sizeof(Key)))),
          device_keys_(on_device(keys_)), parts_(on_device(example_.parts)),
          tiles_(0, example_.tiles), keys_out_(0, keys_.size()) {
        launch_tiles(nullptr,
                     parts_.data(),
                     static_cast<std::uint32_t>(example_.parts.size()),
                     example_.tiles,
                     unstable_tile_keys(sizeof(Key)),
                     tiles_.data());
    }

    [[nodiscard]] std::uint32_t segment_count() const {
        return static_cast<std::uint32_t>(example_.begins.size() - 1);
    }

    /// Runs a step by the window's only digit, and returns the exclusive sums that it used.
    DeviceBuffer<std::uint32_t> run(BitWindow window, int digit_bits) {
        DeviceBuffer<std::uint32_t> bins{0, std::size_t{segment_count()} << digit_bits};
        DeviceBuffer<std::uint32_t> const scratch{0, std::size_t{segment_count()} << digit_bits};
        launch_segment_bins(nullptr,
                            sizeof(Key),
                            device_keys_.data(),
                            tiles_.data(),
                            example_.tiles,
                            segment_count(),
                            window,
                            digit_bits,
                            bins.data());
        DigitStep step;
        step.keys_in = device_keys_.data();
        step.keys_out = keys_out_.data();
        step.tiles = tiles_.data();
        step.tile_count = example_.tiles;
        step.bins = bins.data();
        step.bins_stride = 1U << digit_bits;
        step.scratch = scratch.data();
        step.segment_count = segment_count();
        step.shift = window.begin;
        step.bits = window.end - window.begin;
        launch_unstable_step(nullptr, sizeof(Key), step);
        KEYSWAP_CUDA(cudaDeviceSynchronize());
        return bins;
    }

    /// Every segment's keys in output order, sorted by `less`.
    template <class Less>
    [[nodiscard]] std::vector<Key> sorted_segments(Less const& less) const {
        std::vector<Key> expected;
        for (std::uint32_t segment = 0; segment < segment_count(); ++segment) {
            auto const begin = static_cast<std::ptrdiff_t>(expected.size());
            for (SegmentPart const& part : example_.parts) {
                if (part.segment == segment) {
                    auto const from = keys_.begin() + static_cast<std::ptrdiff_t>(part.source);
                    expected.insert(
                        expected.end(), from, from + static_cast<std::ptrdiff_t>(part.count));
                }
            }
            std::sort(expected.begin() + begin, expected.end(), less);
        }
        return expected;
    }

    [[nodiscard]] std::vector<Key> result() const { return on_host(keys_out_, keys_.size()); }
    [[nodiscard]] Key const* device_result() const { return keys_out_.data(); }
    [[nodiscard]] std::vector<std::uint64_t> const& begins() const { return example_.begins; }

  private:
    std::vector<Key> keys_;
    Example example_;
    DeviceBuffer<Key> device_keys_;
    DeviceBuffer<SegmentPart> parts_;
    DeviceBuffer<SortTile> tiles_;
    DeviceBuffer<Key> keys_out_;
};

/// After an unstable step every segment's digits ascend, and it has the keys that it had.
template <class Key>
void expect_step_groups(int pattern, BitWindow window, int digit_bits) {
    auto const sizes = segment_sizes(unstable_tile_keys(sizeof(Key)));
    std::uint64_t const total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    UnstableExample<Key> example{make_keys<Key>(pattern, total, 5), sizes};
    example.run(window, digit_bits);
    auto const digit = [window](Key key) {
        return key >> window.begin & ((Key{1} << (window.end - window.begin)) - 1);
    };
    auto result = example.result();
    for (std::size_t i = 0; i + 1 < example.begins().size(); ++i) {
        auto const begin = result.begin() + static_cast<std::ptrdiff_t>(example.begins()[i]);
        auto const end = result.begin() + static_cast<std::ptrdiff_t>(example.begins()[i + 1]);
        ASSERT_TRUE(
            std::is_sorted(begin, end, [&digit](Key a, Key b) { return digit(a) < digit(b); }));
        std::sort(begin, end);
    }
    ASSERT_EQ(result, example.sorted_segments(std::less<>{}));
}

TEST(UnstableStepKernel, GroupsEverySegmentByOneDigitFromScatteredParts) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_step_groups<std::uint32_t>(pattern, {0, 8}, step_bits);
        expect_step_groups<std::uint32_t>(pattern, {24, 32}, step_bits);
        expect_step_groups<std::uint32_t>(pattern, {15, 24}, wide_step_bits);
        expect_step_groups<std::uint32_t>(pattern, {3, 5}, step_bits);
        expect_step_groups<std::uint64_t>(pattern, {56, 64}, step_bits);
        expect_step_groups<std::uint64_t>(pattern, {0, 1}, step_bits);
    }
}

/// A step by bits 15 to 23 and a counting sort order keys that agree in their highest 8 bits.
void expect_counting_sorts(std::vector<std::uint32_t> keys,
                           std::vector<std::uint64_t> const& sizes) {
    for (std::uint32_t& key : keys) {
        key = (key & 0xffffffU) | 0x5a000000U;
    }
    UnstableExample<std::uint32_t> example{keys, sizes};
    auto const bins = example.run({counting_bits, 24}, wide_step_bits);
    std::vector<SegmentPart> segments;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        segments.push_back({0, sizes[i], example.begins()[i], static_cast<std::uint32_t>(i)});
    }
    auto const device_segments = on_device(segments);
    DeviceBuffer<std::uint32_t> const out{0, keys.size()};
    CountingSort sort;
    sort.keys_in = example.device_result();
    sort.keys_out = out.data();
    sort.segments = device_segments.data();
    sort.segment_count = example.segment_count();
    sort.bins = bins.data();
    launch_counting_sort(nullptr, sort);
    ASSERT_EQ(on_host(out, keys.size()), example.sorted_segments(std::less<>{}));
}

TEST(CountingSortKernel, SortsWhatAStepOfNineBitsLeaves) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const sizes = segment_sizes(unstable_tile_keys(4));
    std::uint64_t const total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_counting_sorts(make_keys<std::uint32_t>(pattern, total, 7), sizes);
    }
}

TEST(CountingSortKernel, SortsStretchesWithMoreKeysThanACounterOf16BitsHolds) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::uint64_t const count :
         {16'384ULL, 16'385ULL, 65'535ULL, 65'536ULL, 65'537ULL, 1'000'003ULL}) {
        auto keys = make_keys<std::uint32_t>(0, count, 3);
        for (std::uint32_t& key : keys) {
            key &= 0x7fffU; // one stretch
        }
        expect_counting_sorts(keys, {count});
        expect_counting_sorts(std::vector<std::uint32_t>(count, 77), {count});
        expect_counting_sorts(std::vector<std::uint32_t>(count, 0x7fff), {count});
    }
}

TEST(CrowdingSample, FindsStretchesThatHoldMuchOfTheKeys) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const most_of = [](std::vector<std::uint32_t> const& keys) {
        auto const device_keys = on_device(keys);
        DeviceBuffer<std::uint32_t> const most{0, 1};
        launch_crowding_sample(nullptr, device_keys.data(), keys.size(), {}, most.data());
        return on_host(most, 1).front();
    };
    auto keys = make_keys<std::uint32_t>(0, 1'000'000, 3);
    EXPECT_LT(most_of(keys), 12U); // 4,096 samples on 8,192 counters
    for (std::size_t i = 0; i < keys.size(); i += 10) {
        keys[i] = 0x12340000U + static_cast<std::uint32_t>(i % 1000);
    }
    EXPECT_GT(most_of(keys), 300U); // a tenth
    EXPECT_EQ(most_of(std::vector<std::uint32_t>(1'000'000, 5)), crowding_samples);
    EXPECT_EQ(most_of(std::vector<std::uint32_t>(3, 5)), 3U);
    EXPECT_EQ(most_of({}), 0U);
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
