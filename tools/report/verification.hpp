#pragma once

/// \file Result of comparing a recorded run with the model, for the page.

#include "model/verify/recorded_run.hpp"
#include "tools/text/json.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

struct Verification {
    struct Property {
        std::string name;    ///< "histograms"
        std::string verdict; ///< "agrees", "DIFFERS" or "not checked"
        std::string detail;  ///< reason if not checked
    };

    std::string sentence; ///< worst difference, or the number of agreeing properties
    std::vector<Property> properties;
};

[[nodiscard]] Verification verification_of(model::verify::RecordedRun const& run,
                                           model::verify::VerifyLimits const& limits);

/// Rows of name, verdict and detail.
[[nodiscard]] Json properties_json(Verification const& verification);

} // namespace keyswap::tools
