#pragma once

/// \file `keyswap verify --certify`: runs the verified checker of model/proofs on recorded runs.

#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Result of the certifier for one trace.
struct Certificate {
    std::string trace;
    std::optional<std::string> refused; ///< reason; nullopt if certified
};

/// Runs `keyswap-certify` from this program's folder or from PATH.
/// \return an error if it is not found, or cannot judge one of the traces
[[nodiscard]] Expected<std::vector<Certificate>>
certify_traces(std::vector<std::string> const& traces);

} // namespace keyswap::tools
