#pragma once

#include <cstdint>

namespace keyswap::simulator {

/// Bytes that a byte of a flow costs on a channel.
struct ChannelShare {
    std::uint32_t channel = 0;
    double weight = 1.0;
    friend bool operator==(ChannelShare const&, ChannelShare const&) = default;
};

} // namespace keyswap::simulator
