#pragma once

#include "traces/errors/input_limits.hpp"

#include <cstdint>
#include <limits>

namespace keyswap::model::verify {

/// What a trace may ask for. A file of some bytes can claim any number of keys, so that more than
/// this is refused, by the name of the option that raises it.
struct VerifyLimits {
    /// Bytes that a trace's records, and keys that have to be held, may take: --memory-limit.
    std::uint64_t memory_bytes = limit_of(Limit::memory);
    /// Keys that are made again: --key-limit.
    std::uint64_t keys_made_max = limit_of(Limit::keys);
    bool records_only = false; ///< compare the records with each other alone: --records-only
};

/// Why input is not looked for where `records_only` is set.
inline constexpr char const* records_only_reason =
    "--records-only compares the records with each other alone";

/// For runs that are not the claim of a file: whoever made one holds its keys already.
[[nodiscard]] inline VerifyLimits unlimited_memory() {
    VerifyLimits limits;
    limits.memory_bytes = std::numeric_limits<std::uint64_t>::max();
    return limits;
}

} // namespace keyswap::model::verify
