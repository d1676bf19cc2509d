#pragma once

#include "traces/errors/error_subject.hpp"
#include "traces/errors/input_limits.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace keyswap::model::verify {

/// Limits on the work that a trace can cause, since a small file can claim any number of keys.
/// Beyond them, the error names the option that raises the limit.
struct VerifyLimits {
    /// Maximum size of a trace's records, and of keys held in memory: --memory-limit.
    std::uint64_t memory_bytes = limit_of(Limit::memory);
    /// Maximum number of regenerated keys: --key-limit.
    std::uint64_t regenerated_keys_max = limit_of(Limit::keys);
    bool records_only = false; ///< compare only the records with each other: --records-only
};

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

/// Limits for runs in memory: the caller holds their keys already.
[[nodiscard]] inline VerifyLimits unlimited_memory() {
    VerifyLimits limits;
    limits.memory_bytes = std::numeric_limits<std::uint64_t>::max();
    return limits;
}

} // namespace keyswap::model::verify
