#pragma once

#include "traces/errors/input_limits.hpp"

#include <cstdint>
#include <limits>

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

/// Limits for runs in memory: the caller holds their keys already.
[[nodiscard]] inline VerifyLimits unlimited_memory() {
    VerifyLimits limits;
    limits.memory_bytes = std::numeric_limits<std::uint64_t>::max();
    return limits;
}

} // namespace keyswap::model::verify
