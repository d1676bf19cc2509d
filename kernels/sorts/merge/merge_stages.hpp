#pragma once

/// \file Which GPUs P2P sort merges when, and which keys they swap. Host logic without CUDA.
/// Source: Maltenberger et al., SIGMOD 2022, section 4; here for any number of GPUs and chunks of
/// any size.

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// The merge of two neighbouring groups of GPUs [first, middle) and [middle, last).
struct GroupMerge {
    std::uint32_t first = 0;
    std::uint32_t middle = 0;
    std::uint32_t last = 0;
    friend bool operator==(GroupMerge const&, GroupMerge const&) = default;
};

/// Stages of P2P sort, each with merges that touch different GPUs: halves are sorted, swap what is
/// on the wrong side, and are sorted again. 1, 3, 7 stages for 2, 4, 8 GPUs.
[[nodiscard]] std::vector<std::vector<GroupMerge>> merge_stages(std::uint32_t gpu_count);

/// Keys that two GPUs exchange, in keys from the start of each one's chunk.
struct ChunkSwap {
    std::uint32_t left = 0;
    std::uint64_t left_offset = 0;
    std::uint32_t right = 0;
    std::uint64_t right_offset = 0;
    std::uint64_t count = 0;
    friend bool operator==(ChunkSwap const&, ChunkSwap const&) = default;
};

/// The exchange of the last `swap_count` keys of the left group with the first of the right one.
/// \param counts [g] keys of each GPU; all but the last non-empty one are equal
[[nodiscard]] std::vector<ChunkSwap> chunk_swaps(GroupMerge const& merge,
                                                 std::vector<std::uint64_t> const& counts,
                                                 std::uint64_t swap_count);

} // namespace keyswap::kernels
