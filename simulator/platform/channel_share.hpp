#pragma once

#include <cstdint>

namespace keyswap::simulator {

/// Share of a flow on one channel: weight = bytes carried by the channel per byte of the flow.
struct ChannelShare {
    std::uint32_t channel = 0;
    double weight = 1.0;
    friend bool operator==(ChannelShare const&, ChannelShare const&) = default;
};

} // namespace keyswap::simulator
