#pragma once

/// \file Plants faults in random runs and expects the checker to find them.

#include "proptests/faults/trace_fault.hpp"

#include <functional>
#include <optional>
#include <span>

namespace keyswap::proptests {

/// Expects that each fault is found wherever it is planted, with one of its verdicts, and without
/// the input if records contradict each other. Prints a row of the table summarized in
/// proptests/FIGURES.md for each.
/// \param any_run draws a correct run
/// \param check of the first difference; nullopt: any
void expect_found(std::span<TraceFault const> faults,
                  std::function<std::optional<model::verify::RecordedRun>()> const& any_run,
                  std::optional<model::verify::Check> check = std::nullopt);

} // namespace keyswap::proptests
