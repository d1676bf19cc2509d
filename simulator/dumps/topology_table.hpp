#pragma once

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// The cells of `nvidia-smi topo -m`, read from tabs, spaces or bars.
struct TopologyTable {
    std::size_t gpu_count = 0;
    std::vector<std::string> names;              ///< GPUs, then adapters: of columns and rows
    std::vector<std::vector<std::string>> cells; ///< [row][column]; an adapter's row may be empty
    std::vector<int> lines;                      ///< [row] line of the file; 0 if there is none
    std::vector<std::string> cpu_affinity;       ///< [gpu] empty if unknown
    std::vector<std::string> numa_affinity;      ///< [gpu] empty if unknown
    std::vector<std::string> gpu_names;          ///< [gpu] of `nvidia-smi -L`; empty if not there
    bool has_gpu_memory_nodes = false;           ///< whether 'GPU NUMA ID' has a number
};

/// \param text as plain_dump_text() gives it
/// \return an error for a table that is not whole, contradicts itself, or has a cell that is no
/// connection
[[nodiscard]] Expected<TopologyTable> read_topology_table(std::string_view text,
                                                          std::string_view file);

/// "NV18" is 18 NVLinks.
[[nodiscard]] std::optional<std::uint32_t> nvlinks_of_cell(std::string_view cell);

/// All of the text after the prefix as a number: "GPU7".
[[nodiscard]] std::optional<std::uint32_t> number_after(std::string_view text,
                                                        std::string_view prefix);

} // namespace keyswap::simulator
