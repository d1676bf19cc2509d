#include "model/partition/multisplit_method.hpp"

#include "model/partition/bucket_rule.hpp"
#include "model/partition/partition_positions.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>

namespace keyswap::model {

namespace {

using Labels = std::span<std::uint32_t const>;
using Positions = std::vector<std::uint64_t>;

constexpr std::uint32_t warp_keys = 32;
constexpr std::uint32_t warp_windows = 4; ///< windows in a warp's tile; GPU Multisplit's WMS
constexpr std::uint32_t fused_tile_keys = 7680;
constexpr std::uint32_t intel_tile_keys = 4 * 32 * 13; ///< Satish et al.: 4 warps, 13 keys a thread

std::uint32_t no_table(std::uint32_t /*buckets*/) {
    return 0;
}
std::uint32_t one_window(std::uint32_t /*buckets*/) {
    return warp_keys;
}
std::uint32_t one_warp(std::uint32_t /*buckets*/) {
    return warp_keys * warp_windows;
}
/// GPU Multisplit, section 5: 4 warps of 7 windows up to 32 buckets, else 8 warps of 4.
std::uint32_t one_block(std::uint32_t buckets) {
    return buckets <= 32 ? 4 * 7 * warp_keys : 8 * 4 * warp_keys;
}
std::uint32_t one_intel_tile(std::uint32_t /*buckets*/) {
    return intel_tile_keys;
}

/// Final positions of a method that first reorders each tile by bucket: place s in the reordered
/// tile maps to the scanned table's entry plus s minus the start of the key's bucket within the
/// tile.
template <class PlaceInTile>
Positions through_tiles(Labels labels,
                        std::uint32_t buckets,
                        std::size_t tile_keys,
                        PlaceInTile const& place_in_tile) {
    Positions const table = scanned_table(labels, buckets, tile_keys);
    std::size_t const tiles = (labels.size() + tile_keys - 1) / tile_keys;
    Positions positions(labels.size());
    for (std::size_t tile = 0; tile < tiles; ++tile) {
        std::size_t const begin = tile * tile_keys;
        Labels const part = labels.subspan(begin, std::min(tile_keys, labels.size() - begin));
        Positions const starts = exclusive_sums(bucket_counts(part, buckets));
        Positions const places = place_in_tile(part, buckets);
        for (std::size_t i = 0; i < part.size(); ++i) {
            positions[begin + i] = table[part[i] * tiles + tile] + places[i] - starts[part[i]];
        }
    }
    return positions;
}

Positions direct(Labels labels, std::uint32_t buckets) {
    std::size_t const tiles = (labels.size() + warp_keys - 1) / warp_keys;
    Positions const table = scanned_table(labels, buckets, warp_keys);
    Positions positions(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        // A warp's ballots: the number of earlier lanes in the same bucket.
        std::size_t const window = i / warp_keys * warp_keys;
        auto const earlier = std::ranges::count(labels.subspan(window, i - window), labels[i]);
        positions[i] =
            table[labels[i] * tiles + i / warp_keys] + static_cast<std::uint64_t>(earlier);
    }
    return positions;
}

Positions by_warp_tiles(Labels labels, std::uint32_t buckets) {
    return through_tiles(labels, buckets, one_warp(buckets), [](Labels tile, std::uint32_t m) {
        std::array<std::size_t, 1> const sizes{warp_keys};
        return partition_positions_by_levels(tile, m, sizes);
    });
}

Positions by_block_tiles(Labels labels, std::uint32_t buckets) {
    return through_tiles(labels, buckets, one_block(buckets), [](Labels tile, std::uint32_t m) {
        std::size_t const warp = std::size_t{warp_keys} * (m <= 32 ? 7 : 4);
        std::array<std::size_t, 2> const sizes{warp, warp_keys};
        return partition_positions_by_levels(tile, m, sizes);
    });
}

/// One stable pass over bits [shift, shift + bits) of the labels.
/// \param at [n] current position of each key; updated to its position after the pass
void pass_over_bits(Labels labels, int shift, int bits, Positions& at) {
    std::vector<std::uint32_t> digits(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        digits[at[i]] = (labels[i] >> shift) & ((std::uint32_t{1} << bits) - 1);
    }
    Positions const moved = partition_positions(digits, std::uint32_t{1} << bits);
    std::ranges::for_each(at, [&](std::uint64_t& position) { position = moved[position]; });
}

Positions by_label_passes(Labels labels, std::uint32_t buckets, int bits_of_pass) {
    Positions at(labels.size());
    std::iota(at.begin(), at.end(), std::uint64_t{0});
    int const bits = std::bit_width(buckets - 1);
    for (int shift = 0; shift < bits; shift += bits_of_pass) {
        pass_over_bits(labels, shift, std::min(bits_of_pass, bits - shift), at);
    }
    return at;
}

/// A radix sort of keys by label over ceil(log2 m) bits, 7 bits per pass as in CUB.
Positions by_reduced_bit_sort(Labels labels, std::uint32_t buckets) {
    return by_label_passes(labels, buckets, 7);
}

/// ceil(log2 m) binary splits by the labels' bits, least significant first.
Positions by_recursive_split(Labels labels, std::uint32_t buckets) {
    return by_label_passes(labels, buckets, 1);
}

/// Binary splits of a block's tile, which is then written through the scanned table.
Positions by_bit_splits(Labels labels, std::uint32_t buckets) {
    return through_tiles(labels, buckets, intel_tile_keys, by_recursive_split);
}

/// A single prefix sum of flags gives both positions: zeros from the front, ones after them.
Positions by_scan_split(Labels labels, std::uint32_t /*buckets*/) {
    auto const zeros = static_cast<std::uint64_t>(std::ranges::count(labels, 0U));
    Positions positions(labels.size());
    std::uint64_t ones_before = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        positions[i] = labels[i] == 0 ? i - ones_before : zeros + ones_before;
        ones_before += labels[i];
    }
    return positions;
}

/// m rounds; each compacts one bucket to the front of the remaining range.
Positions by_iterative_split(Labels labels, std::uint32_t buckets) {
    std::vector<std::uint64_t> rest(labels.size());
    std::iota(rest.begin(), rest.end(), std::uint64_t{0});
    Positions positions(labels.size());
    std::uint64_t next = 0;
    for (std::uint32_t bucket = 0; bucket < buckets && !rest.empty(); ++bucket) {
        auto const others = std::stable_partition(
            rest.begin(), rest.end(), [&](std::uint64_t i) { return labels[i] == bucket; });
        for (auto i = rest.begin(); i != others; ++i) {
            positions[*i] = next++;
        }
        rest.erase(rest.begin(), others);
    }
    return positions;
}

/// A histogram, then tiles in order, each with decoupled look-back for its bases; for more than
/// 256 buckets, passes over the bytes of the labels.
Positions fused(Labels labels, std::uint32_t buckets) {
    if (buckets > 256) {
        return by_label_passes(labels, buckets, 8);
    }
    Positions bases = exclusive_sums(bucket_counts(labels, buckets));
    Positions positions(labels.size());
    for (std::size_t begin = 0; begin < labels.size(); begin += fused_tile_keys) {
        Labels const tile =
            labels.subspan(begin, std::min<std::size_t>(fused_tile_keys, labels.size() - begin));
        Positions const counts = bucket_counts(tile, buckets);
        Positions const starts = exclusive_sums(counts);
        Positions const places = partition_positions(tile, buckets);
        for (std::size_t i = 0; i < tile.size(); ++i) {
            positions[begin + i] = bases[tile[i]] + places[i] - starts[tile[i]];
        }
        std::ranges::transform(bases, counts, bases.begin(), std::plus{});
    }
    return positions;
}

/// Tiles reserve space in their buckets in order of arrival, and rank their keys in arbitrary
/// order: here a fixed order that is neither that of the input nor its reverse.
Positions atomic(Labels labels, std::uint32_t buckets) {
    std::size_t const tiles = (labels.size() + fused_tile_keys - 1) / fused_tile_keys;
    std::vector<std::size_t> arrival(tiles);
    std::iota(arrival.begin(), arrival.end(), std::size_t{0});
    std::ranges::sort(arrival, {}, [](std::size_t tile) { return mix_bits(tile); });
    Positions next = exclusive_sums(bucket_counts(labels, buckets));
    Positions positions(labels.size());
    for (std::size_t const tile : arrival) {
        std::size_t const begin = tile * fused_tile_keys;
        std::size_t const end = std::min<std::size_t>(begin + fused_tile_keys, labels.size());
        for (std::size_t lane = 0; lane < warp_keys; ++lane) {
            for (std::size_t i = begin + lane; i < end; i += warp_keys) {
                positions[i] = next[labels[i]]++;
            }
        }
    }
    return positions;
}

/// A ballot per window and a look-back word with both counts.
Positions split_in_one_pass(Labels labels, std::uint32_t /*buckets*/) {
    auto const zeros = static_cast<std::uint64_t>(std::ranges::count(labels, 0U));
    Positions positions(labels.size());
    std::array<std::uint64_t, 2> before{0, zeros};
    for (std::size_t begin = 0; begin < labels.size(); begin += warp_keys) {
        std::size_t const end = std::min<std::size_t>(begin + warp_keys, labels.size());
        std::uint32_t votes = 0;
        for (std::size_t i = begin; i < end; ++i) {
            votes |= labels[i] << (i - begin);
        }
        for (std::size_t i = begin; i < end; ++i) {
            std::uint32_t const lower_lanes = (std::uint32_t{1} << (i - begin)) - 1;
            std::uint32_t const equal = labels[i] == 1 ? votes : ~votes;
            positions[i] =
                before[labels[i]] + static_cast<std::uint64_t>(std::popcount(equal & lower_lanes));
        }
        auto const ones = static_cast<std::uint64_t>(std::popcount(votes));
        before[1] += ones;
        before[0] += end - begin - ones;
    }
    return positions;
}

constexpr std::string_view paper = "Ashkiani et al., GPU Multisplit, TOPC 2017";

constexpr std::array methods{
    MultisplitMethod{"fused",
                     "histogram, then one pass of tiles that look back for their places",
                     "after Adinets and Merrill, Onesweep, 2022",
                     bucket_count_max,
                     Stability::stable,
                     no_table,
                     fused},
    MultisplitMethod{"direct",
                     "histograms of windows, one scan, keys written where they belong",
                     paper,
                     32,
                     Stability::stable,
                     one_window,
                     direct},
    MultisplitMethod{"warp",
                     "as direct, a warp's tile reordered by bucket before it is written",
                     paper,
                     32,
                     Stability::stable,
                     one_warp,
                     by_warp_tiles},
    MultisplitMethod{"block",
                     "as direct, a block's tile reordered by bucket before it is written",
                     paper,
                     256,
                     Stability::stable,
                     one_block,
                     by_block_tiles},
    MultisplitMethod{"reduced-bit",
                     "labels written out and sorted with the keys on ceil(log2 m) bits",
                     paper,
                     65'536,
                     Stability::stable,
                     no_table,
                     by_reduced_bit_sort},
    MultisplitMethod{"scan-split",
                     "flags, one scan, compaction from both sides",
                     paper,
                     2,
                     Stability::stable,
                     no_table,
                     by_scan_split},
    MultisplitMethod{"recursive-split",
                     "ceil(log2 m) scan splits by the bits of the label",
                     paper,
                     bucket_count_max,
                     Stability::stable,
                     no_table,
                     by_recursive_split},
    MultisplitMethod{"bit-split",
                     "a block's tile sorted by a stable split for each bit of the label",
                     "Satish et al., Intel report, 2010",
                     4096,
                     Stability::stable,
                     one_intel_tile,
                     by_bit_splits},
    MultisplitMethod{"iterative-split",
                     "m rounds that take one bucket out each",
                     paper,
                     4096,
                     Stability::stable,
                     no_table,
                     by_iterative_split},
    MultisplitMethod{"split1",
                     "one pass for two buckets: a vote a window, both counts in one word",
                     "Keyswap",
                     2,
                     Stability::stable,
                     no_table,
                     split_in_one_pass},
    MultisplitMethod{"atomic",
                     "tiles take room in the order of their arrival",
                     "Ilic, Tolovski, Rabl, RMG sort, BTW 2023, section 4.2",
                     512,
                     Stability::unstable,
                     no_table,
                     atomic}};

} // namespace

std::span<MultisplitMethod const> multisplit_methods() {
    return methods;
}

Expected<MultisplitMethod const*> find_multisplit_method(std::string_view name) {
    auto const* const found = std::ranges::find(methods, name, &MultisplitMethod::name);
    if (found != methods.end()) {
        return found;
    }
    return input_error("method " + std::string(name),
                       "is not known",
                       KnownNames(methods, &MultisplitMethod::name).remedy(name, "known: all, "));
}

bool takes(MultisplitMethod const& method, std::uint32_t buckets) {
    return buckets <= method.buckets_most;
}

Expected<void> check_buckets(MultisplitMethod const& method, std::uint32_t buckets) {
    if (takes(method, buckets)) {
        return {};
    }
    std::string others;
    for (MultisplitMethod const& other : methods) {
        if (takes(other, buckets)) {
            others += (others.empty() ? "" : ", ") + std::string(other.name);
        }
    }
    return input_error("method " + std::string(method.name),
                       "takes at most " + std::to_string(method.buckets_most) + " buckets, not " +
                           std::to_string(buckets),
                       "these take them: " + others);
}

} // namespace keyswap::model
