#pragma once

/// \file What the emulated CUDA runtime counts: bytes copied between devices, and mappings.

#include <cstdint>

namespace keyswap::kernels::emulation {

/// Bytes since the start of the process.
[[nodiscard]] std::uint64_t peer_bytes();
/// Mappings of other processes' memory that are open now.
[[nodiscard]] int open_mappings();

} // namespace keyswap::kernels::emulation
