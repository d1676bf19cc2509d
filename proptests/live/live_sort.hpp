#pragma once

/// \file Cases carried out by the real sorts on GPUs, and compared with the model.

#include "kernels/sort.hpp"
#include "proptests/live/live_case.hpp"

#include <optional>
#include <string>

namespace keyswap::proptests {

[[nodiscard]] kernels::SortOptions sort_options(LiveCase const& live_case);

/// Sorts a case with a trace, compares everything, and sorts it again without one, where copies and
/// sorts overlap. \returns what is wrong; a broken contract of the kernels is a finding too
/// \pre the sorter is of the case's options
[[nodiscard]] std::optional<std::string> check_with(kernels::Sorter& sorter,
                                                    LiveCase const& live_case);

/// The same with a sorter of its own.
[[nodiscard]] std::optional<std::string> check_alone(LiveCase const& live_case);

/// A call that is too large has to be refused with the keys as they were.
[[nodiscard]] std::optional<std::string> check_refusal(kernels::Sorter& sorter);

} // namespace keyswap::proptests
