#pragma once

/// \file Memories of a platform, and whether a copy is whole or one of several pieces.

#include <compare>
#include <cstdint>

namespace keyswap::simulator {

enum class MemoryKind {
    host,        ///< one NUMA node
    interleaved, ///< page by page across all NUMA nodes of one machine
    gpu
};

/// A memory, identified by the number of its NUMA node, machine or GPU **on the platform** (not by
/// the rank of the GPU in the sort: schedules translate ranks).
struct MemoryPlace {
    MemoryKind kind = MemoryKind::host;
    std::uint32_t index = 0;
    friend auto operator<=>(MemoryPlace const&, MemoryPlace const&) = default;
};

[[nodiscard]] constexpr MemoryPlace host_memory(std::uint32_t numa_node) {
    return MemoryPlace{MemoryKind::host, numa_node};
}
[[nodiscard]] constexpr MemoryPlace interleaved_memory(std::uint32_t machine) {
    return MemoryPlace{MemoryKind::interleaved, machine};
}
[[nodiscard]] constexpr MemoryPlace gpu_memory(std::uint32_t gpu) {
    return MemoryPlace{MemoryKind::gpu, gpu};
}

/// `piece`: one of many copies, several queued at once, that together move one contiguous
/// region; `whole`: a copy that moves its region alone.
enum class CopyExtent { whole, piece };

} // namespace keyswap::simulator
