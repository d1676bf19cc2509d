#include "simulator/dumps/topology_table.hpp"

#include "simulator/platform/gpu_sheet.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/parsed_number.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <sstream>

namespace keyswap::simulator {
namespace {

constexpr std::uint32_t pair_nvlinks_max = 64; ///< between two GPUs; B200 has 18
constexpr char const* whole_output = "give the whole output of: nvidia-smi topo -m";

/// SOC and PSB are the names of SYS and PIX in drivers before 2017.
constexpr std::array connections{"SYS", "NODE", "PHB", "PXB", "PIX", "SOC", "PSB"};

std::string trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\"'`*>";
    std::size_t const first = text.find_first_not_of(blank);
    return first == std::string_view::npos
               ? ""
               : std::string(text.substr(first, text.find_last_not_of(blank) - first + 1));
}

std::vector<std::string> split_at(std::string_view line, char separator) {
    std::vector<std::string> cells;
    while (true) {
        std::size_t const end = std::min(line.find(separator), line.size());
        cells.push_back(trimmed(line.substr(0, end)));
        if (end == line.size()) {
            return cells;
        }
        line.remove_prefix(end + 1);
    }
}

std::vector<std::string> split_at_space(std::string_view line) {
    std::vector<std::string> cells;
    std::istringstream words{std::string(line)};
    for (std::string word; words >> word;) {
        if (std::string cell = trimmed(word); !cell.empty()) {
            cells.push_back(std::move(cell));
        }
    }
    return cells;
}

/// Last word of a cell; a quotation mark, host name or time may precede a copied line.
std::string last_word(std::string const& cell) {
    return cell.substr(cell.find_last_of(" :>") + 1);
}

/// Drops text before the table: returns the cells from the first whose last word is wanted.
template <class IsWanted>
std::vector<std::string> cells_from(std::vector<std::string> cells, IsWanted const& is_wanted) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (std::string const word = last_word(cells[i]); is_wanted(word)) {
            cells.erase(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(i));
            cells.front() = word;
            return cells;
        }
    }
    return {};
}

bool is_gpu(std::string const& word) {
    return number_after(word, "GPU").has_value();
}

bool is_connection(std::string const& cell) {
    return cell == "X" || nvlinks_of_cell(cell) ||
           std::ranges::find(connections, cell) != connections.end();
}

class TableReader {
  public:
    TableReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

    Expected<TopologyTable> read() {
        std::istringstream lines{std::string(text_)};
        std::string line;
        for (line_ = 1; std::getline(lines, line) && !error_; ++line_) {
            read_gpu_name(line);
            read_name_of_table(line);
            if (table_.names.empty()) {
                read_header(line);
            } else {
                read_row(line);
            }
        }
        if (!error_) {
            check_rows();
        }
        for (std::size_t row = 0; row < table_.names.size() && !error_; ++row) {
            check_cells(row);
        }
        if (error_) {
            return tl::unexpected(*error_);
        }
        table_.gpu_names.resize(table_.gpu_count);
        for (auto const& [gpu, name] : gpu_names_) {
            if (gpu < table_.gpu_count) {
                table_.gpu_names[gpu] = name;
            }
        }
        return std::move(table_);
    }

  private:
    enum class Trailing { cpu_affinity, numa_affinity, gpu_numa, other };

    void fail(int line, std::string problem, std::string remedy) {
        if (!error_) {
            error_ = InputError{line > 0 ? file_ + ":" + std::to_string(line) : file_,
                                std::move(problem),
                                std::move(remedy)};
        }
    }

    /// Reads "| 0 NVIDIA A100-SXM4-40GB On | 00000000:07:00.0 Off |" of nvidia-smi without options,
    /// which truncates long names.
    void read_name_of_table(std::string const& line) {
        std::size_t const digit = line.find_first_not_of("| ");
        std::size_t const gap = line.find("  ", std::min(digit, line.size()));
        if (!line.starts_with('|') || gap == std::string::npos) {
            return;
        }
        auto const gpu = number_after(std::string_view(line).substr(0, gap), line.substr(0, digit));
        std::size_t const begin = line.find_first_not_of(' ', gap);
        std::string const name = line.substr(std::min(begin, line.size()));
        std::string const first = trimmed(name.substr(0, name.find("  ")));
        if (gpu && *gpu < limit_of(Limit::gpus) && find_gpu_sheet(first)) {
            gpu_names_.emplace(*gpu, first);
        }
    }

    /// Reads "GPU 0: NVIDIA A100-SXM4-40GB (UUID: ...)"; reports a GPU with "MIG ... Device" lines
    /// below it, i.e. one split into parts.
    void read_gpu_name(std::string const& line) {
        std::size_t const at = line.find("GPU ");
        std::size_t const uuid = line.find(" (UUID: ");
        if (at == std::string::npos || uuid == std::string::npos || line.find("MIG ") < uuid) {
            if (uuid != std::string::npos && line.find(" Device ") < uuid) {
                fail(line_,
                     "a GPU is in parts (MIG)",
                     "switch MIG off: a sort here takes whole GPUs");
            }
            return;
        }
        std::size_t const colon = line.find(':', at);
        auto const gpu =
            number_after(std::string_view(line).substr(0, colon), line.substr(0, at + 4));
        if (gpu && colon < uuid && gpu_names_.size() < limit_of(Limit::gpus)) {
            gpu_names_.emplace(*gpu, trimmed(line.substr(colon + 1, uuid - colon - 1)));
        }
    }

    /// Splits a line at tabs, else at bars, else at spaces.
    [[nodiscard]] static std::vector<std::string> split(std::string const& line) {
        for (char const separator : {'\t', '|'}) {
            if (line.find(separator) != std::string::npos) {
                return split_at(line, separator);
            }
        }
        return split_at_space(line);
    }

    void read_header(std::string const& line) {
        auto const is_first = [](std::string const& word) { return word == "GPU0"; };
        auto cells = cells_from(split(line), is_first);
        if (cells.size() < 2 || !is_column(cells[1])) {
            cells = cells_from(split_at_space(line), is_first);
        }
        bool const is_alone = cells.size() == 1 && trimmed(line) == "GPU0";
        if (!is_alone && (cells.size() < 2 || !is_column(cells[1]))) {
            return; // a row, or the name in a sentence
        }
        std::size_t at = 0;
        for (; at < cells.size() && is_gpu(cells[at]); ++at) {
            // Columns ascend from GPU0, so a row's name is also its column number.
            if (number_after(cells[at], "GPU") != at) {
                return fail(line_,
                            "the column '" + cells[at] + "' follows '" + cells[at - 1] + "'",
                            "give the whole output, whose columns ascend from GPU0");
            }
        }
        table_.gpu_count = at;
        if (at > limit_of(Limit::gpus)) {
            auto const error = beyond_limit(Limit::gpus, "", "has " + std::to_string(at) + " GPUs");
            return fail(line_, error.problem, error.remedy);
        }
        while (at < cells.size() && !is_affinity(cells, at)) {
            ++at;
        }
        table_.names.assign(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(at));
        std::erase(table_.names, "");
        add_trailing(cells, at);
        table_.cells.resize(table_.names.size());
        table_.lines.resize(table_.names.size());
        table_.cpu_affinity.resize(table_.gpu_count);
        table_.numa_affinity.resize(table_.gpu_count);
        if (table_.names.size() > 4 * limit_of(Limit::gpus)) {
            fail(line_, "has more columns than a machine has parts", whole_output);
        }
    }

    [[nodiscard]] static bool is_column(std::string const& cell) {
        return is_gpu(cell) || cell.starts_with("NIC") || cell.starts_with("CPU") ||
               cell.starts_with("NUMA") || cell.find('_') != std::string::npos;
    }

    [[nodiscard]] static bool is_affinity(std::vector<std::string> const& cells, std::size_t at) {
        return cells[at].starts_with("CPU") || cells[at].starts_with("NUMA") ||
               cells[at].starts_with("GPU");
    }

    /// Parses "CPU Affinity", "NUMA Affinity", "GPU NUMA ID", in one cell each or word by word.
    void add_trailing(std::vector<std::string> const& cells, std::size_t at) {
        for (; at < cells.size(); ++at) {
            std::string const& cell = cells[at];
            if (cell.empty() || cell == "Affinity" || cell == "ID") {
                continue;
            }
            if (cell.starts_with("CPU")) {
                trailing_.push_back(Trailing::cpu_affinity);
            } else if (cell.starts_with("GPU")) {
                trailing_.push_back(Trailing::gpu_numa);
                at += at + 1 < cells.size() && cells[at + 1] == "NUMA" ? 1 : 0;
            } else if (cell.starts_with("NUMA")) {
                trailing_.push_back(Trailing::numa_affinity);
            } else {
                trailing_.push_back(Trailing::other);
            }
        }
    }

    void read_row(std::string const& line) {
        auto const is_name = [&](std::string const& word) {
            return is_gpu(word) || std::ranges::find(table_.names, word) != table_.names.end();
        };
        auto cells = cells_from(split(line), is_name);
        bool has_tabs = line.find('\t') != std::string::npos;
        std::size_t const columns = table_.names.size();
        if (cells.size() <= columns) {
            auto words = cells_from(split_at_space(line), is_name);
            if (words.size() > cells.size()) {
                cells = std::move(words);
                has_tabs = false;
            }
        }
        if (cells.size() > 2 && cells[0] == "GPU0" && is_column(cells[1])) {
            return fail(line_, "a second table begins", "give the table of one machine, once");
        }
        if (std::ranges::none_of(cells, is_connection)) {
            return; // a prompt, a sentence, or the legend
        }
        auto const row = std::ranges::find(table_.names, cells[0]) - table_.names.begin();
        auto const at = static_cast<std::size_t>(row);
        if (at == columns || !table_.cells[at].empty()) {
            return fail(line_,
                        "the row '" + cells[0] + "' has no column of its own, or appears twice",
                        "give the whole output of: nvidia-smi topo -m, once");
        }
        if (cells.size() <= columns) {
            return fail(line_,
                        "the row has " + std::to_string(cells.size() - 1) +
                            " cells, and the table " + std::to_string(columns) +
                            " columns of GPUs and adapters",
                        "a terminal or an editor cut the line; give the whole output");
        }
        table_.lines[at] = line_;
        table_.cells[at].assign(cells.begin() + 1,
                                cells.begin() + 1 + static_cast<std::ptrdiff_t>(columns));
        cells.erase(cells.begin(), cells.begin() + 1 + static_cast<std::ptrdiff_t>(columns));
        if (at < table_.gpu_count) {
            read_trailing(at, std::move(cells), has_tabs);
        }
    }

    void read_trailing(std::size_t gpu, std::vector<std::string> cells, bool has_tabs) {
        if (!has_tabs) {
            std::erase(cells, ""); // bars at the end of the line
            bool const is_clear = cells.size() == trailing_.size() || cells.empty() ||
                                  (cells.size() < trailing_.size() &&
                                   cells.front().find_first_of("-,") != std::string::npos);
            if (!is_clear) {
                return fail(line_,
                            std::to_string(cells.size()) + " cells follow the connections, under " +
                                std::to_string(trailing_.size()) + " columns of affinities",
                            "keep the tabs of nvidia-smi's output, which say where one is empty");
            }
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            std::string const value = cells[i] == "N/A" ? "" : cells[i];
            // With tabs, an empty cell precedes the last column.
            std::size_t const column = std::min(i, trailing_.size());
            if (column == trailing_.size()) {
                bool const is_last = !trailing_.empty() && trailing_.back() == Trailing::gpu_numa;
                table_.has_gpu_memory_nodes |= is_last && number_after(value, "").has_value();
                continue;
            }
            switch (trailing_[column]) {
            case Trailing::cpu_affinity:
                table_.cpu_affinity[gpu] = value;
                break;
            case Trailing::numa_affinity:
                table_.numa_affinity[gpu] = value;
                break;
            case Trailing::gpu_numa:
                table_.has_gpu_memory_nodes |= number_after(value, "").has_value();
                break;
            case Trailing::other:
                break;
            }
        }
    }

    /// Requires a row for each GPU, and for all adapters or for none.
    void check_rows() {
        bool const has_rows = !table_.names.empty() && !table_.cells.front().empty();
        if (std::string_view const vendor = other_vendor(); !has_rows && !vendor.empty()) {
            return fail(0,
                        "shows GPUs of " + std::string(vendor) +
                            ", and only NVIDIA's are supported",
                        "write a platform file with its links and rates by hand");
        }
        if (table_.names.empty()) {
            return fail(0, "holds no matrix" + driver_message(), whole_output);
        }
        for (std::size_t row = 0; row < table_.gpu_count; ++row) {
            if (table_.cells[row].empty()) {
                return fail(0,
                            "holds no matrix with a row for each GPU: '" + table_.names[row] +
                                "' is missing",
                            whole_output);
            }
        }
    }

    /// Vendor whose tools print such text; empty if no known word occurs in it.
    [[nodiscard]] std::string_view other_vendor() const {
        for (std::string_view const word : {"ROCm", "XGMI", "amd-smi", "AMD"}) {
            if (text_.find(word) != std::string_view::npos) {
                return "AMD";
            }
        }
        for (std::string_view const word : {"XL*", "MDF", "xpu-smi", "Xe Link"}) {
            if (text_.find(word) != std::string_view::npos) {
                return "Intel";
            }
        }
        return "";
    }

    /// The driver's error message in the text, if any, as the end of a sentence; else empty.
    [[nodiscard]] std::string driver_message() const {
        std::istringstream lines{std::string(text_)};
        for (std::string line; std::getline(lines, line);) {
            for (std::string_view const begin :
                 {"Failed to initialize", "NVIDIA-SMI has failed", "No devices", "Unable to"}) {
                if (std::size_t const at = line.find(begin); at != std::string::npos) {
                    return ", but \"" + line.substr(at, 120) + "\"";
                }
            }
        }
        return "";
    }

    /// Links are listed from both ends: cells [i][j] and [j][i] must agree.
    void check_cells(std::size_t row) {
        for (std::size_t column = 0; column < table_.cells[row].size() && !error_; ++column) {
            std::string const& cell = table_.cells[row][column];
            std::string const pair =
                table_.names[std::min(row, column)] + " and " + table_.names[std::max(row, column)];
            bool const is_self = row == column;
            bool const are_gpus = std::max(row, column) < table_.gpu_count;
            if (is_self != (cell == "X")) {
                fail(table_.lines[row],
                     "'" + cell + "' between " + pair +
                         (is_self ? ", which are the same device" : ""),
                     "X belongs only on the diagonal");
            } else if (!is_self && cell.starts_with("NV") && are_gpus) {
                auto const count = nvlinks_of_cell(cell);
                if (!count || *count == 0 || *count > pair_nvlinks_max) {
                    fail(table_.lines[row],
                         "'" + cell + "' between " + pair + " is not a number of NVLinks",
                         "give 1 to 64, as in NV18");
                }
            } else if (!is_self && std::ranges::find(connections, cell) == connections.end()) {
                fail(table_.lines[row],
                     "'" + cell + "' between " + pair + " is not a connection",
                     cell.starts_with("XGMI") || cell == "PCIE"
                         ? "it looks like a table of AMD's rocm-smi, whose GPUs are not supported"
                         : "known: NV#, PIX, PXB, PHB, NODE and SYS; run nvidia-smi topo -m again");
            }
            std::vector<std::string> const& back = table_.cells[column];
            if (!error_ && !back.empty() && back[row] != cell) {
                fail(table_.lines[row],
                     "'" + back[row] + "' and '" + cell + "' between " + pair,
                     "both directions must agree");
            }
        }
    }

    std::string_view text_;
    std::string file_;
    int line_ = 0;
    std::optional<InputError> error_;
    TopologyTable table_;
    std::vector<Trailing> trailing_;
    std::map<std::uint32_t, std::string> gpu_names_;
};

} // namespace

std::optional<std::uint32_t> number_after(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? parsed_number<std::uint32_t>(text.substr(prefix.size()))
                                    : std::nullopt;
}

std::optional<std::uint32_t> nvlinks_of_cell(std::string_view cell) {
    return number_after(cell, "NV");
}

Expected<TopologyTable> read_topology_table(std::string_view text, std::string_view file) {
    return TableReader(text, file).read();
}

} // namespace keyswap::simulator
