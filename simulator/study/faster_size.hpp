#pragma once

/// \file Sizes at which a sort switches to a faster schedule, so that slightly fewer keys take
/// longer.

#include "simulator/prediction/simulation.hpp"

#include <cstdint>
#include <optional>

namespace keyswap::simulator {

/// A larger number of keys that takes less time.
struct FasterSize {
    std::uint64_t key_count = 0;
    double total_ms = 0.0;
};

/// The smallest tried size, up to twice as many keys, that takes at least 2 % less time; sizes are
/// multiples of the number of GPUs. Graphs of more than 50,000 tasks are not simulated again.
/// \return nullopt if there is none
[[nodiscard]] std::optional<FasterSize> find_faster_size(Machine const& machine,
                                                         Simulation const& simulation);

} // namespace keyswap::simulator
