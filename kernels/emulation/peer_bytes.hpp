#pragma once

/// \file The number of bytes that the emulated CUDA runtime has copied between devices.

#include <cstdint>

namespace keyswap::kernels::emulation {

/// Bytes since the start of the process.
[[nodiscard]] std::uint64_t peer_bytes();

} // namespace keyswap::kernels::emulation
