#pragma once

/// \file Streams for a GPU's sends in rounds.

#include "kernels/device/stream.hpp"

#include <cstddef>
#include <vector>

namespace keyswap::kernels {

/// Most rounds of any plan.
inline constexpr std::size_t rounds_max = 6;

struct RoundStreams {
    Stream send;
    Stream arrive; ///< of ranks: waits for all ranks' copies of a round while later ones are sent
    Event copied;  ///< of ranks: a round's copies are done
    std::vector<Event> sent;    ///< [rounds_max]: a round is sent; with ranks, also received
    std::vector<Event> sent_to; ///< [g]: the last keys for that GPU are sent
    Event sorted;

    /// Waits for all queued work, if any, and ignores errors.
    void drain() const;
};
[[nodiscard]] RoundStreams make_round_streams(int device, std::size_t gpu_count);

} // namespace keyswap::kernels
