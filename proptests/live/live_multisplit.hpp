#pragma once

/// \file Multisplits carried out by the kernels, and compared with the model.

#include "kernels/multisplit.hpp"
#include "proptests/live/live_case.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// \pre live_case.split
[[nodiscard]] kernels::MultisplitOptions multisplit_options(LiveCase const& live_case);

/// Names of the methods that take the case's function, for LiveLimits.
[[nodiscard]] std::vector<std::string> gpu_methods(LiveCase const& live_case);

/// Splits a case and compares the report and the output, then splits it again without
/// a report. \returns what is wrong; a broken contract of the kernels is a finding too
/// \pre the splitter is of the case's options
[[nodiscard]] std::optional<std::string> check_with(kernels::Multisplitter& splitter,
                                                    LiveCase const& live_case);

/// The same with a splitter of its own, for shrinking: nothing is wrong with a case that is
/// refused, be it invalid, or the device lost to a larger case that wrote where it must not.
[[nodiscard]] std::optional<std::string> check_split_alone(LiveCase const& live_case);

/// A call that is too large has to be refused.
[[nodiscard]] std::optional<std::string> check_refusal(kernels::Multisplitter& splitter,
                                                       std::uint64_t count_max);

} // namespace keyswap::proptests
