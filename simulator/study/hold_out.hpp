#pragma once

/// \file How well configurations are predicted of which the fit saw nothing alike: all with one set
/// of GPUs, distribution, key type or size are kept out together, the constants are fitted to the
/// others, and those kept out are predicted.

#include "simulator/study/calibration.hpp"
#include "simulator/study/validation.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// By what configurations are put into classes.
enum class HoldOutBy { gpus, distribution, type, size };

/// \return an error that lists the names
[[nodiscard]] Expected<HoldOutBy> parse_hold_out(std::string_view name);

/// One class and the errors of its predictions.
struct HeldOutClass {
    std::string name;                 ///< "0,2", "zipf 1", "uint64", "4000000000"
    std::size_t configurations = 0;   ///< that were kept out
    std::vector<ErrorSummary> phases; ///< as of summarize()
    Coverage coverage;                ///< of their totals by the intervals of that fit
    /// Constants that only this class shows: the fit left them at what the machine's files say, so
    /// that for them nothing was held out.
    std::vector<std::string> not_held_out;
};

/// Every class in order of first appearance. CPU sorts have no fitted constants and are left out.
/// \return an error where a run cannot be simulated or the rest is too little for a fit
[[nodiscard]] Expected<std::vector<HeldOutClass>> hold_out(Machine const& machine,
                                                           std::span<Measurement const> runs,
                                                           HoldOutBy by,
                                                           CalibrationOptions const& options,
                                                           SummaryFilter filter);

} // namespace keyswap::simulator
