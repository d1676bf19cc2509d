#pragma once

#include "simulator/platform/topology.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::simulator {

/// Sets of GPUs that no simulation can distinguish: their members, in ascending order, have equal
/// routes to the host and to each other, and share equal parts of them.
struct GpuSetClass {
    std::vector<std::uint32_t> representative; ///< ascending; the lowest set of the class
    std::uint64_t sets = 1;                    ///< how many sets are like it
};

/// The memories between which each GPU of the platform moves its chunk: [gpus].
struct ChunkMemories {
    std::vector<MemoryPlace> input;
    std::vector<MemoryPlace> output;
};

/// Whether any link ends at the GPU: one that a change took away has none.
[[nodiscard]] bool has_links(Platform const& platform, std::uint32_t gpu);

/// All sets of `size` GPUs up to symmetry, in the order of their representatives.
/// \pre size is at most the number of GPUs
[[nodiscard]] std::vector<GpuSetClass>
gpu_set_classes(Topology const& topology, ChunkMemories const& memories, std::uint32_t size);

} // namespace keyswap::simulator
