#pragma once

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Cells of the table of `nvidia-smi topo -m`, separated by tabs, spaces or bars.
struct TopologyTable {
    std::size_t gpu_count = 0;
    std::vector<std::string> names;              ///< of rows and columns: GPUs, then adapters
    std::vector<std::vector<std::string>> cells; ///< [row][column]; an adapter's row may be empty
    std::vector<int> lines;                      ///< [row] line in the file; 0 without a row
    std::vector<std::string> cpu_affinity;       ///< [gpu] empty if unknown
    std::vector<std::string> numa_affinity;      ///< [gpu] empty if unknown
    std::vector<std::string> gpu_names;          ///< [gpu] from `nvidia-smi -L`; empty if absent
    bool has_gpu_memory_nodes = false;           ///< column 'GPU NUMA ID' contains a number
};

/// \param text result of plain_dump_text()
/// \return an error if the table is incomplete or inconsistent, or a cell is not a connection
/// code
[[nodiscard]] Expected<TopologyTable> read_topology_table(std::string_view text,
                                                          std::string_view file);

/// Number of NVLinks in a cell: 18 for "NV18"; nullopt for other cells.
[[nodiscard]] std::optional<std::uint32_t> nvlinks_of_cell(std::string_view cell);

/// Parses all text after the prefix as a number: 7 for "GPU7". nullopt without prefix or number.
[[nodiscard]] std::optional<std::uint32_t> number_after(std::string_view text,
                                                        std::string_view prefix);

} // namespace keyswap::simulator
