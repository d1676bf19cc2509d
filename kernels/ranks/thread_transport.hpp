#pragma once

/// \file Ranks that are threads of one process, on any GPUs; several may share a GPU.

#include "kernels/ranks/rank_transport.hpp"

#include <chrono>
#include <memory>
#include <vector>

namespace keyswap::kernels {

/// Creates the endpoints of `count` ranks, each for its own thread. A rank copies what it receives
/// from its peers' memory, after their streams have finished: simple, but not fast. Shared memory
/// is used as it is.
/// \param patience timeout for the other ranks at a step
/// \pre count > 0
[[nodiscard]] std::vector<std::unique_ptr<RankTransport>>
thread_transports(std::uint32_t count, std::chrono::milliseconds patience);

} // namespace keyswap::kernels
