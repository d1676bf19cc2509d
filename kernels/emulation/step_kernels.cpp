/// \file The kernels of a sort by segments, emulated by plain loops.

#include "kernels/emulation/host_words.hpp"
#include "kernels/primitives/copy_kernels.hpp"
#include "kernels/primitives/steps/counting_sort.hpp"
#include "kernels/primitives/steps/crowding_sample.hpp"
#include "kernels/primitives/steps/leading_counts.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::kernels {

using emulation::bits_of;
using emulation::move_element;
using emulation::words;

namespace {

/// The label of an image: a digit, or the range found through its digits' entry.
template <class Word>
std::size_t label_of(DigitStep const& step, OwnDigit own, Word image) {
    BitWindow const digit = own.or_else(step.digit());
    auto const value =
        static_cast<std::size_t>(bits_of(image, digit.begin, digit.end - digit.begin));
    if (step.ranges == nullptr) {
        return value;
    }
    int below = step.shift;
    std::uint32_t entry = step.ranges->entries[value];
    while ((entry & LabelEntry::node_bit) != 0) {
        std::size_t const node = entry & LabelEntry::number_mask;
        KEYSWAP_EXPECTS(node < step.ranges->nodes);
        int const next = std::max(below - step.bits, 0);
        auto const narrow = static_cast<std::size_t>(bits_of(image, next, below - next));
        entry =
            step.ranges->entries[(node << step.bits) + (narrow << (step.bits - (below - next)))];
        below = next;
    }
    std::uint64_t const* const lowest = step.ranges->lowest;
    std::size_t label = entry & LabelEntry::number_mask;
    while ((entry & LabelEntry::search_bit) != 0 && label + 1 < step.ranges->labels &&
           lowest[label + 1] <= image) {
        ++label;
    }
    KEYSWAP_EXPECTS(lowest[label] <= image &&
                    (label + 1 == step.ranges->labels || image < lowest[label + 1]));
    return label;
}

int label_bits(DigitStep const& step) {
    return step.ranges == nullptr ? step.bits : wide_step_bits;
}

/// Scatters a tile's elements. \param taken positions already used, by segment and label
void place_tile(ElementShape shape,
                DigitStep const& step,
                SortTile const& tile,
                std::vector<std::uint64_t>& taken) {
    with_key_word(shape.key_bytes, [&]<class Word>() {
        for (std::uint32_t i = 0; i < tile.count; ++i) {
            Word const image =
                encode_image(step.keys_read().of<Word>(tile.buffer)[tile.source + i], step.encode);
            std::size_t const label = label_of(step, tile.digit, image);
            std::uint64_t const to =
                tile.destination + step.bins[std::size_t{tile.segment} * step.bins_stride + label] +
                taken[(std::size_t{tile.segment} << label_bits(step)) + label]++;
            words<Word>(step.keys_out)[to] = decode_image(image, step.decode);
            move_element(step.values_out,
                         to,
                         step.values_read().of<void>(tile.buffer),
                         tile.source + i,
                         shape.value_bytes);
        }
    });
}

std::vector<std::uint64_t> none_taken(DigitStep const& step) {
    std::uint32_t segments = 0;
    for (std::uint32_t i = 0; i < step.tile_count; ++i) {
        segments = std::max(segments, step.tiles[i].segment + 1);
    }
    return std::vector<std::uint64_t>(std::size_t{segments} << label_bits(step));
}

} // namespace

std::uint32_t tile_keys(ElementShape /*shape*/, int /*bits*/) {
    return 64;
}
std::uint32_t unstable_tile_keys(ElementShape /*shape*/) {
    return 64;
}

void launch_tiles(cudaStream_t /*stream*/,
                  SegmentPart const* parts,
                  std::uint32_t part_count,
                  std::uint32_t tile_count,
                  std::uint32_t keys_per_tile,
                  SortTile* tiles) {
    std::uint32_t made = 0;
    for (std::uint32_t i = 0; i < part_count; ++i) {
        KEYSWAP_EXPECTS(parts[i].first_tile == made);
        for (std::uint64_t at = 0; at < parts[i].count; at += keys_per_tile) {
            auto const count = std::min<std::uint64_t>(keys_per_tile, parts[i].count - at);
            tiles[made++] = {parts[i].source + at,
                             parts[i].destination,
                             static_cast<std::uint32_t>(count),
                             parts[i].segment,
                             parts[i].segment_tile,
                             parts[i].buffer,
                             parts[i].digit};
        }
    }
    KEYSWAP_EXPECTS(made == tile_count);
}

void launch_segment_bins(cudaStream_t stream, int key_bytes, SegmentBins const& all_bins) {
    StepBuffers const& keys = all_bins.keys;
    SortTile const* const tiles = all_bins.tiles;
    std::uint32_t const tile_count = all_bins.tile_count;
    std::uint32_t const segment_count = all_bins.segments.segment_count;
    BitWindow const window = all_bins.window;
    int const digit_bits = all_bins.digit_bits;
    std::uint32_t* const bins = all_bins.bins;
    std::uint8_t const* const known = all_bins.counts.words == nullptr ? nullptr : all_bins.known;
    if (known != nullptr) {
        launch_leading_bins(stream, key_bytes, all_bins);
    }
    auto const digits =
        static_cast<std::size_t>((window.end - window.begin + digit_bits - 1) / digit_bits);
    std::size_t const row = std::size_t{1} << digit_bits;
    if (known == nullptr) {
        std::fill_n(bins, segment_count * digits * row, 0U);
    }
    with_key_word(key_bytes, [&]<class Word>() {
        for (std::uint32_t t = 0; t < tile_count; ++t) {
            if (known != nullptr && known[tiles[t].segment] != 0) {
                continue;
            }
            BitWindow const read = tiles[t].digit.or_else(window);
            for (std::uint32_t i = 0; i < tiles[t].count; ++i) {
                Word const image = keys.of<Word>(tiles[t].buffer)[tiles[t].source + i];
                for (std::size_t digit = 0; digit < digits; ++digit) {
                    int const begin = read.begin + static_cast<int>(digit) * digit_bits;
                    auto const value = static_cast<std::size_t>(
                        bits_of(image, begin, std::min(digit_bits, read.end - begin)));
                    ++bins[(tiles[t].segment * digits + digit) * row + value];
                }
            }
        }
    });
    for (std::size_t i = 0; i < segment_count * digits; ++i) {
        if (known != nullptr && known[i / digits] != 0) {
            continue;
        }
        std::exclusive_scan(bins + i * row, bins + (i + 1) * row, bins + i * row, 0U);
    }
}

bool can_count_leading_bits(int /*device*/, int /*key_bytes*/) {
    return true;
}

void launch_leading_counts(cudaStream_t /*stream*/,
                           RawKeys const& keys,
                           LeadingCounts const& counts) {
    int const key_bytes = keys.key_bytes;
    std::fill_n(counts.words, leading_words(key_bytes), 0U);
    with_key_word(key_bytes, [&]<class Word>() {
        for (std::uint64_t i = 0; i < keys.count; ++i) {
            Word const image = encode_image(words<Word>(keys.keys)[i], keys.code);
            ++counts.counts()[bits_of(
                image, key_bytes * 8 - leading_bits(key_bytes), leading_bits(key_bytes))];
        }
    });
}

void launch_leading_digits(cudaStream_t /*stream*/,
                           RawKeys const& keys,
                           LeadingCounts const& counts,
                           int bits,
                           std::uint64_t* digits) {
    int const key_bytes = keys.key_bytes;
    std::fill_n(digits, std::size_t{1} << bits, std::uint64_t{0});
    for (std::size_t leading = 0; leading < leading_values(key_bytes); ++leading) {
        digits[leading >> (leading_bits(key_bytes) - bits)] += counts.counts()[leading];
    }
}

void launch_leading_sum(cudaStream_t /*stream*/,
                        int key_bytes,
                        std::uint32_t const* rows,
                        std::uint32_t row_count,
                        LeadingCounts const& sum) {
    for (std::size_t i = 0; i < leading_words(key_bytes); ++i) {
        sum.words[i] = 0;
        for (std::uint32_t row = 0; row < row_count; ++row) {
            sum.words[i] += rows[row * leading_words(key_bytes) + i];
        }
    }
}

void launch_leading_bins(cudaStream_t /*stream*/, int key_bytes, LeadingBins const& all_bins) {
    PartTable const& segments = all_bins.segments;
    std::size_t const row = std::size_t{1} << all_bins.digit_bits;
    std::fill_n(all_bins.bins, segments.segment_count * row, 0U);
    std::fill_n(all_bins.known, segments.segment_count, std::uint8_t{0});
    for (std::uint32_t i = 0; i < segments.part_count;) {
        SegmentPart const& part = segments.parts[i];
        std::uint64_t count = 0;
        for (; i < segments.part_count && segments.parts[i].segment == part.segment; ++i) {
            count += segments.parts[i].count;
        }
        BitWindow const digit = part.digit.or_else(all_bins.window);
        int const bits_in_bin = digit.begin - (key_bytes * 8 - leading_bits(key_bytes));
        if (bits_in_bin < 0) {
            continue;
        }
        std::size_t first = 0;
        if (digit.end < key_bytes * 8) {
            with_key_word(key_bytes, [&]<class Word>() {
                Word const image = all_bins.keys.of<Word>(part.buffer)[part.source];
                first = static_cast<std::size_t>(image >> digit.end)
                        << (bits_in_bin + digit.end - digit.begin);
            });
        }
        std::uint32_t* const own = all_bins.bins + part.segment * row;
        std::uint32_t before = 0;
        for (std::size_t bin = 0; bin < row; ++bin) {
            own[bin] = before;
            if (bin >> (digit.end - digit.begin) == 0) {
                std::uint32_t const* const counted =
                    all_bins.counts.counts() + first + (bin << bits_in_bin);
                before = std::accumulate(counted, counted + (1 << bits_in_bin), before);
            }
        }
        all_bins.known[part.segment] = before == count ? 1 : 0;
        if (before != count) {
            std::fill_n(own, row, 0U);
        }
    }
}

void launch_digit_step(cudaStream_t /*stream*/, ElementShape shape, DigitStep const& step) {
    auto taken = none_taken(step);
    for (std::uint32_t i = 0; i < step.tile_count; ++i) {
        place_tile(shape, step, step.tiles[i], taken);
    }
}

void launch_unstable_step(cudaStream_t /*stream*/, ElementShape shape, DigitStep const& step) {
    auto taken = none_taken(step);
    for (std::uint32_t i = step.tile_count; i-- > 0;) {
        place_tile(shape, step, step.tiles[i], taken);
    }
}

void launch_counting_sort(cudaStream_t /*stream*/, CountingSort const& sort) {
    for (std::uint32_t i = 0; i < sort.segment_count; ++i) {
        SegmentPart const& segment = sort.segments[i];
        std::uint32_t const* const bins = sort.bins + (std::size_t{i} << wide_step_bits);
        std::uint32_t* const out = sort.keys_out + segment.source;
        std::copy_n(sort.keys_in + segment.source, segment.count, out);
        for (std::size_t digit = 0; digit < std::size_t{1} << wide_step_bits; ++digit) {
            bool const is_last = digit + 1 == std::size_t{1} << wide_step_bits;
            std::sort(out + bins[digit], out + (is_last ? segment.count : bins[digit + 1]));
        }
        for (std::uint64_t k = 0; k < segment.count; ++k) {
            out[k] = decode_image(out[k], sort.decode);
        }
    }
}

void launch_crowding_sample(cudaStream_t /*stream*/,
                            RawKeys const& keys,
                            int shift,
                            std::uint32_t* most) {
    std::vector<WideImage> stretches;
    with_key_word(keys.key_bytes, [&]<class Word>() {
        std::uint64_t const samples = std::min<std::uint64_t>(crowding_samples, keys.count);
        for (std::uint64_t i = 0; i < samples; ++i) {
            std::uint64_t const at = i * keys.count / samples;
            stretches.push_back(encode_image(words<Word>(keys.keys)[at], keys.code) >> shift);
        }
    });
    std::ranges::sort(stretches);
    *most = 0;
    for (auto begin = stretches.begin(); begin != stretches.end();) {
        auto const end = std::upper_bound(begin, stretches.end(), *begin);
        *most = std::max(*most, static_cast<std::uint32_t>(end - begin));
        begin = end;
    }
}

void launch_copy(cudaStream_t /*stream*/,
                 int element_bytes,
                 void* destination,
                 void const* source,
                 std::uint64_t count) {
    if (element_bytes > 0 && count > 0) {
        KEYSWAP_EXPECTS(element_bytes == 4 || element_bytes == 8 || element_bytes == 16);
        std::memmove(destination, source, count * static_cast<std::size_t>(element_bytes));
    }
}

void launch_fills(cudaStream_t /*stream*/,
                  int key_bytes,
                  void* keys,
                  std::span<KeyFill const> fills) {
    KEYSWAP_EXPECTS(key_bytes == 4 || key_bytes == 8);
    with_key_word(key_bytes, [&]<class Word>() {
        for (KeyFill const& fill : fills) {
            std::fill_n(words<Word>(keys) + fill.offset, fill.count, static_cast<Word>(fill.image));
        }
    });
}

} // namespace keyswap::kernels
