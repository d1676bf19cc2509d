#pragma once

#include "simulator/prediction/prediction.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace keyswap::simulator {

/// Phases of a simulated sort, of 2e9 keys unless the request has a number.
inline PhaseTimes times(std::string const& platform, SimulationRequest request) {
    auto const machine = load_machine(platform, std::nullopt);
    EXPECT_TRUE(machine);
    if (request.config.key_count == 0) {
        request.config.key_count = 2'000'000'000;
    }
    auto const simulation = simulate(*machine, std::move(request));
    EXPECT_TRUE(simulation);
    return phase_times(*simulation);
}

} // namespace keyswap::simulator
