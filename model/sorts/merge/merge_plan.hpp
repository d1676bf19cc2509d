#pragma once

/// \file Plans of the merge sorts: plain data in execution order.

#include "model/buckets/chunks.hpp"
#include "model/plan/sort_config.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// Two GPUs exchange blocks of equal size, `count` keys in each direction.
struct PairSwap {
    GpuId lower;
    std::uint64_t lower_offset = 0; ///< in the lower GPU's chunk
    GpuId higher;
    std::uint64_t higher_offset = 0; ///< in the higher GPU's chunk
    std::uint64_t count = 0;
    friend bool operator==(PairSwap const&, PairSwap const&) = default;
};

/// A GPU merges two adjacent sorted runs in its memory.
struct LocalMerge {
    GpuId gpu;
    std::uint64_t first_run = 0;  ///< keys
    std::uint64_t second_run = 0; ///< keys
    std::uint64_t offset = 0;     ///< of the first run in the GPU's chunk
    friend bool operator==(LocalMerge const&, LocalMerge const&) = default;
};

/// Concurrent swaps, then the merges that depend on them; a barrier ends the stage.
struct MergeStage {
    std::vector<PairSwap> swaps;
    std::vector<LocalMerge> merges;
    friend bool operator==(MergeStage const&, MergeStage const&) = default;
};

/// P2P merge sort (Tanasic et al. 2013) and HET merge sort (Gowanlock and Karsin 2018): every GPU
/// sorts its chunk; then stages of swaps and merges on the GPUs, or one multiway merge on the CPU.
/// Merge sorts of one processor sort runs of a fixed size instead of the whole chunk.
struct MergePlan {
    SortConfig config;
    Chunks chunks{0, 1};
    std::uint64_t run_keys = 0;       ///< size of an initial sorted run; 0 = the whole chunk
    std::vector<MergeStage> stages;   ///< empty if the CPU merges everything
    std::uint32_t cpu_merge_ways = 0; ///< sorted runs that the CPU merges; 0 = no merge
};

/// The initial sorted runs of a GPU's chunk, in order; none is empty, and all but the last have
/// the same size.
/// \return ranges relative to the chunk
[[nodiscard]] std::vector<IndexRange> first_runs(MergePlan const& plan, GpuId gpu);

} // namespace keyswap::model
