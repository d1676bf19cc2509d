#pragma once

/// \file Where bytes lie on a machine, and how a copy of them is divided.

#include <compare>
#include <cstdint>

namespace keyswap::simulator {

enum class MemoryKind {
    host,        ///< one NUMA node
    interleaved, ///< page by page over all NUMA nodes of a machine
    gpu
};

/// A memory of the platform, by the number of its NUMA node, machine or GPU **on the platform**
/// (not by its place in the sort's order: schedules translate).
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

/// Whether a copy is one of many that together move what lies in one place, several of them queued
/// at once.
enum class CopyExtent { whole, piece };

} // namespace keyswap::simulator
