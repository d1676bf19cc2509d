#pragma once

/// \file What the stand-in for CUDA's runtime has copied between devices.

#include <cstdint>

namespace keyswap::kernels::emulation {

/// Bytes, since the process began.
[[nodiscard]] std::uint64_t peer_bytes();

} // namespace keyswap::kernels::emulation
