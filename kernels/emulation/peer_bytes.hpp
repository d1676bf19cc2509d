#pragma once

/// \file What tests ask of the emulated CUDA runtime about the memory of other devices.

#include <cstdint>

namespace keyswap::kernels::emulation {

/// Bytes since the start of the process.
[[nodiscard]] std::uint64_t peer_bytes();
/// Mappings of other processes' memory that are open now.
[[nodiscard]] int open_mappings();
/// Makes the devices unable to access each other's memory, as seen from this thread, or able again.
void allow_peer_access(bool is_allowed);

} // namespace keyswap::kernels::emulation
