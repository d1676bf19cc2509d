#pragma once

#include "traces/errors/error_subject.hpp"

#include <memory>
#include <string>

namespace keyswap::model::verify {

/// Reason for not looking for the input if `records_only` is set.
[[nodiscard]] inline std::string records_only_reason() {
    return setting("records-only") + " compares the records only with each other";
}

/// A run's input, or the reason why it is not available. The latter is not an error: a trace can be
/// checked for consistency without its input.
template <class Input>
struct InputLookup {
    std::unique_ptr<Input> input; ///< null if not available
    std::string reason;           ///< why not; empty if available
};

} // namespace keyswap::model::verify
