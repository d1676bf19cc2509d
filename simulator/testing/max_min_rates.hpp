#pragma once

/// \file Rates of a fixed set of flows, for tests of the solver.

#include "simulator/network/max_min.hpp"

#include <span>
#include <vector>

namespace keyswap::simulator {

struct FlowDemand {
    std::vector<ChannelShare> shares;
    double ceiling = no_ceiling;
};

/// The rates that a fresh solver gives the flows.
/// \param capacities [channel count] in any unit, which is also the unit of the result
inline std::vector<double> max_min_rates(std::span<double const> capacities,
                                         std::span<FlowDemand const> flows) {
    MaxMinSolver solver(capacities);
    std::vector<MaxMinSolver::Slot> slots;
    slots.reserve(flows.size());
    for (FlowDemand const& flow : flows) {
        slots.push_back(solver.add(flow.shares, flow.ceiling));
    }
    static_cast<void>(solver.solve());
    std::vector<double> rates;
    rates.reserve(flows.size());
    for (MaxMinSolver::Slot const slot : slots) {
        rates.push_back(solver.rate(slot));
    }
    return rates;
}

} // namespace keyswap::simulator
