/// \file The kernels of passes, swaps and samples, emulated by plain loops. If a kernel may reorder
/// equal keys, tiles are processed from last to first.

#include "kernels/emulation/host_words.hpp"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/partition/host_draw.hpp"
#include "kernels/primitives/partition/host_placement.hpp"
#include "kernels/primitives/partition/partition_kernels.hpp"
#include "kernels/primitives/steps/label_step.hpp"
#include "kernels/primitives/steps/search_tree.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/records/sequence_digest.hpp"

#include <algorithm>

namespace keyswap::kernels {

using emulation::bits_of;
using emulation::move_element;
using emulation::words;

void launch_histogram(cudaStream_t /*stream*/,
                      int key_bytes,
                      void const* keys,
                      PartList const& parts,
                      DigitWindow window,
                      std::uint64_t* counts,
                      CountsBefore before) {
    if (before == CountsBefore::cleared) {
        std::fill_n(counts, std::size_t{parts.count} << window.bits, 0U);
    }
    with_key_word(key_bytes, [&]<class Word>() {
        for (std::uint32_t i = 0; i < parts.count; ++i) {
            Word const* const part = words<Word>(keys) + parts.part[i].offset;
            for (std::uint64_t k = 0; k < parts.part[i].count; ++k) {
                Word const image = encode_image(part[k], window.encode);
                auto const digit =
                    static_cast<std::size_t>(bits_of(image, window.shift, window.bits));
                ++counts[(std::size_t{i} << window.bits) + digit];
            }
        }
    });
}

void launch_range_histogram(cudaStream_t /*stream*/,
                            int key_bytes,
                            void const* keys,
                            std::uint64_t count,
                            CountedRanges const& ranges,
                            DigitWindow window,
                            std::uint64_t* counts) {
    std::fill_n(counts, std::size_t{ranges.count} << window.bits, 0U);
    with_key_word(key_bytes, [&]<class Word>() {
        for (std::uint64_t k = 0; k < count; ++k) {
            Word const image = encode_image(words<Word>(keys)[k], window.encode);
            for (std::uint32_t i = 0; i < ranges.count; ++i) {
                if (ranges.lowest[i] <= image && image <= ranges.highest[i]) {
                    auto const digit =
                        static_cast<std::size_t>(bits_of(image, window.shift, window.bits));
                    ++counts[(std::size_t{i} << window.bits) + digit];
                }
            }
        }
    });
}

void launch_tree_histogram(cudaStream_t /*stream*/,
                           int key_bytes,
                           void const* keys,
                           KeyRange const& range,
                           CountedNodes const& nodes,
                           ImageCode encode,
                           std::uint64_t* counts,
                           CountsBefore before) {
    int const bits = nodes.shape.digit_bits;
    if (before == CountsBefore::cleared) {
        std::fill_n(counts, std::size_t{nodes.count} << bits, 0U);
    }
    with_key_word(key_bytes, [&]<class Word>() {
        for (std::uint64_t k = 0; k < range.count; ++k) {
            Word const image = encode_image(words<Word>(keys)[range.offset + k], encode);
            std::size_t node = 0;
            for (int pass = 1; pass == 1 || node != 0; ++pass) {
                auto const digit = static_cast<std::size_t>(
                    bits_of(image, nodes.shape.bits_below(pass), nodes.shape.bits_of(pass)));
                std::size_t const at =
                    (node << bits) + (digit << (bits - nodes.shape.bits_of(pass)));
                ++counts[at];
                node = nodes.children[at];
            }
        }
    });
}

void launch_fold(cudaStream_t /*stream*/,
                 std::uint64_t const* halves,
                 std::uint32_t count,
                 std::uint64_t* counts) {
    for (std::uint32_t i = 0; i < count; ++i) {
        counts[i] = halves[2 * i] + halves[2 * i + 1];
    }
}

void launch_placement(cudaStream_t /*stream*/,
                      PlacementRule rule,
                      BucketStarts const& starts,
                      std::uint32_t digit_count,
                      std::uint64_t const* table,
                      PlacementDecision* decisions) {
    place_buckets(rule, starts, digit_count, table, decisions);
}

void launch_image_change(cudaStream_t /*stream*/,
                         int key_bytes,
                         void* keys,
                         std::uint64_t count,
                         ImageCode code,
                         ImageChange change) {
    with_key_word(key_bytes, [&]<class Word>() {
        for (std::uint64_t i = 0; i < count; ++i) {
            Word& word = words<Word>(keys)[i];
            word =
                change == ImageChange::encode ? encode_image(word, code) : decode_image(word, code);
        }
    });
}

namespace {

MultisetDigest digest_at(DigestedElements const& elements, std::uint64_t at, WideImage image) {
    std::uint64_t value = 0;
    if (elements.value_bytes > 0) {
        std::memcpy(&value,
                    static_cast<std::byte const*>(elements.values) +
                        at * static_cast<std::size_t>(elements.value_bytes),
                    static_cast<std::size_t>(elements.value_bytes));
    }
    return elements.key_bytes > 8 ? digest_of_wide(key_image(image), value)
                                  : digest_of(static_cast<std::uint64_t>(image), value);
}

WideImage image_at(DigestedElements const& elements, std::uint64_t at) {
    WideImage image = 0;
    with_key_word(elements.key_bytes, [&]<class Word>() {
        image = encode_image(words<Word>(elements.keys)[at], elements.code);
    });
    return image;
}

} // namespace

void launch_digests(cudaStream_t /*stream*/,
                    DigestedElements const& elements,
                    KeyRange const* ranges,
                    std::uint32_t range_count,
                    MultisetDigest* digests) {
    for (std::uint32_t i = 0; i < range_count; ++i) {
        digests[i] = {};
        for (std::uint64_t k = ranges[i].offset; k < ranges[i].offset + ranges[i].count; ++k) {
            digests[i] += digest_at(elements, k, image_at(elements, k));
        }
    }
}

void launch_bucket_digests(cudaStream_t /*stream*/,
                           DigestedElements const& elements,
                           BucketDigests const& buckets,
                           MultisetDigest* digests) {
    std::fill_n(digests, buckets.bucket_count, MultisetDigest{});
    for (std::uint32_t i = 0; i < buckets.stretch_count; ++i) {
        BucketStretch const& stretch = buckets.stretches[i];
        for (std::uint64_t k = 0; k < stretch.range.count; ++k) {
            std::uint64_t const at = stretch.range.offset + k;
            WideImage const image = image_at(elements, at);
            std::uint32_t bucket = stretch.first_bucket;
            while (bucket + 1 < stretch.first_bucket + stretch.bucket_count &&
                   buckets.lowest[bucket + 1] <= image) {
                ++bucket;
            }
            digests[bucket] += digest_at(elements, at, image);
        }
    }
}

std::size_t radix_sort_temp_bytes(ElementShape /*shape*/, std::uint64_t /*count*/) {
    return 1;
}

/// Ends in either buffer, as CUB does, and does not modify the other.
int launch_radix_sort(cudaStream_t /*stream*/,
                      ElementShape shape,
                      SortBuffers const& buffers,
                      std::uint64_t count,
                      BitWindow window,
                      void* /*temp*/,
                      std::size_t /*temp_bytes*/,
                      RadixPolicy /*policy*/) {
    auto const from = static_cast<std::size_t>(buffers.current);
    auto const to = count % 2 == 0 ? from : 1 - from;
    with_key_word(shape.key_bytes, [&]<class Word>() {
        Word const* const keys = words<Word>(buffers.keys[from]);
        auto const digit_at = [&](std::uint64_t i) {
            return bits_of(keys[i], window.begin, window.end - window.begin);
        };
        std::vector<std::uint64_t> order(count);
        std::iota(order.begin(), order.end(), std::uint64_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
            return digit_at(a) < digit_at(b);
        });
        std::vector<std::byte> sorted_keys(count * sizeof(Word));
        std::vector<std::byte> sorted_values(count * static_cast<std::size_t>(shape.value_bytes));
        for (std::uint64_t i = 0; i < count; ++i) {
            move_element(sorted_keys.data(), i, keys, order[i], shape.key_bytes);
            move_element(
                sorted_values.data(), i, buffers.values[from], order[i], shape.value_bytes);
        }
        std::ranges::copy(sorted_keys, words<std::byte>(buffers.keys[to]));
        std::ranges::copy(sorted_values, words<std::byte>(buffers.values[to]));
    });
    return static_cast<int>(to);
}

std::uint32_t label_tile_keys(ElementShape /*shape*/) {
    return 64;
}

void launch_labels(cudaStream_t /*stream*/,
                   int key_bytes,
                   StepBuffers keys,
                   LabelTiles const& tiles,
                   void const* trees,
                   std::uint8_t* labels,
                   std::uint64_t* counts) {
    std::fill_n(counts, std::size_t{tiles.segment_count} << tiles.child_bits, 0U);
    with_key_word(key_bytes, [&]<class Word>() {
        for (std::uint32_t t = 0; t < tiles.tile_count; ++t) {
            SortTile const& tile = tiles.tiles[t];
            Word const* const tree = words<Word>(trees) + std::size_t{tile.segment} * tree_words;
            for (std::uint32_t i = 0; i < tile.count; ++i) {
                auto const child = child_in_tree(tree, keys.of<Word>(tile.buffer)[tile.source + i]);
                labels[std::size_t{t} * tiles.keys_per_tile + i] = static_cast<std::uint8_t>(child);
                ++counts[(std::size_t{tile.segment} << tiles.child_bits) + child];
            }
        }
    });
}

void launch_cursors(cudaStream_t /*stream*/,
                    SegmentPart const* parts,
                    LabelTiles const& tiles,
                    std::uint64_t const* counts,
                    std::uint64_t* cursors) {
    for (std::uint32_t segment = 0; segment < tiles.segment_count; ++segment) {
        std::uint64_t at = parts[segment].destination;
        std::size_t const first = std::size_t{segment} << tiles.child_bits;
        for (std::size_t i = first; i < first + (std::size_t{1} << tiles.child_bits); ++i) {
            cursors[i] = at;
            at += counts[i];
        }
    }
}

void launch_label_move(cudaStream_t /*stream*/,
                       ElementShape shape,
                       LabelTiles const& tiles,
                       LabelMove const& move) {
    for (std::uint32_t t = tiles.tile_count; t-- > 0;) {
        SortTile const& tile = tiles.tiles[t];
        for (std::uint32_t i = 0; i < tile.count; ++i) {
            std::size_t const child = (std::size_t{tile.segment} << tiles.child_bits) +
                                      move.labels[std::size_t{t} * tiles.keys_per_tile + i];
            std::uint64_t const to = move.cursors[child]++;
            std::uint64_t const from = tile.source + i;
            auto const* const keys = move.keys_read().of<void>(tile.buffer);
            auto const* const values = move.values_read().of<void>(tile.buffer);
            move_element(move.keys_out, to, keys, from, shape.key_bytes);
            move_element(move.values_out, to, values, from, shape.value_bytes);
        }
    }
}

void launch_draw(cudaStream_t /*stream*/,
                 int key_bytes,
                 void const* keys,
                 SampleDraw const& draw,
                 void* sample) {
    draw_on_host(key_bytes, keys, draw, static_cast<std::byte*>(sample));
}

} // namespace keyswap::kernels
