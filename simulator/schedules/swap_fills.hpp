#pragma once

/// \file Keys that are not sent: where all of a segment have one value, and no values with them,
/// their destination writes them. Mirrors kernels/sorts/rmg (swap_sends.cpp).

#include "simulator/schedules/swap_rounds.hpp"

#include <cstdint>

namespace keyswap::simulator {

/// Keys of one value that a source has for another GPU, from which on that one writes them. Source:
/// kernels/README.md, how `fast` saves steps.
inline constexpr std::uint64_t filled_keys_min = std::uint64_t{1} << 19;

/// Takes what is filled out of what each round sends. \param plan of the rounds
void fill_one_values(RoundPlan& rounds, model::Plan const& plan);

} // namespace keyswap::simulator
