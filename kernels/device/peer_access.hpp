#pragma once

/// \file Direct access of GPUs to each other's memory.

#include <set>

namespace keyswap::kernels {

/// Enables peer access for all pairs of devices. False if some pair does not support it, or if a
/// device already has as many peers as it supports (8 without NVSwitch): the driver then copies
/// through host memory.
/// \throws CudaFailure
[[nodiscard]] bool enable_peer_access(std::set<int> const& devices);

} // namespace keyswap::kernels
