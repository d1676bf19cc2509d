#pragma once

#include "traces/errors/input_error.hpp"

#include <string_view>

namespace keyswap {

/// How keys lie in the sources' chunks before an exchange and on their destinations after it.
enum class SwapLayout {
    by_bucket, ///< chunks hold their buckets in ascending order, and so do destinations, where a
               ///< bucket's keys of all sources lie side by side
    by_source, ///< chunks hold their buckets in ascending order; a destination holds one source's
               ///< keys after the other's, so that a bucket comes in pieces
    by_round ///< the exchange comes in rounds, numbered by the copies' stages: a destination takes
             ///< neighbouring buckets in each, source after source, and chunks lie in the order
             ///< in which they are sent, with what remains on its GPU before or behind any round
};

/// "by_bucket", "by_source" or "by_round".
[[nodiscard]] std::string_view to_string(SwapLayout layout);
[[nodiscard]] Expected<SwapLayout> parse_swap_layout(std::string_view text);

} // namespace keyswap
