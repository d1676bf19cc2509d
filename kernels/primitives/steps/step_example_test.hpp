#pragma once

/// \file Input of tests of steps: segments whose parts are scattered over two buffers.

#include "kernels/device/device_copies_test.hpp"
#include "kernels/primitives/steps/leading_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace keyswap::kernels::gpu_test {

inline std::uint64_t sum_of(std::vector<std::uint64_t> const& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

/// Consecutive segments, each divided into parts in reverse order; the first part is in the output
/// buffer, behind everything that the step writes.
struct PartExample {
    std::vector<SegmentPart> parts;
    std::vector<std::uint64_t> begins; ///< begins of the segments in the output, and the end
    std::uint32_t tiles = 0;

    /// Index of the part's first key among all keys.
    [[nodiscard]] std::uint64_t first_of(SegmentPart const& part) const {
        return part.buffer == KeyBuffer::output ? part.source - begins.back() : part.source;
    }
    /// Contents of the input buffer: other words for a part in the output buffer.
    template <class Word>
    [[nodiscard]] std::vector<Word> input(std::vector<Word> words) const {
        for (SegmentPart const& part : parts) {
            for (std::uint64_t i = 0; part.buffer == KeyBuffer::output && i < part.count; ++i) {
                Word& word = words[first_of(part) + i];
                word = static_cast<Word>(~word);
            }
        }
        return words;
    }
    /// Contents of the output buffer before the step.
    template <class Word>
    [[nodiscard]] std::vector<Word> output(std::vector<Word> words) const {
        words.insert(words.begin(), words.size(), Word{0});
        return words;
    }
};

/// \param digits of the segments; empty to use the step's digit
inline PartExample make_example(std::vector<std::uint64_t> const& sizes,
                                std::uint32_t keys_per_tile,
                                std::vector<BitWindow> const& digits) {
    PartExample example;
    std::uint64_t const total = sum_of(sizes);
    std::uint64_t source = total;
    std::uint64_t begin = 0;
    for (std::size_t segment = 0; segment < sizes.size(); ++segment) {
        example.begins.push_back(begin);
        std::uint32_t const segment_tile = example.tiles;
        std::uint64_t const third = sizes[segment] / 3;
        BitWindow const digit = digits.empty() ? BitWindow{} : digits[segment];
        for (std::uint64_t const count : {third, std::uint64_t{0}, sizes[segment] - third}) {
            if (count == 0) {
                continue;
            }
            source -= count;
            bool const is_output = example.tiles == segment_tile;
            example.parts.push_back({is_output ? total + source : source,
                                     count,
                                     begin,
                                     static_cast<std::uint32_t>(segment),
                                     example.tiles,
                                     segment_tile,
                                     is_output ? KeyBuffer::output : KeyBuffer::input,
                                     {static_cast<std::uint8_t>(digit.begin),
                                      static_cast<std::uint8_t>(digit.end - digit.begin)}});
            example.tiles +=
                static_cast<std::uint32_t>((count + keys_per_tile - 1) / keys_per_tile);
        }
        begin += sizes[segment];
    }
    example.begins.push_back(begin);
    return example;
}

/// Segment sizes around the tile size.
inline std::vector<std::uint64_t> segment_sizes(std::uint64_t tile) {
    return {1, tile - 1, tile, tile + 1, 2, 100'003, 3 * tile, 7};
}

template <class Key>
Key digit_of(Key key, BitWindow window) {
    return key >> window.begin & ((Key{1} << (window.end - window.begin)) - 1);
}

/// Input of a digit step: scattered parts of segments, on the device.
template <class Key>
class StepExample {
  public:
    StepExample(std::vector<Key> keys,
                std::vector<std::uint64_t> const& sizes,
                std::uint32_t keys_per_tile,
                std::vector<BitWindow> const& digits = {})
        : keys_(std::move(keys)), example_(make_example(sizes, keys_per_tile, digits)),
          device_keys_(on_device(example_.input(keys_))), parts_(on_device(example_.parts)),
          tiles_(0, example_.tiles), keys_out_(on_device(example_.output(keys_))) {
        launch_tiles(nullptr,
                     parts_.data(),
                     static_cast<std::uint32_t>(example_.parts.size()),
                     example_.tiles,
                     keys_per_tile,
                     tiles_.data());
    }

    [[nodiscard]] std::uint32_t segment_count() const {
        return static_cast<std::uint32_t>(example_.begins.size() - 1);
    }
    [[nodiscard]] std::vector<std::uint64_t> const& begins() const { return example_.begins; }
    [[nodiscard]] std::vector<Key> const& keys() const { return keys_; }
    [[nodiscard]] PartExample const& places() const { return example_; }

    /// A step by the window, or by the segments' own digits; the window is then one of the widest.
    /// Counts the bins. Valid as long as the example.
    DigitStep step_by(BitWindow window, int digit_bits) {
        std::size_t const bins = std::size_t{segment_count()} << digit_bits;
        bins_ = DeviceBuffer<std::uint32_t>{0, bins};
        scratch_ = DeviceBuffer<std::uint32_t>{
            0, std::max(bins, std::size_t{example_.tiles} << digit_bits)};
        count_bins(window, digit_bits, bins_.data());
        DigitStep step;
        step.keys_in = device_keys_.data();
        step.keys_out = keys_out_.data();
        step.tiles = tiles_.data();
        step.tile_count = example_.tiles;
        step.bins = bins_.data();
        step.bins_stride = 1U << digit_bits;
        step.scratch = scratch_.data();
        step.segment_count = segment_count();
        step.shift = window.begin;
        step.bits = window.end - window.begin;
        return step;
    }

    /// [segments][steps][2^digit_bits] keys of a segment below each digit value
    [[nodiscard]] std::vector<std::uint32_t>
    bins_of(BitWindow window, int digit_bits, int steps) const {
        std::size_t const count = (std::size_t{segment_count()} << digit_bits) * steps;
        DeviceBuffer<std::uint32_t> bins{0, count};
        count_bins(window, digit_bits, bins.data());
        return on_host(bins.data(), count);
    }

    /// Input indices of a segment's keys, in the order of its parts.
    [[nodiscard]] std::vector<std::uint64_t> indices_of(std::uint32_t segment) const {
        std::vector<std::uint64_t> indices;
        for (SegmentPart const& part : example_.parts) {
            for (std::uint64_t i = 0; part.segment == segment && i < part.count; ++i) {
                indices.push_back(example_.first_of(part) + i);
            }
        }
        return indices;
    }

    /// The sorted keys of every segment.
    [[nodiscard]] std::vector<Key> sorted_segments() const {
        std::vector<Key> expected;
        for (std::uint32_t segment = 0; segment < segment_count(); ++segment) {
            auto const begin = static_cast<std::ptrdiff_t>(expected.size());
            for (std::uint64_t const i : indices_of(segment)) {
                expected.push_back(keys_[i]);
            }
            std::sort(expected.begin() + begin, expected.end());
        }
        return expected;
    }

    [[nodiscard]] std::vector<Key> result() const {
        return on_host(keys_out_.data(), keys_.size());
    }

  private:
    void count_bins(BitWindow window, int digit_bits, std::uint32_t* bins) const {
        PartTable const segments{
            parts_.data(), static_cast<std::uint32_t>(example_.parts.size()), segment_count()};
        StepBuffers const keys{device_keys_.data(), keys_out_.data()};
        launch_segment_bins(
            nullptr,
            sizeof(Key),
            {{keys, segments, window, digit_bits, {}, bins}, tiles_.data(), example_.tiles});
    }

    std::vector<Key> keys_;
    PartExample example_;
    DeviceBuffer<Key> device_keys_;
    DeviceBuffer<SegmentPart> parts_;
    DeviceBuffer<SortTile> tiles_;
    DeviceBuffer<Key> keys_out_;
    DeviceBuffer<std::uint32_t> bins_;
    DeviceBuffer<std::uint32_t> scratch_;
};

} // namespace keyswap::kernels::gpu_test
