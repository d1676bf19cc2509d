#pragma once

#include "traces/errors/input_error.hpp"

#include <string_view>

namespace keyswap {

/// Memory layout of chunks before an exchange and of destinations after it.
enum class SwapLayout {
    by_bucket, ///< chunks and destinations hold buckets in ascending order; a destination holds all
               ///< keys of a bucket in one contiguous range, whatever their source
    by_source, ///< chunks hold buckets in ascending order; a destination holds the keys of each
               ///< source together, so that a bucket arrives in several pieces
    by_round ///< the exchange takes rounds, numbered by the copies' stages: in each, a destination
             ///< receives adjacent buckets, source after source; chunks are in send order,
             ///< with the keys that remain on their GPU before or after any round
};

/// "by_bucket", "by_source" or "by_round".
[[nodiscard]] std::string_view to_string(SwapLayout layout);
[[nodiscard]] Expected<SwapLayout> parse_swap_layout(std::string_view text);

} // namespace keyswap
