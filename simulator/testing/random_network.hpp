#pragma once

/// \file Random networks of channels and flows for properties of the solver (test-only).

#include "simulator/testing/max_min_rates.hpp"

#include <algorithm>
#include <cstdint>
#include <rapidcheck.h>
#include <vector>

namespace keyswap::simulator {

struct RandomNetwork {
    std::vector<double> capacities;
    std::vector<FlowDemand> flows;
};

/// Capacities are arbitrary or one of few (for ties); routes have 1 to 5 distinct channels.
inline rc::Gen<RandomNetwork> random_network(bool with_weights) {
    return rc::gen::exec([with_weights] {
        RandomNetwork network;
        auto const channel_count = *rc::gen::inRange<std::uint32_t>(1, 12);
        for (std::uint32_t i = 0; i < channel_count; ++i) {
            bool const round = *rc::gen::arbitrary<bool>();
            int const capacity = round ? *rc::gen::element(8, 16, 24) : *rc::gen::inRange(1, 1000);
            network.capacities.push_back(capacity);
        }
        auto const flow_count = *rc::gen::inRange<std::uint32_t>(1, 30);
        for (std::uint32_t i = 0; i < flow_count; ++i) {
            FlowDemand flow;
            auto const hops = *rc::gen::inRange<std::uint32_t>(1, 6);
            for (std::uint32_t hop = 0; hop < hops; ++hop) {
                auto const channel = *rc::gen::inRange<std::uint32_t>(0, channel_count);
                bool const known =
                    std::any_of(flow.shares.begin(), flow.shares.end(), [&](ChannelShare const& s) {
                        return s.channel == channel;
                    });
                if (!known) {
                    double const weight = with_weights ? 0.5 * *rc::gen::inRange(1, 5) : 1.0;
                    flow.shares.push_back(ChannelShare{channel, weight});
                }
            }
            if (*rc::gen::inRange(0, 3) == 0) {
                flow.ceiling = *rc::gen::inRange(1, 500);
            }
            network.flows.push_back(std::move(flow));
        }
        return network;
    });
}

} // namespace keyswap::simulator
