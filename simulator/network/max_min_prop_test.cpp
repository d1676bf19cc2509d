#include "simulator/testing/random_network.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <rapidcheck/gtest.h>
#include <string>

namespace keyswap::simulator {
namespace {

constexpr double slack = 1e-9;

double
use_of(RandomNetwork const& network, std::vector<double> const& rates, std::uint32_t channel) {
    double use = 0.0;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        for (ChannelShare const& share : network.flows[i].shares) {
            use += share.channel == channel ? share.weight * rates[i] : 0.0;
        }
    }
    return use;
}

/// Why the rates are not max-min fair; nullopt if they are.
std::optional<std::string> violation(RandomNetwork const& network,
                                     std::vector<double> const& rates) {
    std::vector<double> fastest(network.capacities.size(), 0.0);
    for (std::size_t i = 0; i < rates.size(); ++i) {
        for (ChannelShare const& share : network.flows[i].shares) {
            fastest[share.channel] = std::max(fastest[share.channel], rates[i]);
        }
    }
    for (std::uint32_t channel = 0; channel < network.capacities.size(); ++channel) {
        if (use_of(network, rates, channel) > network.capacities[channel] * (1 + slack)) {
            return "channel " + std::to_string(channel) + " carries more than it can";
        }
    }
    for (std::size_t i = 0; i < rates.size(); ++i) {
        FlowDemand const& flow = network.flows[i];
        bool held = rates[i] >= flow.ceiling * (1 - slack);
        for (ChannelShare const& share : flow.shares) {
            bool const saturated = use_of(network, rates, share.channel) >=
                                   network.capacities[share.channel] * (1 - slack);
            held = held || (saturated && rates[i] >= fastest[share.channel] * (1 - slack));
        }
        if (!held || rates[i] > flow.ceiling * (1 + slack)) {
            return "nothing holds flow " + std::to_string(i) + " at its rate";
        }
    }
    return std::nullopt;
}

RC_GTEST_PROP(MaxMinProperty, EachFlowIsAtItsCeilingOrFastestOnASaturatedChannel, ()) {
    RandomNetwork const network = *random_network(*rc::gen::arbitrary<bool>());
    auto const rates = max_min_rates(network.capacities, network.flows);
    auto const found = violation(network, rates);
    RC_LOG() << found.value_or("") << "\n";
    RC_ASSERT(!found.has_value());
}

RC_GTEST_PROP(MaxMinProperty, TheConditionRefusesOtherRates, ()) {
    // Planted fault: one flow a tenth slower or faster than its fair rate.
    RandomNetwork const network = *random_network(false);
    auto rates = max_min_rates(network.capacities, network.flows);
    auto const flow = *rc::gen::inRange<std::size_t>(0, rates.size());
    rates[flow] *= *rc::gen::element(0.9, 1.1);
    RC_ASSERT(violation(network, rates).has_value());
}

RC_GTEST_PROP(MaxMinProperty, ChangingFlowsGivesTheRatesOfStartingAfresh, ()) {
    RandomNetwork const network = *random_network(*rc::gen::arbitrary<bool>());
    MaxMinSolver solver(network.capacities);
    std::vector<std::optional<MaxMinSolver::Slot>> slots(network.flows.size());
    auto const steps = *rc::gen::inRange(1, 40);
    for (int step = 0; step < steps; ++step) {
        auto const changes = *rc::gen::inRange(1, 5);
        for (int change = 0; change < changes; ++change) {
            auto const flow = *rc::gen::inRange<std::size_t>(0, slots.size());
            if (slots[flow]) {
                solver.remove(*slots[flow]);
                slots[flow].reset();
            } else {
                slots[flow] = solver.add(network.flows[flow].shares, network.flows[flow].ceiling);
            }
        }
        static_cast<void>(solver.solve());
        std::vector<FlowDemand> present;
        std::vector<double> rates;
        for (std::size_t flow = 0; flow < slots.size(); ++flow) {
            if (slots[flow]) {
                present.push_back(network.flows[flow]);
                rates.push_back(solver.rate(*slots[flow]));
            }
        }
        auto const fresh = max_min_rates(network.capacities, present);
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            RC_ASSERT(std::abs(rates[i] - fresh[i]) <= slack * fresh[i]);
        }
    }
}

} // namespace
} // namespace keyswap::simulator
