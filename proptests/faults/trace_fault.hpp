#pragma once

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <cstdint>
#include <set>
#include <string_view>

namespace keyswap::proptests {

/// A kind of error in a run.
struct TraceFault {
    std::string_view name;        ///< "dropped copy"
    std::string_view description; ///< the defect of a sort that would cause it
    /// Verdicts that the checker may give for the first difference.
    std::set<model::verify::Verdict> verdicts;
    /// Plants the fault at a place selected by `choice`. \return false if the run has no such place
    bool (*plant)(model::verify::RecordedRun& run, std::uint64_t choice);
    /// The records contradict each other, so the fault is detectable without the input.
    bool contradiction = false;
};

} // namespace keyswap::proptests
