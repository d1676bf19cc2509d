#pragma once

/// \file How passes divide buckets, as an interface of the partitioning phase: by digits (RMG sort)
/// or by splitters sampled from the keys (sample sort).

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
    std::uint64_t begin = 0; ///< global index of its first key
    ImageRange images;
    std::vector<KeyRange> parts{};
};

/// Parts of the refined buckets on a GPU, in order. \pre at most spanning_bucket_count_max of them
[[nodiscard]] inline PartList parts_on(GpuState const& gpu,
                                       std::span<SpanningBucket const> refined) {
    PartList parts;
    for (SpanningBucket const& bucket : refined) {
        parts.part[parts.count++] = bucket.parts[gpu.id.value];
    }
    return parts;
}

/// Histograms and decisions of one pass on the host, valid until the next pass.
struct PassResult {
    std::uint32_t bucket_count = 0;
    std::uint32_t child_count = 0; ///< counters per bucket
    std::span<std::uint64_t const> table{};
    std::span<PlacementDecision const> decisions{};

    [[nodiscard]] std::span<std::uint64_t const> histogram(std::size_t gpu, std::size_t i) const {
        return table.subspan((gpu * bucket_count + i) * child_count, child_count);
    }
};

/// The rule of one sort. Passes are numbered from 1 and run in order; `i` is the index of a bucket
/// among the refined ones of the current pass.
class PassRule {
  public:
    PassRule() = default;
    PassRule(PassRule const&) = delete;
    PassRule& operator=(PassRule const&) = delete;
    virtual ~PassRule() = default;

    /// Decides how the coming pass divides the buckets.
    /// \param gpus hold the keys as the previous pass left them \param refined ascending
    virtual void begin_pass(int pass,
                            std::vector<GpuState> const& gpus,
                            std::span<SpanningBucket const> refined) = 0;
    /// c: bits of a child's index in a prefix; a pass counts 2^c children of a bucket.
    [[nodiscard]] virtual int child_bits() const = 0;
    /// The images of a child that holds keys.
    [[nodiscard]] virtual ImageRange
    child_images(SpanningBucket const& refined, std::size_t i, std::uint32_t child) const = 0;
    /// The function that divides a bucket; null if a digit divides it.
    [[nodiscard]] virtual BucketFunction const* function(std::size_t i) const = 0;
    /// Counts of this pass on all GPUs, if an earlier pass has computed them: a table as in
    /// PassResult, valid until the next pass. Empty if `count` is required.
    [[nodiscard]] virtual std::span<std::uint64_t const> known_counts() const { return {}; }
    /// Counts a GPU's keys by child, with one part per refined bucket, in the GPU's stream.
    /// \param counts [parts][2^c] device, overwritten
    virtual void count(GpuState const& gpu, PartList const& parts, std::uint64_t* counts) const = 0;
    /// Orders all GPUs' parts by child, in their streams; the current buffers then hold the result.
    virtual void scatter(std::vector<GpuState>& gpus,
                         std::vector<SpanningBucket> const& refined,
                         PassResult const& result) const = 0;
};

} // namespace keyswap::kernels
