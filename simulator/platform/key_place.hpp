#pragma once

/// \file Where the input or output keys of a sort are stored: values of --input-on and --output-on.

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
        interleaved, ///< each chunk page by page across the NUMA nodes of its GPU's machine
        local,       ///< each chunk on the NUMA node nearest to its GPU
        devices      ///< each chunk on its GPU
    };
    Kind kind = Kind::node;
    std::uint32_t node = 0; ///< for Kind::node only

    friend bool operator==(KeyPlace const&, KeyPlace const&) = default;
};

/// Parses "node:0", "interleaved", "local" or "devices".
/// \param subject of errors
[[nodiscard]] Expected<KeyPlace> parse_key_place(std::string_view text, std::string_view subject);

/// Inverse of parse_key_place().
[[nodiscard]] std::string to_string(KeyPlace place);

/// True for a cluster: not all NUMA nodes belong to one machine.
[[nodiscard]] bool has_several_machines(Platform const& platform);

/// Default place of keys if a request names none.
enum class KeyLayout {
    near_gpus, ///< each chunk on the NUMA node nearest to its GPU, where a sort would allocate it
    published  ///< all on NUMA node 0, as in published runs; near_gpus in a cluster
};

[[nodiscard]] KeyPlace default_key_place(Platform const& platform, KeyLayout layout);

/// Returns the memory that holds the chunk of each GPU of the platform: [gpus].
/// \pre the NUMA node of a Kind::node place exists on the platform
[[nodiscard]] std::vector<MemoryPlace>
chunk_memories(KeyPlace place, Platform const& platform, Topology const& topology);

} // namespace keyswap::simulator
