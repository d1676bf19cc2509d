#include "model/partition/methods/method_positions.hpp"

#include "model/partition/partition_positions.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>

namespace keyswap::model::multisplit_steps {

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

} // namespace keyswap::model::multisplit_steps
