#pragma once

/// \file Streams in which a GPU's keys leave for others in rounds.

#include "kernels/device/stream.hpp"

#include <cstddef>
#include <vector>

namespace keyswap::kernels {

/// Most rounds that any plan has.
inline constexpr std::size_t rounds_max = 6;

struct RoundStreams {
    Stream send;
    std::vector<Event> sent;    ///< [rounds_max]: a round's keys have left, and of ranks also come
    std::vector<Event> sent_to; ///< [g]: the last keys for that GPU have left
    Event sorted;

    /// Waits for what was queued, whether it failed or not, if there is anything.
    void drain() const;
};
[[nodiscard]] RoundStreams make_round_streams(int device, std::size_t gpu_count);

} // namespace keyswap::kernels
