#pragma once

/// \file What the phases of variant `fast` share during one call: the tables of parts that its
/// kernels read.

#include "kernels/exchange/key_swap.hpp"
#include "kernels/exchange/round_swap.hpp"
#include "kernels/exchange_plan/swap_pieces.hpp"
#include "kernels/local/local_sort.hpp"
#include "kernels/sorts/rmg/fast_memory.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace keyswap::kernels {

/// A run of uploaded parts and the tiles that they make.
struct PartRun {
    std::uint32_t first_part = 0;
    std::uint32_t part_count = 0;
    std::uint32_t tile_count = 0;
    std::uint32_t keys_per_tile = 0;
};

/// What a GPU needs for one round.
struct RoundTables {
    PartRun arrival;  ///< as the parts came: by bucket, then source
    PartRun in_order; ///< whole buckets
    std::uint32_t segments = 0;
};

/// A GPU's uploaded parts.
struct GpuTables {
    PartRun chunk;                   ///< the whole chunk, for the scatter
    std::vector<RoundTables> rounds; ///< none where buckets are sorted by levels
};

/// All that the phases of a fast sort share.
struct FastRun {
    RunContext const& context;
    std::vector<GpuState>& gpus;
    std::vector<FinalBucket> const& buckets;
    std::vector<OwnershipRecord> const& ownership;
    SwapRounds const& rounds;
    /// The digit by which the scatter distinguishes segments; nullopt if it needs their ranges.
    std::optional<BitWindow> scatter_digit;
    RangeTable table; ///< of those ranges, which are the same on all GPUs
    BucketSort sort = BucketSort::steps;
    LevelMethod levels = LevelMethod::digits; ///< of buckets that are sorted by levels
    std::vector<GpuTables> tables{};          ///< [gpus of this process]

    [[nodiscard]] GpuTables const& tables_of(GpuState const& gpu) const {
        return tables[gpu.id.value - gpus.front().id.value];
    }
    [[nodiscard]] int bits_left() const { return context.key_shape.bits_below(1); }
    [[nodiscard]] int steps() const {
        return sort == BucketSort::counting ? 2 : (bits_left() + step_bits - 1) / step_bits;
    }
    /// Arrivals lie in buffer 0. Steps alternate between the buffers; levels end in the other one.
    [[nodiscard]] int result_place() const { return sort == BucketSort::levels ? 1 : steps() % 2; }
    /// Where nobody sees the order of equal keys, or asks for it, neither the scatter nor the first
    /// step of a bucket has to keep it. Pairs of which there are few are sorted by stable steps.
    [[nodiscard]] bool first_step_is_unstable() const {
        return context.shape.value_bytes == 0 ||
               (sort == BucketSort::levels && context.ties == Stability::unstable);
    }
    /// Keys of a tile of the scatter and of arrivals.
    [[nodiscard]] std::uint32_t first_tile_keys() const {
        return first_step_is_unstable() ? unstable_tile_keys(context.shape)
                                        : tile_keys(context.shape);
    }
};

/// Uploads a GPU's parts and the places to which its keys are scattered.
[[nodiscard]] GpuTables upload_tables(FastRun const& run, GpuState const& gpu);

/// Makes the tiles of a run of parts in the GPU's stream.
void build_tiles(GpuState const& gpu, PartRun parts, SortTile* tiles);

} // namespace keyswap::kernels
