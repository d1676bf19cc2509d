#pragma once

/// \file Runs multisplits on the kernels and compares them with the model.

#include "kernels/multisplit.hpp"
#include "proptests/live/live_case.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// \pre live_case.split
[[nodiscard]] kernels::MultisplitOptions multisplit_options(LiveCase const& live_case);

/// Methods that accept the case's function, for LiveLimits::methods.
[[nodiscard]] std::vector<std::string> gpu_methods(LiveCase const& live_case);

/// Splits a case and compares report and output, then splits it again without a report. \returns
/// the problem, which may be a violated contract; nullopt if there is none
/// \pre the splitter was created with the case's options
[[nodiscard]] std::optional<std::string> check_with(kernels::Multisplitter& splitter,
                                                    LiveCase const& live_case);

/// Like check_with() with a new splitter, for shrinking. A refused case counts as correct: it may
/// be invalid, or the device lost after a larger case wrote out of bounds.
[[nodiscard]] std::optional<std::string> check_split_alone(LiveCase const& live_case);

/// Checks that a call with more keys than count_max is refused.
[[nodiscard]] std::optional<std::string> check_refusal(kernels::Multisplitter& splitter,
                                                       std::uint64_t count_max);

} // namespace keyswap::proptests
