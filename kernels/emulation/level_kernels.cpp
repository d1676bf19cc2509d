/// \file The kernels of a GPU's own sort, emulated by plain loops: children of a level, leaves,
/// splitters and counted stretches.

#include "kernels/emulation/host_words.hpp"
#include "kernels/primitives/leaves/leaf_sort.hpp"
#include "kernels/primitives/leaves/quicksort_leaves.hpp"
#include "kernels/primitives/steps/direct_step.hpp"
#include "kernels/primitives/steps/stretch_counts.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <bit>

namespace keyswap::kernels {

using emulation::move_element;
using emulation::words;

void launch_digit_children(cudaStream_t /*stream*/,
                           DigitChildren const& children,
                           std::uint32_t segment_count) {
    std::size_t const digits = std::size_t{1} << children.digit_bits;
    for (std::size_t i = 0; i < segment_count; ++i) {
        SegmentPart const& part = children.parts[i];
        for (std::size_t digit = 0; digit < digits; ++digit) {
            std::size_t const at = i * digits + digit;
            std::uint64_t const end = digit + 1 < digits ? children.bins[at + 1] : part.count;
            children.counts[at] = end - children.bins[at];
            children.ends[at] = part.destination + end;
            children.one_values[at] = part.digit.begin == 0 ? 1 : 0;
        }
    }
}

void launch_child_kinds(cudaStream_t /*stream*/,
                        LeafSizes const& sizes,
                        ChildTable const& table,
                        std::uint32_t count,
                        ChildCursors cursors) {
    *table.kinds = {};
    for (std::uint32_t entry = 0; entry < count; ++entry) {
        std::uint64_t const keys = table.counts[entry];
        if (keys == 0) {
            continue;
        }
        auto const fitting = std::ranges::lower_bound(sizes, keys);
        if (fitting != sizes.end()) {
            auto const leaf_class = static_cast<std::size_t>(fitting - sizes.begin());
            std::uint32_t& taken = table.kinds->leaves[leaf_class];
            table.leaves[leaf_class * table.entries + taken++] = entry;
            continue;
        }
        std::uint64_t const begin =
            cursors == ChildCursors::at_begins ? table.ends[entry] : table.ends[entry] - keys;
        table.large[table.kinds->large++] = {begin, keys, table.one_value[entry] != 0, entry};
    }
}

namespace {

/// Sorts a leaf by its keys; reverses equal keys if the sort need not be stable.
template <class Word>
void sort_leaf(ElementShape shape,
               Stability ties,
               LeafArrays const& arrays,
               std::uint64_t begin,
               std::uint64_t count) {
    Word const* const keys = words<Word>(arrays.keys_in) + begin;
    std::vector<std::uint64_t> order(count);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::ranges::sort(order, [keys, ties](std::uint64_t a, std::uint64_t b) {
        return keys[a] != keys[b] ? keys[a] < keys[b] : ties == Stability::stable ? a < b : a > b;
    });
    std::vector<Word> sorted_keys;
    std::vector<std::byte> sorted_values(count * static_cast<std::size_t>(shape.value_bytes));
    for (std::uint64_t i = 0; i < count; ++i) {
        sorted_keys.push_back(decode_image(keys[order[i]], arrays.decode));
        move_element(
            sorted_values.data(), i, arrays.values_in, begin + order[i], shape.value_bytes);
    }
    std::ranges::copy(sorted_keys, words<Word>(arrays.keys_out) + begin);
    for (std::uint64_t i = 0; i < count; ++i) {
        move_element(arrays.values_out, begin + i, sorted_values.data(), i, shape.value_bytes);
    }
}

} // namespace

void launch_leaf_sorts(std::span<cudaStream_t const> /*streams*/, LeafSort const& sort) {
    ChildTable const& table = sort.table;
    with_key_word(sort.shape.key_bytes, [&]<class Word>() {
        for (std::size_t leaf_class = 0; leaf_class < leaf_classes; ++leaf_class) {
            for (std::uint32_t i = 0; i < sort.kinds.leaves[leaf_class]; ++i) {
                std::uint32_t const entry = table.leaves[leaf_class * table.entries + i];
                std::uint64_t const count = table.counts[entry];
                sort_leaf<Word>(
                    sort.shape, sort.ties, sort.arrays, table.ends[entry] - count, count);
            }
        }
    });
}

void launch_segment_trees(cudaStream_t /*stream*/, int key_bytes, SegmentTrees const& all_trees) {
    StepBuffers const& keys = all_trees.keys;
    SplitSegments const& segments = all_trees.segments;
    TreeShape const& shape = all_trees.shape;
    with_key_word(key_bytes, [&]<class Word>() {
        for (std::uint32_t i = 0; i < segments.count; ++i) {
            SplitSegment const& segment = segments.segments[i];
            auto const key_at = [&](std::uint64_t number) {
                if (segment.part_count == 0) {
                    return keys.of<Word>(KeyBuffer::input)[segment.begin + number];
                }
                SegmentPart const* part = segments.parts + segment.first_part;
                while (number >= part->count) {
                    number -= part->count;
                    ++part;
                }
                return keys.of<Word>(part->buffer)[part->source + number];
            };
            std::vector<Word> sample;
            for (std::uint32_t draw = 0; draw < segment.ways * shape.oversampling; ++draw) {
                sample.push_back(
                    key_at(sample_position(segment.begin, segment.count, draw) - segment.begin));
            }
            std::ranges::sort(sample);
            std::vector<Word> picks;
            for (std::uint32_t way = 1; way < segment.ways; ++way) {
                picks.push_back(sample[way * shape.oversampling - 1]);
            }
            std::uint32_t const nodes = shape.words();
            std::uint8_t* const ones = all_trees.one_value + std::size_t{i} * nodes;
            std::fill_n(ones, nodes, std::uint8_t{0});
            std::vector<Word> edges;
            bool const is_alone = std::ranges::count(picks, picks.front()) ==
                                  static_cast<std::ptrdiff_t>(picks.size());
            for (auto pick = picks.begin(); pick != picks.end();) {
                auto const next = std::upper_bound(pick, picks.end(), *pick);
                if (next - pick > 1 || is_alone) {
                    ones[edges.size() + 1] = 1;
                    edges.push_back(*pick);
                }
                if (*pick != static_cast<Word>(~Word{0})) {
                    edges.push_back(static_cast<Word>(*pick + 1));
                }
                pick = next;
            }
            for (std::uint32_t node = 0; node < nodes; ++node) {
                words<Word>(all_trees.trees)[std::size_t{i} * nodes + node] =
                    tree_word(edges.data(), static_cast<std::uint32_t>(edges.size()), node, nodes);
            }
        }
    });
}

void launch_decoding_copy(cudaStream_t /*stream*/,
                          ElementShape shape,
                          LabelTiles const& tiles,
                          MovedArrays const& arrays,
                          ImageCode decode) {
    bool const moves_values = shape.value_bytes > 0 && arrays.values_in != arrays.values_out;
    with_key_word(shape.key_bytes, [&]<class Word>() {
        for (std::uint32_t t = 0; t < tiles.tile_count; ++t) {
            SortTile const& tile = tiles.tiles[t];
            std::uint64_t const to =
                tile.destination + std::uint64_t{t - tile.segment_tile} * tiles.keys_per_tile;
            for (std::uint32_t i = 0; i < tile.count; ++i) {
                words<Word>(arrays.keys_out)[to + i] =
                    decode_image(arrays.keys_read().of<Word>(tile.buffer)[tile.source + i], decode);
                move_element(arrays.values_out,
                             to + i,
                             arrays.values_read().of<void>(tile.buffer),
                             tile.source + i,
                             moves_values ? shape.value_bytes : 0);
            }
        }
    });
}

void launch_middle_stretches(cudaStream_t /*stream*/, BlockStretches const& sort) {
    for (std::uint32_t i = 0; i < sort.stretch_count; ++i) {
        SegmentPart const& stretch = sort.stretches[i];
        std::vector<std::uint32_t> keys(sort.keys_in + stretch.source,
                                        sort.keys_in + stretch.source + stretch.count);
        std::ranges::sort(keys);
        KEYSWAP_EXPECTS(keys.front() / stretch_values == keys.back() / stretch_values);
        std::ranges::transform(
            keys, sort.keys_out + stretch.destination, [&sort](std::uint32_t key) {
                return decode_image(key, sort.decode);
            });
    }
}

void launch_narrow_stretches(cudaStream_t stream, BlockStretches const& sort) {
    KEYSWAP_EXPECTS(std::all_of(
        sort.stretches, sort.stretches + sort.stretch_count, [](SegmentPart const& stretch) {
            return stretch.count <= narrow_stretch_keys;
        }));
    launch_middle_stretches(stream, sort);
}

void launch_stretch_counts(cudaStream_t /*stream*/,
                           StepBuffers keys,
                           SortTile const* tiles,
                           std::uint32_t tile_count,
                           std::uint32_t stretch_count,
                           StretchCounters const& counters) {
    std::size_t const all = std::size_t{stretch_count} * stretch_values;
    std::fill_n(counters.counts, all, 0U);
    for (std::uint32_t t = 0; t < tile_count; ++t) {
        SortTile const& tile = tiles[t];
        KEYSWAP_EXPECTS(tile.count <= stretch_tile_keys_max && tile.segment < stretch_count);
        for (std::uint32_t i = 0; i < tile.count; ++i) {
            std::uint32_t const key = keys.of<std::uint32_t>(tile.buffer)[tile.source + i];
            std::uint32_t const value = key % stretch_values;
            counters.high[tile.segment] = key - value;
            ++counters.counts[std::size_t{tile.segment} * stretch_values + value];
        }
    }
    for (std::size_t first = 0; first < all; first += stretch_values) {
        std::uint32_t* const counts = counters.counts + first;
        std::exclusive_scan(counts, counts + stretch_values, counts, 0U);
    }
}

void launch_stretch_fill(cudaStream_t /*stream*/,
                         std::uint32_t* keys_out,
                         SegmentPart const* places,
                         std::uint32_t stretch_count,
                         std::uint32_t tile_count,
                         StretchCounters const& counters,
                         ImageCode decode) {
    std::uint32_t tiles = 0;
    for (std::uint32_t i = 0; i < stretch_count; ++i) {
        SegmentPart const& place = places[i];
        KEYSWAP_EXPECTS(place.first_tile == tiles);
        tiles +=
            static_cast<std::uint32_t>((place.count + stretch_fill_keys - 1) / stretch_fill_keys);
        std::uint32_t const* const begins = counters.counts + std::size_t{i} * stretch_values;
        for (std::uint64_t at = 0; at < place.count; ++at) {
            auto const after = std::upper_bound(begins, begins + stretch_values, at);
            auto const value = static_cast<std::uint32_t>(after - begins - 1);
            keys_out[place.destination + at] = decode_image(counters.high[i] | value, decode);
        }
    }
    KEYSWAP_EXPECTS(tiles == tile_count);
}

void launch_quicksort_leaves(cudaStream_t stream,
                             ElementShape shape,
                             ChildTable const& table,
                             ChildKinds const& kinds,
                             QuicksortArrays const& arrays) {
    auto const from = static_cast<std::size_t>(arrays.from);
    auto const to = static_cast<std::size_t>(arrays.to);
    launch_leaf_sorts({&stream, 1},
                      {shape,
                       Stability::unstable,
                       table,
                       kinds,
                       {arrays.keys[from],
                        arrays.keys[to],
                        arrays.values[from],
                        arrays.values[to],
                        arrays.decode}});
}

namespace {

/// A segment's tiles and its rows of the table: by bucket, then tile.
struct TableOfSegment {
    std::uint32_t first_tile = 0;
    std::uint32_t tile_count = 0;

    TableOfSegment(DirectTiles const& tiles, std::uint32_t segment) {
        auto const of_segment = [segment](SortTile const& tile) { return tile.segment == segment; };
        SortTile const* const end = tiles.tiles + tiles.tile_count;
        SortTile const* const first = std::find_if(tiles.tiles, end, of_segment);
        first_tile = static_cast<std::uint32_t>(first - tiles.tiles);
        tile_count = static_cast<std::uint32_t>(std::find_if_not(first, end, of_segment) - first);
    }
    [[nodiscard]] std::size_t entry(std::uint32_t bucket, std::uint32_t tile) const {
        return std::size_t{first_tile} * direct_ways + std::size_t{bucket} * tile_count +
               (tile - first_tile);
    }
};

template <class Word>
std::uint32_t direct_child(DirectTiles const& tiles, std::uint32_t segment, Word image) {
    return child_in_tree<direct_levels>(
        words<Word>(tiles.trees) + std::size_t{segment} * direct_ways, image);
}

} // namespace

void launch_direct_counts(cudaStream_t /*stream*/,
                          int key_bytes,
                          void const* keys,
                          DirectTiles const& tiles) {
    std::fill_n(tiles.table, direct_table_entries(tiles.tile_count), 0U);
    with_key_word(key_bytes, [&]<class Word>() {
        for (std::uint32_t t = 0; t < tiles.tile_count; ++t) {
            SortTile const& tile = tiles.tiles[t];
            TableOfSegment const table(tiles, tile.segment);
            for (std::uint32_t i = 0; i < tile.count; ++i) {
                Word const image = words<Word>(keys)[tile.source + i];
                ++tiles.table[table.entry(direct_child(tiles, tile.segment, image), t)];
            }
        }
    });
}

std::size_t table_scan_bytes(std::uint64_t entries) {
    return static_cast<std::size_t>(entries) * sizeof(std::uint32_t);
}

void launch_table_scan(cudaStream_t /*stream*/,
                       std::uint64_t entries,
                       void* scratch,
                       std::size_t /*scratch_bytes*/) {
    auto* const table = words<std::uint32_t>(scratch);
    std::exclusive_scan(table, table + entries, table, 0U);
}

void launch_direct_children(cudaStream_t /*stream*/,
                            DirectTiles const& tiles,
                            std::uint64_t* counts,
                            std::uint64_t* ends) {
    for (std::uint32_t i = 0; i < tiles.segment_count; ++i) {
        TableOfSegment const table(tiles, i);
        SegmentPart const& part = tiles.parts[i];
        std::uint32_t const before = tiles.table[table.entry(0, table.first_tile)];
        for (std::uint32_t bucket = 0; bucket < direct_ways; ++bucket) {
            auto const begin_of = [&](std::uint32_t each) {
                return each < direct_ways
                           ? tiles.table[table.entry(each, table.first_tile)] - before
                           : part.count;
            };
            std::size_t const at = std::size_t{i} * direct_ways + bucket;
            counts[at] = begin_of(bucket + 1) - begin_of(bucket);
            ends[at] = part.destination + begin_of(bucket + 1);
        }
    }
}

void launch_direct_scatter(cudaStream_t /*stream*/,
                           ElementShape shape,
                           DirectTiles const& tiles,
                           MovedArrays const& arrays) {
    with_key_word(shape.key_bytes, [&]<class Word>() {
        for (std::uint32_t t = 0; t < tiles.tile_count; ++t) {
            SortTile const& tile = tiles.tiles[t];
            TableOfSegment const table(tiles, tile.segment);
            std::uint32_t const before = tiles.table[table.entry(0, table.first_tile)];
            std::vector<std::uint32_t> taken(direct_ways);
            for (std::uint32_t i = 0; i < tile.count; ++i) {
                std::uint64_t const from = tile.source + i;
                Word const image = words<Word>(arrays.keys_in)[from];
                std::uint32_t const bucket = direct_child(tiles, tile.segment, image);
                std::uint64_t const to = tile.destination + tiles.table[table.entry(bucket, t)] -
                                         before + taken[bucket]++;
                words<Word>(arrays.keys_out)[to] = image;
                move_element(arrays.values_out, to, arrays.values_in, from, shape.value_bytes);
            }
        }
    });
}

} // namespace keyswap::kernels
