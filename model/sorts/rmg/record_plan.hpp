#pragma once

#include "model/sorts/rmg/plan.hpp"
#include "traces/records/records.hpp"

namespace keyswap::model {

/// The configuration of `config` as a run header; what the model does not know (device, commit,
/// input ...) is left for the caller.
[[nodiscard]] RunHeader header_of(SortConfig const& config, std::string_view algorithm);

/// Writes everything that a plan decides, in the paper's order: for each pass its bucket
/// functions, histograms and placements, then ownership, merged copies and sort ranges. The header
/// is not written.
void record_plan(Plan const& plan, TraceSink& sink);

} // namespace keyswap::model
