#pragma once

/// \file Result of comparing a recorded run with the model, for the page.

#include "model/verify/recorded_run.hpp"
#include "tools/text/json.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

struct Verification {
    std::string sentence; ///< worst difference, or the number of agreeing properties
    /// Rows of a property, "agrees", "DIFFERS" or "not checked", and the reason if not checked.
    Json checks = Json::array();
};

[[nodiscard]] Verification verification_of(model::verify::RecordedRun const& run,
                                           model::verify::VerifyLimits const& limits);

/// Sentence on the comparison with the model, then on the run's own verdicts.
[[nodiscard]] std::string verdict_answer(Verification const& verification,
                                         std::vector<VerdictRecord> const& verdicts);

/// Rows of property, whether it holds, and detail.
[[nodiscard]] Json verdicts_json(std::vector<VerdictRecord> const& verdicts);

} // namespace keyswap::tools
