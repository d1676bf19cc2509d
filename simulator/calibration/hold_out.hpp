#pragma once

/// \file Cross-validation by groups: all configurations with one set of GPUs, distribution, key
/// type or size are held out together, the constants are fitted to the others, and those held out
/// are predicted.

#include "simulator/calibration/calibration.hpp"
#include "simulator/calibration/validation.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Property by which configurations are grouped.
enum class HoldOutBy { gpus, distribution, type, size };

/// \return an error that lists the known names
[[nodiscard]] Expected<HoldOutBy> parse_hold_out(std::string_view name);

/// One group and the errors of its predictions.
struct HeldOutClass {
    std::string name;                 ///< "0,2", "zipf 1", "uint64", "4000000000"
    std::size_t configurations = 0;   ///< number held out
    std::vector<ErrorSummary> phases; ///< as returned by summarize()
    Coverage coverage;                ///< of their totals, by the intervals of that fit
    /// Constants that only this group determines: without it the fit left them at the values of the
    /// machine's files, so they were not really held out.
    std::vector<std::string> not_held_out;
};

/// All groups in order of first appearance. CPU sorts are skipped: they have no fitted constants.
/// \return an error if a run cannot be simulated, or the rest is too small for a fit
[[nodiscard]] Expected<std::vector<HeldOutClass>> hold_out(Machine const& machine,
                                                           std::span<Measurement const> runs,
                                                           HoldOutBy by,
                                                           CalibrationOptions const& options,
                                                           SummaryFilter filter);

} // namespace keyswap::simulator
