#include "model/partition/shuffle.hpp"

#include "traces/errors/contracts.hpp"

#include <numeric>

namespace keyswap::model {

namespace {

/// [m] buckets ordered by owner, then number.
std::vector<std::size_t> output_order(std::span<GpuId const> owners) {
    std::vector<std::size_t> order(owners.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t bucket) { return owners[bucket]; });
    return order;
}

} // namespace

std::vector<GpuId> even_owners(std::uint32_t buckets, std::uint32_t gpu_count) {
    KEYSWAP_EXPECTS(gpu_count > 0);
    std::vector<GpuId> owners;
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
        owners.push_back(GpuId{static_cast<std::uint32_t>(bucket * gpu_count / buckets)});
    }
    return owners;
}

std::vector<std::uint32_t> output_ranks(std::span<GpuId const> owners) {
    std::vector<std::uint32_t> ranks(owners.size());
    std::uint32_t rank = 0;
    for (std::size_t const bucket : output_order(owners)) {
        ranks[bucket] = rank++;
    }
    return ranks;
}

Shuffle plan_shuffle(std::span<std::vector<std::uint64_t> const> counts,
                     std::span<GpuId const> owners) {
    Shuffle shuffle;
    for (GpuId gpu{0}; gpu.value < counts.size(); ++gpu.value) {
        KEYSWAP_EXPECTS(counts[gpu.value].size() == owners.size());
        shuffle.ownership.push_back({gpu, 0, 0});
    }
    // Start of each bucket in the output, and of each of its pieces in the owner's range.
    std::vector<std::uint64_t> source_offsets(counts.size());
    std::vector<std::vector<std::uint64_t>> piece_offsets(owners.size());
    std::uint64_t position = 0;
    for (std::size_t const bucket : output_order(owners)) {
        KEYSWAP_EXPECTS(owners[bucket].value < counts.size());
        OwnershipRecord& owned = shuffle.ownership[owners[bucket].value];
        std::uint64_t const begin = position;
        for (auto const& of_gpu : counts) {
            piece_offsets[bucket].push_back(owned.count);
            owned.count += of_gpu[bucket];
            position += of_gpu[bucket];
        }
        if (position > begin) {
            shuffle.placements.push_back({{1, bucket},
                                          begin,
                                          position,
                                          owners[bucket],
                                          owners[bucket],
                                          PlacementState::placed});
        }
    }
    std::ranges::sort(
        shuffle.placements, {}, [](PlacementRecord const& one) { return one.bucket.prefix; });
    for (std::size_t gpu = 1; gpu < shuffle.ownership.size(); ++gpu) {
        OwnershipRecord const& before = shuffle.ownership[gpu - 1];
        shuffle.ownership[gpu].base = before.base + before.count;
    }
    for (GpuId source{0}; source.value < counts.size(); ++source.value) {
        for (std::size_t bucket = 0; bucket < owners.size(); ++bucket) {
            std::uint64_t const count = counts[source.value][bucket];
            if (count > 0) {
                shuffle.copies.push_back({source,
                                          source_offsets[source.value],
                                          owners[bucket],
                                          piece_offsets[bucket][source.value],
                                          count});
            }
            source_offsets[source.value] += count;
        }
    }
    return shuffle;
}

} // namespace keyswap::model
