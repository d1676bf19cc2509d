#pragma once

/// \file The steps of a sort without buckets, by stages.

#include "model/plan/sort_plan.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::tools {

/// Copies that happen at once, and the merges on GPUs after them.
struct StageSummary {
    std::vector<CopyRecord> copies;
    std::vector<MergeRecord> merges;

    [[nodiscard]] std::uint64_t keys_copied() const;
};

struct StepSummary {
    std::vector<StageSummary> stages;
    std::size_t sorted_runs = 0;   ///< before anything is merged
    std::uint64_t longest_run = 0; ///< of those, in keys
    std::size_t host_runs = 0;     ///< sorted runs that the CPU merges
    std::size_t partitions = 0;    ///< of all keys, one after the other
};

[[nodiscard]] StepSummary summarize_steps(model::SortPlan const& plan);

} // namespace keyswap::tools
