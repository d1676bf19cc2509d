#include "simulator/platform/import_parts.hpp"
#include "simulator/platform/import_topology.hpp"
#include "traces/errors/input_limits.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <sstream>

namespace keyswap::simulator {
namespace {

constexpr std::uint32_t numa_nodes_max = 256;
constexpr std::uint32_t pair_nvlinks_max = 64; ///< between two GPUs; B200 has 18

struct Matrix {
    std::vector<std::vector<std::string>> cells;    ///< [gpu][gpu]
    std::vector<std::uint32_t> numa_nodes;          ///< [gpu]
    std::vector<std::vector<std::string>> adapters; ///< [gpu][adapter]
};

std::string without_colour(std::string_view text) {
    // Headers are underlined by an escape sequence: ESC [ ... m.
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            i = std::min(text.find('m', i), text.size() - 1);
        } else if (text[i] != '\r') {
            plain += text[i];
        }
    }
    return plain;
}

std::vector<std::string> split_at_tabs(std::string const& line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) {
        std::size_t const first = cell.find_first_not_of(' ');
        std::size_t const last = cell.find_last_not_of(' ');
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    return cells;
}

std::optional<std::uint32_t> number_after(std::string_view text, std::string_view prefix) {
    std::uint32_t value = 0;
    if (!text.starts_with(prefix)) {
        return std::nullopt;
    }
    char const* const end = text.data() + text.size();
    auto const [rest, error] = std::from_chars(text.data() + prefix.size(), end, value);
    return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

/// Links are seen from both ends: cell [i][j] says what [j][i] says.
std::optional<InputError> wrong_cells(Matrix const& matrix, std::string_view file) {
    for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            std::string const& cell = matrix.cells[i][j];
            std::string const pair = "GPU" + std::to_string(j) + " and GPU" + std::to_string(i);
            if (cell != matrix.cells[j][i]) {
                return InputError{std::string(file),
                                  "'" + cell + "' and '" + matrix.cells[j][i] + "' between " + pair,
                                  "both directions have to say the same"};
            }
            auto const count = number_after(cell, "NV");
            if (cell.starts_with("NV") && (!count || *count == 0 || *count > pair_nvlinks_max)) {
                return InputError{std::string(file),
                                  "'" + cell + "' between " + pair + " is not a number of NVLinks",
                                  "1 to 64 are known, as NV18"};
            }
        }
    }
    return std::nullopt;
}

Expected<Matrix> read_matrix(std::string_view text, std::string_view file) {
    Matrix matrix;
    std::optional<std::size_t> numa_column;
    std::size_t gpu_columns = 0;
    std::vector<std::size_t> adapter_columns;
    std::size_t rows = 0;
    std::istringstream lines(without_colour(text));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        auto const cells = split_at_tabs(line);
        if (gpu_columns == 0) {
            for (std::size_t i = 0; i < cells.size(); ++i) {
                // Columns ascend from GPU0, so that a row's name says its column too.
                gpu_columns += number_after(cells[i], "GPU") == gpu_columns ? 1 : 0;
                numa_column = cells[i] == "NUMA Affinity" ? std::optional(i) : numa_column;
                if (cells[i].starts_with("NIC") || cells[i].starts_with("mlx")) {
                    adapter_columns.push_back(i);
                }
            }
            if (gpu_columns > limit_of(Limit::gpus)) {
                return tl::unexpected(beyond_limit(Limit::gpus,
                                                   std::string(file) + ":" + std::to_string(number),
                                                   "has " + std::to_string(gpu_columns) + " GPUs"));
            }
            matrix.cells.resize(gpu_columns);
            matrix.numa_nodes.resize(gpu_columns);
            matrix.adapters.resize(gpu_columns);
            continue;
        }
        auto const gpu = cells.empty() ? std::nullopt : number_after(cells[0], "GPU");
        if (!gpu) {
            continue;
        }
        std::string const place = std::string(file) + ":" + std::to_string(number);
        if (cells.size() <= gpu_columns) {
            return tl::unexpected(InputError{place,
                                             "the row has fewer columns than there are GPUs",
                                             "keep the tabs of nvidia-smi's output"});
        }
        if (*gpu >= gpu_columns || !matrix.cells[*gpu].empty()) {
            return tl::unexpected(
                InputError{place,
                           "the row '" + cells[0] + "' has no column of its own, or is there twice",
                           "give the whole output of: nvidia-smi topo -m, once"});
        }
        matrix.cells[*gpu].assign(cells.begin() + 1,
                                  cells.begin() + 1 + static_cast<std::ptrdiff_t>(gpu_columns));
        for (std::size_t const column : adapter_columns) {
            matrix.adapters[*gpu].push_back(column < cells.size() ? cells[column] : "");
        }
        std::optional<std::uint32_t> node;
        if (numa_column && *numa_column < cells.size()) {
            // "0-1" is a range where memory is interleaved: its first counts. "N/A": one node.
            std::string const& cell = cells[*numa_column];
            node = number_after(std::string_view(cell).substr(0, cell.find_first_of("-,")), "");
        }
        if (node && *node >= numa_nodes_max) {
            return tl::unexpected(InputError{place,
                                             "NUMA node " + std::to_string(*node) +
                                                 " is beyond the 256 that are known",
                                             "see the column 'NUMA Affinity'"});
        }
        matrix.numa_nodes[*gpu] = node.value_or(0);
        ++rows;
    }
    if (rows == 0 || rows != gpu_columns) {
        return tl::unexpected(InputError{std::string(file),
                                         "holds no matrix with a row for each GPU",
                                         "give the whole output of: nvidia-smi topo -m"});
    }
    if (auto error = wrong_cells(matrix, file)) {
        return tl::unexpected(std::move(*error));
    }
    return matrix;
}

bool below_one_switch(std::string const& cell) {
    return cell == "PIX" || cell == "PXB"; // neither passes the root complex
}

/// Whether two GPUs share a PCIe switch: where NVLink hides it, adapters that both reach tell.
bool share_switch(Matrix const& matrix, std::size_t gpu, std::size_t other) {
    if (below_one_switch(matrix.cells[gpu][other])) {
        return true;
    }
    for (std::size_t i = 0; i < matrix.adapters[gpu].size(); ++i) {
        if (below_one_switch(matrix.adapters[gpu][i]) &&
            below_one_switch(matrix.adapters[other][i])) {
            return true;
        }
    }
    return false;
}

/// Groups GPUs that share a PCIe switch, by the lowest of them.
std::vector<std::size_t> switch_of_gpus(Matrix const& matrix) {
    std::vector<std::size_t> groups(matrix.cells.size());
    for (std::size_t gpu = 0; gpu < groups.size(); ++gpu) {
        groups[gpu] = gpu;
        for (std::size_t other = 0; other < gpu; ++other) {
            if (share_switch(matrix, gpu, other)) {
                groups[gpu] = groups[other];
                break;
            }
        }
    }
    return groups;
}

std::optional<InputError>
add_nvlinks(Platform& platform, Matrix const& matrix, GpuSheet const& sheet) {
    std::set<std::optional<std::uint32_t>> counts;
    for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            counts.insert(number_after(matrix.cells[i][j], "NV"));
        }
    }
    std::string const origin = "datasheet: NVLink links of this generation, counted by nvidia-smi";
    auto const kind_of_count = [&](std::uint32_t count) {
        return add_link_kind(platform,
                             "nvlink x" + std::to_string(count),
                             count * sheet.nvlink_Bps,
                             origin,
                             nvlink_efficiency(sheet));
    };
    bool const any =
        std::ranges::any_of(counts, [](auto const& count) { return count.has_value(); });
    if (any && sheet.nvlink_Bps == 0) {
        return InputError{"",
                          "shows NVLinks, which " + sheet.name + " does not have",
                          "name the GPU with --gpu as 'nvidia-smi -L' does"};
    }
    bool const all_equal = counts.size() == 1 && *counts.begin() && matrix.cells.size() > 2;
    if (all_equal) {
        platform.switches.push_back(Switch{"nvswitch", std::nullopt, std::nullopt});
        for (Gpu const& gpu : platform.gpus) {
            add_link(platform, kind_of_count(**counts.begin()), gpu.name, "nvswitch");
        }
        return std::nullopt;
    }
    for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (auto const count = number_after(matrix.cells[i][j], "NV")) {
                add_link(
                    platform, kind_of_count(*count), platform.gpus[j].name, platform.gpus[i].name);
            }
        }
    }
    return std::nullopt;
}

} // namespace

Expected<Platform>
import_nvidia_smi(std::string_view text, std::string_view file, ImportDefaults const& defaults) {
    auto const matrix = read_matrix(text, file);
    auto const sheet = find_gpu_sheet(defaults.gpu_name);
    if (!matrix || !sheet) {
        return tl::unexpected(!matrix ? matrix.error() : sheet.error());
    }
    Platform platform;
    platform.name = defaults.platform_name;
    platform.description = "imported from nvidia-smi topo -m";
    platform.devices.push_back(device_of_sheet(*sheet));
    std::uint32_t const nodes =
        1 + *std::max_element(matrix->numa_nodes.begin(), matrix->numa_nodes.end());
    for (std::uint32_t node = 0; node < nodes; ++node) {
        platform.cpus.push_back(assumed_cpu(node, *sheet));
    }
    join_cpus(platform, *sheet);
    auto const groups = switch_of_gpus(*matrix);
    std::uint64_t const pcie_Bps = pcie_x16_Bps(sheet->pcie_generation);
    std::string const pcie =
        add_link_kind(platform,
                      "pcie",
                      pcie_Bps,
                      "datasheet: PCIe " + std::to_string(sheet->pcie_generation) +
                          ".0 x16 of the GPU; assumed: a slot as wide",
                      pcie_efficiency(pcie_Bps));
    for (std::size_t gpu = 0; gpu < groups.size(); ++gpu) {
        platform.gpus.push_back(
            Gpu{"gpu" + std::to_string(gpu), platform.devices.front().name, std::nullopt});
        std::string above = "cpu" + std::to_string(matrix->numa_nodes[gpu]);
        if (std::count(groups.begin(), groups.end(), groups[gpu]) > 1) {
            std::string const node = "pcie-switch" + std::to_string(groups[gpu]);
            if (groups[gpu] == gpu) {
                platform.switches.push_back(Switch{node, std::nullopt, std::nullopt});
                add_link(platform, pcie, above, node);
            }
            above = node;
        }
        add_link(platform, pcie, above, platform.gpus.back().name);
    }
    if (auto error = add_nvlinks(platform, *matrix, *sheet)) {
        error->subject = file;
        return tl::unexpected(std::move(*error));
    }
    return validated_import(platform, file);
}

} // namespace keyswap::simulator
