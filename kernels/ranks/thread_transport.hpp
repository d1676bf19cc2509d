#pragma once

/// \file Ranks that are threads of one process, on any GPUs, several of them on one too.

#include "kernels/ranks/rank_transport.hpp"

#include <chrono>
#include <memory>
#include <vector>

namespace keyswap::kernels {

/// The ends of so many ranks, each for a thread of its own. A rank copies what it receives out of
/// its peers' memory, once their streams are done; so it is simple and not fast.
/// \param patience how long a rank waits for the others at a step
/// \pre count > 0
[[nodiscard]] std::vector<std::unique_ptr<RankTransport>>
thread_transports(std::uint32_t count, std::chrono::milliseconds patience);

} // namespace keyswap::kernels
