#pragma once

/// \file Direct access of GPUs to each other's memory.

#include <set>

namespace keyswap::kernels {

/// Enables peer access for all pairs of devices; false if some pair does not support it.
/// \throws CudaFailure
[[nodiscard]] bool enable_peer_access(std::set<int> const& devices);

} // namespace keyswap::kernels
