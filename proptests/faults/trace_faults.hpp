#pragma once

/// \file Faults that sorts have had, or could have, planted into recorded runs.

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string_view>

namespace keyswap::proptests {

/// One way in which a run can be wrong.
struct TraceFault {
    std::string_view name;        ///< "dropped copy"
    std::string_view description; ///< what a sort does that has it
    /// Verdicts that the first difference may have.
    std::set<conformance::Verdict> verdicts;
    /// Plants it somewhere that `choice` decides. False where the run offers no place for it.
    bool (*plant)(conformance::RecordedRun& run, std::uint64_t choice);
};

/// All of them, by the record that they are planted into.
[[nodiscard]] std::span<TraceFault const> trace_faults();

} // namespace keyswap::proptests
