#pragma once

/// \file What is common to all differences that a checker reports, whatever was wrong: two sides, a
/// place that can be, and what a run recorded on the side of what was recorded. For properties.

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <string>
#include <vector>

namespace keyswap::proptests {

/// Sides that say something and differ, ranges that do not end before they begin, places in the
/// words of their checks.
void assert_messages_consistent(model::verify::Report const& report);

/// Numbers that a run recorded and a right run of its header has nowhere: none of them is what was
/// expected, unless it is reported as recorded too.
/// \param report of the changed run
void assert_sides_are_right(model::verify::RecordedRun const& right,
                            model::verify::RecordedRun const& changed,
                            model::verify::Report const& report);

} // namespace keyswap::proptests
