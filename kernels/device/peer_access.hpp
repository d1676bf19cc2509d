#pragma once

/// \file GPUs that read and write each other's memory.

#include <set>

namespace keyswap::kernels {

/// Lets every pair of devices read and write each other's memory; false where a pair cannot.
/// \throws CudaFailure
[[nodiscard]] bool enable_peer_access(std::set<int> const& devices);

} // namespace keyswap::kernels
