#pragma once

/// \file Stages of a sort without buckets.

#include "model/plan/sort_plan.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::tools {

/// Simultaneous copies, and the merges that follow on the GPUs.
struct StageSummary {
    std::vector<CopyRecord> copies;
    std::vector<MergeRecord> merges;

    [[nodiscard]] std::uint64_t keys_copied() const;
};

struct StepSummary {
    std::vector<StageSummary> stages;
    std::size_t sorted_runs = 0;   ///< before the first merge
    std::uint64_t longest_run = 0; ///< length of the longest one, in keys
    std::size_t host_runs = 0;     ///< sorted runs merged by the CPU
    std::size_t partitions = 0;    ///< partitions of all keys, in succession
};

[[nodiscard]] StepSummary summarize_steps(model::SortPlan const& plan);

} // namespace keyswap::tools
