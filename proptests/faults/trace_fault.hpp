#pragma once

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <cstdint>
#include <set>
#include <string_view>

namespace keyswap::proptests {

/// One way in which a run can be wrong.
struct TraceFault {
    std::string_view name;        ///< "dropped copy"
    std::string_view description; ///< what a sort does that has it
    /// Verdicts that the first difference may have.
    std::set<model::verify::Verdict> verdicts;
    /// Plants it somewhere that `choice` decides. False where the run offers no place for it.
    bool (*plant)(model::verify::RecordedRun& run, std::uint64_t choice);
    /// Records contradict each other, so that it is found without the input too.
    bool contradiction = false;
};

} // namespace keyswap::proptests
