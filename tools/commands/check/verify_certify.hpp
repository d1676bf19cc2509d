#pragma once

/// \file `keyswap verify --certify`: what the proved checker of model/proofs says of recorded runs.

#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// What the certifier says of one trace.
struct Certificate {
    std::string trace;
    std::optional<std::string> refused; ///< why; nullopt if the run is certified
};

/// Asks `keyswap-certify`, which stands in this program's folder or on PATH.
/// \return an error if it is not there, or cannot judge one of the traces
[[nodiscard]] Expected<std::vector<Certificate>>
certify_traces(std::vector<std::string> const& traces);

} // namespace keyswap::tools
