#pragma once

/// \file How passes divide buckets, as the partitioning phase sees it: by digits (RMG sort) or by
/// splitters drawn from the keys (sample sort).

#include "kernels/exchange_plan/swap_plan.hpp"
#include "kernels/runtime/run_context.hpp"
#include "traces/records/bucket_function.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// A bucket that a pass refines, with its part on every GPU.
struct SpanningBucket {
    BucketPrefix bucket;
    std::uint64_t begin = 0; ///< global index in sorted order
    ImageRange images;
    std::vector<BucketPart> parts{};
};

/// A GPU's parts of the refined buckets, in their order. \pre at most spanning_bucket_count_max
[[nodiscard]] inline PartList parts_on(GpuState const& gpu,
                                       std::span<SpanningBucket const> refined) {
    PartList parts;
    for (SpanningBucket const& bucket : refined) {
        BucketPart const part = bucket.parts[gpu.id.value];
        parts.part[parts.count++] = {part.offset, part.count};
    }
    return parts;
}

/// Histograms and decisions of one pass as the host sees them, until the next pass.
struct PassResult {
    std::uint32_t bucket_count = 0;
    std::uint32_t child_count = 0; ///< counters of a bucket
    std::span<std::uint64_t const> table{};
    std::span<PlacementDecision const> decisions{};

    [[nodiscard]] std::span<std::uint64_t const> histogram(std::size_t gpu, std::size_t i) const {
        return table.subspan((gpu * bucket_count + i) * child_count, child_count);
    }
};

/// The rule of one sort. Passes come in order, from 1 on; functions take the number of a refined
/// bucket of the current one as `i`.
class PassRule {
  public:
    PassRule() = default;
    PassRule(PassRule const&) = delete;
    PassRule& operator=(PassRule const&) = delete;
    virtual ~PassRule() = default;

    /// Decides how the next pass divides the buckets.
    /// \param gpus with the keys as the pass before left them \param refined ascending
    virtual void begin_pass(int pass,
                            std::vector<GpuState> const& gpus,
                            std::span<SpanningBucket const> refined) = 0;
    /// c: bits of a child's index in a prefix; a pass counts 2^c children of a bucket.
    [[nodiscard]] virtual int child_bits() const = 0;
    /// The images of a child that holds keys.
    [[nodiscard]] virtual ImageRange
    child_images(SpanningBucket const& refined, std::size_t i, std::uint32_t child) const = 0;
    /// The function that divides a bucket; null where a digit does.
    [[nodiscard]] virtual BucketFunction const* function(std::size_t i) const = 0;
    /// All GPUs' counts of the pass, where an earlier one has counted them: a table as PassResult
    /// has it, until the next pass. Empty where `count` has to.
    [[nodiscard]] virtual std::span<std::uint64_t const> known_counts() const { return {}; }
    /// Counts a GPU's keys by child, one part a refined bucket, in its stream.
    /// \param counts [parts][2^c] device, overwritten
    virtual void count(GpuState const& gpu, PartList const& parts, std::uint64_t* counts) const = 0;
    /// Orders all GPUs' parts by child. Each GPU's current buffer holds the result, in its stream.
    virtual void scatter(std::vector<GpuState>& gpus,
                         std::vector<SpanningBucket> const& refined,
                         PassResult const& result) const = 0;
};

} // namespace keyswap::kernels
