#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Absolute relative errors of several predictions; all 0 without predictions.
struct ErrorSummary {
    std::string phase; ///< "total", "key swap" ...; empty if the predictions are not of phases
    std::size_t count = 0;
    double median = 0.0;
    double p95 = 0.0; ///< nearest rank
    double worst = 0.0;
};

/// \param errors in any order, each >= 0
[[nodiscard]] ErrorSummary summary_of_errors(std::vector<double> errors, std::string phase = {});

} // namespace keyswap::simulator
