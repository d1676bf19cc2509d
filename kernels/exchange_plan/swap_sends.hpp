#pragma once

/// \file What of a swap in rounds is sent, and what its destinations write themselves: where all
/// keys of a segment have one value, and no values with them, the plan says all that a copy could.
/// Plain C++.

#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/exchange_plan/swap_segments.hpp"
#include "kernels/primitives/key_fill.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Keys from one source, of one value, from which on their destination writes them: 2 MiB of 32-bit
/// keys take 5.3 us over a link of 396 GB/s, and a copy that they divide in two starts once more,
/// which takes 3.5 us (both measured on H200, simulator/devices).
inline constexpr std::uint64_t filled_keys_min = std::uint64_t{1} << 19;

/// Keys of one value that a GPU writes where they would have arrived.
struct RoundFill {
    GpuId gpu;
    std::uint64_t offset = 0; ///< among the arrivals
    std::uint64_t count = 0;
    std::uint64_t image = 0;
    friend bool operator==(RoundFill const&, RoundFill const&) = default;
};

struct SwapSends {
    std::vector<RoundCopy> copies; ///< as the plan's, less what is filled; no own parts
    /// [copies] the source whose keys come to the same GPU just before, if it is another one.
    std::vector<std::optional<GpuId>> after;
    std::vector<RoundFill> fills; ///< by GPU and offset
};

/// \param segments of the plan \param keys_min that a source has of one value for another GPU, for
/// them to be filled; nothing: all is sent, as what has values must be
/// \pre images that are filled have 64 bits at most
[[nodiscard]] SwapSends swap_sends(RoundPlan const& plan,
                                   std::span<SwapSegment const> segments,
                                   std::optional<std::uint64_t> keys_min);

} // namespace keyswap::kernels
