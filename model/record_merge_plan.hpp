#pragma once

#include "model/merge_plan.hpp"
#include "traces/records.hpp"

namespace keyswap::model {

/// Writes what a merge-based sort decides: who owns what at the end, the sort of every chunk, and
/// the copies of each stage's swaps, both ways.
void record_merge_plan(MergePlan const& plan, TraceSink& sink);

} // namespace keyswap::model
