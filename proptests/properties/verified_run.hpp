#pragma once

/// \file What a property asserts of a run: the checker accepts it, or finds a difference.

#include "model/verify/verify_trace.hpp"

#include <rapidcheck.h>

namespace keyswap::proptests {

/// The report on a run; the property fails if the run cannot be verified.
inline model::verify::Report report_of(model::verify::RecordedRun const& run,
                                       model::verify::VerifyLimits const& limits = {}) {
    auto report = model::verify::verify_run(run, limits);
    if (!report) {
        RC_FAIL(report.error().message());
    }
    return std::move(*report);
}

/// As report_of(); the property fails with the first difference if there is one.
inline model::verify::Report assert_holds(model::verify::RecordedRun const& run,
                                          model::verify::VerifyLimits const& limits = {}) {
    auto report = report_of(run, limits);
    if (!report.holds()) {
        RC_FAIL(sentence_of(report.differences.front()));
    }
    return report;
}

/// As report_of(); the property fails unless a difference is found.
inline model::verify::Report assert_differs(model::verify::RecordedRun const& run) {
    auto report = report_of(run);
    RC_ASSERT(!report.holds());
    return report;
}

} // namespace keyswap::proptests
