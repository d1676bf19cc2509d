#pragma once

/// \file Phase times in live conformance: recorded sorts are also timed, as with `keyswap sort
/// --record`.

#include "kernels/sort.hpp"
#include "traces/records/records.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace keyswap::proptests {

[[nodiscard]] inline kernels::PhaseTiming timing_of(TraceSink const* trace) {
    return trace == nullptr ? kernels::PhaseTiming::off : kernels::PhaseTiming::on;
}

/// \returns an error if a reported phase ends before it begins
[[nodiscard]] inline std::optional<std::string> wrong_times(kernels::SortReport const& report) {
    bool const right = std::ranges::all_of(report.times, [](PhaseTimeRecord const& time) {
        return 0 <= time.begin_ns && time.begin_ns <= time.end_ns;
    });
    return right ? std::nullopt : std::optional<std::string>("a phase ends before it begins");
}

} // namespace keyswap::proptests
