#pragma once

#include "model/sorts/rmg/plan.hpp"
#include "traces/records/records.hpp"

namespace keyswap::model {

/// The run header of a configuration; the caller fills in what the model does not know (device,
/// commit, input ...).
[[nodiscard]] RunHeader header_of(SortConfig const& config, std::string_view algorithm);

/// Writes every decision of a plan in the paper's order: for each pass its bucket functions,
/// histograms and placements, then ownership, merged copies and sort ranges. The caller writes
/// the header.
void record_plan(Plan const& plan, TraceSink& sink);

} // namespace keyswap::model
