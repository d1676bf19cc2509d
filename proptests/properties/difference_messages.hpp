#pragma once

/// \file Invariants of every difference that a checker reports, whatever the fault: two sides, a
/// possible place, and recorded values on the recorded side. Call inside properties.

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <string>
#include <vector>

namespace keyswap::proptests {

/// Asserts that sides are not empty and differ, that ranges do not end before they begin, and that
/// places use the terms of their checks.
void assert_messages_consistent(model::verify::Report const& report);

/// Asserts that no number that occurs only in the changed run is reported as the expected one,
/// unless it is also reported as recorded.
/// \param report report on the changed run
void assert_sides_are_right(model::verify::RecordedRun const& right,
                            model::verify::RecordedRun const& changed,
                            model::verify::Report const& report);

} // namespace keyswap::proptests
