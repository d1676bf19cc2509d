#pragma once

#include "simulator/platform/topology.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::simulator {

/// A class of GPU sets that no simulation distinguishes: their members, in ascending order, have
/// equal routes to the host and to each other, with equal sharing.
struct GpuSetClass {
    std::vector<std::uint32_t> representative; ///< ascending; the lowest set of the class
    std::uint64_t sets = 1;                    ///< number of sets in the class
};

/// Memories that hold the chunk of each GPU of the platform before and after a sort: [gpus].
struct ChunkMemories {
    std::vector<MemoryPlace> input;
    std::vector<MemoryPlace> output;
};

/// True if any link ends at the GPU; false for a GPU that a link change removed.
[[nodiscard]] bool has_links(Platform const& platform, std::uint32_t gpu);

/// All sets of `size` GPUs up to symmetry, ordered by representative.
/// \pre size <= number of GPUs
[[nodiscard]] std::vector<GpuSetClass>
gpu_set_classes(Topology const& topology, ChunkMemories const& memories, std::uint32_t size);

} // namespace keyswap::simulator
