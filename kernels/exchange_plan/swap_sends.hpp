#pragma once

/// \file Which keys of a swap in rounds are sent and which their destination generates: if all keys
/// of a segment are equal and have no values, the plan determines them completely, so no copy is
/// needed. Plain C++.

#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/exchange_plan/swap_segments.hpp"
#include "kernels/primitives/key_fill.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Smallest run of equal keys from one source that the destination generates: 2 MiB of 32-bit keys
/// take 5.3 us over a link of 396 GB/s; splitting a copy around them starts one more, which takes
/// 3.5 us (both measured on H200, simulator/devices).
inline constexpr std::uint64_t filled_keys_min = std::uint64_t{1} << 19;

/// Equal keys that a GPU generates in place of a transfer.
struct RoundFill {
    GpuId gpu;
    std::uint64_t offset = 0; ///< offset in the buffer of arrivals
    std::uint64_t count = 0;
    std::uint64_t image = 0;
    friend bool operator==(RoundFill const&, RoundFill const&) = default;
};

struct SwapSends {
    std::vector<CopyRecord> copies; ///< the plan's copies without filled keys and own parts
    /// [copies] previous source that sends to the same GPU; nullopt if none or the same source.
    std::vector<std::optional<GpuId>> after;
    std::vector<RoundFill> fills; ///< by GPU and offset
};

/// \param segments of the plan \param keys_min smallest number of equal keys of a source for
/// another GPU to fill; nullopt: send everything, as elements with values require
/// \pre images to fill have at most 64 bits
[[nodiscard]] SwapSends swap_sends(RoundPlan const& plan,
                                   std::span<SwapSegment const> segments,
                                   std::optional<std::uint64_t> keys_min);

} // namespace keyswap::kernels
