#pragma once

/// \file Where the keys of a sort lie before it or after it, as --input-on and --output-on say it.

#include "simulator/platform/memory_place.hpp"
#include "simulator/platform/topology.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

struct KeyPlace {
    enum class Kind {
        node,        ///< all in the memory of one NUMA node
        interleaved, ///< each chunk page by page over the NUMA nodes of its GPU's machine
        local,       ///< each chunk at the NUMA node that is nearest to its GPU
        devices      ///< each chunk on its GPU
    };
    Kind kind = Kind::node;
    std::uint32_t node = 0; ///< of Kind::node

    friend bool operator==(KeyPlace const&, KeyPlace const&) = default;
};

/// Reads "node:0", "interleaved", "local" or "devices".
/// \param option what an error is about
[[nodiscard]] Expected<KeyPlace> parse_key_place(std::string_view text, std::string_view option);

/// The inverse.
[[nodiscard]] std::string to_string(KeyPlace place);

/// Whether the platform is a cluster.
[[nodiscard]] bool has_several_machines(Platform const& platform);

/// Where keys lie if a request names no place.
enum class KeyLayout {
    near_gpus, ///< each chunk at the NUMA node nearest to its GPU, where a sort would allocate it
    published  ///< all on NUMA node 0, as in published runs; in a cluster near their GPUs
};

[[nodiscard]] KeyPlace default_key_place(Platform const& platform, KeyLayout layout);

/// The memory that holds the chunk of each GPU of the platform: [gpus].
/// \pre a node is one of the platform's
[[nodiscard]] std::vector<MemoryPlace>
chunk_memories(KeyPlace place, Platform const& platform, Topology const& topology);

} // namespace keyswap::simulator
