#pragma once

/// \file The merge stages of P2P sort and the keys that GPUs swap. Host logic without CUDA. Source:
/// Maltenberger et al., SIGMOD 2022, section 4; extended to any number of GPUs and chunks of any
/// size.

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// A merge of two adjacent groups of GPUs, [first, middle) and [middle, last).
struct GroupMerge {
    std::uint32_t first = 0;
    std::uint32_t middle = 0;
    std::uint32_t last = 0;
    friend bool operator==(GroupMerge const&, GroupMerge const&) = default;
};

/// Stages of P2P sort; merges of a stage use disjoint GPUs. Halves are sorted, swap misplaced keys,
/// and are sorted again: 1, 3, 7 stages for 2, 4, 8 GPUs.
[[nodiscard]] std::vector<std::vector<GroupMerge>> merge_stages(std::uint32_t gpu_count);

/// An exchange between two GPUs; offsets are in keys from the start of each GPU's chunk.
struct ChunkSwap {
    std::uint32_t left = 0;
    std::uint64_t left_offset = 0;
    std::uint32_t right = 0;
    std::uint64_t right_offset = 0;
    std::uint64_t count = 0;
    friend bool operator==(ChunkSwap const&, ChunkSwap const&) = default;
};

/// Exchanges the last `swap_count` keys of the left group with the first of the right group.
/// \param counts [g] keys per GPU; equal except on the last non-empty GPU
[[nodiscard]] std::vector<ChunkSwap> chunk_swaps(GroupMerge const& merge,
                                                 std::vector<std::uint64_t> const& counts,
                                                 std::uint64_t swap_count);

} // namespace keyswap::kernels
