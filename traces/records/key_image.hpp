#pragma once

#include <compare>
#include <cstdint>

namespace keyswap {

/// The order-preserving unsigned image of a key of up to 128 bits, right-aligned: `high` is 0 for
/// keys of at most 64 bits. Compares as the key does.
struct KeyImage {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend auto operator<=>(KeyImage const&, KeyImage const&) = default;
};

} // namespace keyswap
