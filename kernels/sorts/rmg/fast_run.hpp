#pragma once

/// \file Data that the phases of variant `fast` share during one call: tables of parts for its
/// kernels.

#include "kernels/exchange/key_swap.hpp"
#include "kernels/exchange/round_swap.hpp"
#include "kernels/exchange_plan/swap_pieces.hpp"
#include "kernels/local/local_sort.hpp"
#include "kernels/sorts/rmg/fast_memory.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace keyswap::kernels {

/// A GPU's parts for one round.
struct RoundTables {
    SegmentParts arrival;  ///< parts as they arrived: by bucket, then source
    SegmentParts in_order; ///< whole buckets
};

/// A GPU's uploaded parts.
struct GpuTables {
    SegmentParts chunk;              ///< the whole chunk, for the scatter
    std::vector<RoundTables> rounds; ///< empty if buckets are sorted by levels
};

/// Data shared by the phases of a fast sort.
struct FastRun : RoundKeys {
    /// The digit that distinguishes segments in the scatter; nullopt if image ranges are required.
    std::optional<BitWindow> scatter_digit;
    RangeTable table; ///< of these ranges; the same for all GPUs
    BucketSort sort = BucketSort::steps;
    LevelMethod levels = LevelMethod::digits; ///< how levels divide buckets
    bool has_leading_counts = false;          ///< each GPU has counts of all GPUs' keys
    std::vector<GpuTables> tables{};          ///< [gpus of this process]

    [[nodiscard]] GpuTables const& tables_of(GpuState const& gpu) const {
        return tables[index_of(gpu.id)];
    }
    /// Counts of all GPUs' keys by leading bits, on the GPU; none if they are unknown.
    [[nodiscard]] LeadingCounts leading_counts(GpuState const& gpu) const;
    [[nodiscard]] int bits_left() const { return context.key_shape.bits_below(1); }
    [[nodiscard]] int steps() const {
        return sort == BucketSort::counting ? 2 : (bits_left() + step_bits - 1) / step_bits;
    }
    /// Buffer of the result. Arrivals are in buffer 0; steps alternate, levels end in buffer 1.
    [[nodiscard]] int result_place() const { return sort == BucketSort::levels ? 1 : steps() % 2; }
    /// True if the scatter and a bucket's first step may reorder equal keys: without values, or if
    /// order is not required and levels sort the buckets. Small inputs of pairs use stable steps.
    [[nodiscard]] bool first_step_is_unstable() const {
        return context.shape.value_bytes == 0 ||
               (sort == BucketSort::levels && context.ties == Stability::unstable);
    }
    /// Keys per tile of the scatter and of arrivals.
    [[nodiscard]] std::uint32_t first_tile_keys() const {
        return first_step_is_unstable() ? unstable_tile_keys(context.shape)
                                        : tile_keys(context.shape);
    }
};

/// Uploads a GPU's parts and the destinations of its scatter.
[[nodiscard]] GpuTables upload_tables(FastRun const& run, GpuState const& gpu);

} // namespace keyswap::kernels
