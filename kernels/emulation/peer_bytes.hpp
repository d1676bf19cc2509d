#pragma once

/// \file What tests ask of the emulated CUDA runtime about the memory of other devices.

#include <cstdint>

namespace keyswap::kernels::emulation {

/// Bytes since the start of the process.
[[nodiscard]] std::uint64_t peer_bytes();
/// Mappings of other processes' memory that are open now.
[[nodiscard]] int open_mappings();

/// Access of the devices to each other's memory.
enum class PeerAccess {
    possible,
    impossible,
    exhausted ///< each device already has as many peers as it supports
};
/// Changes the access as seen from this thread.
void set_peer_access(PeerAccess access);

} // namespace keyswap::kernels::emulation
