#pragma once

/// \file Sizes at which a sort changes its schedule for a faster one: a little fewer keys take
/// longer there.

#include "simulator/study/simulation.hpp"

#include <cstdint>
#include <optional>

namespace keyswap::simulator {

/// More keys that take less time.
struct Cliff {
    std::uint64_t key_count = 0;
    double total_ms = 0.0;
};

/// The fewest of up to twice as many keys that take less time by 2 % or more, among multiples of
/// the number of GPUs. Of graphs of more than 50,000 tasks nothing is simulated again. \return
/// nullopt if there are none
[[nodiscard]] std::optional<Cliff> cliff_above(Machine const& machine,
                                               Simulation const& simulation);

} // namespace keyswap::simulator
