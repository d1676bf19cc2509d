#include "tools/report/sweep_rows.hpp"

#include "tools/report/exports.hpp"
#include "tools/report/sweep_csv.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <functional>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;
using simulator::WhatIfRow;

/// A row with what it is compared by.
struct ComparedRow {
    WhatIfRow const* row;
    std::optional<double> speed_up;
};

std::vector<ComparedRow> compared(std::vector<WhatIfRow> const& rows) {
    std::vector<ComparedRow> all;
    auto const factors = simulator::speed_ups(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        all.push_back({&rows[i], factors[i]});
    }
    return all;
}

double keys_per_s(WhatIfRow const& row) {
    return row.total_ms > 0.0
               ? static_cast<double>(row.request.config.key_count) / row.total_ms * 1e3
               : 0.0;
}

std::uint64_t element_bytes(WhatIfRow const& row) {
    return key_size_bytes(row.request.config.key_type) +
           value_size_bytes(row.request.config.value_type);
}

std::string places_text(WhatIfRow const& row) {
    std::string const input = to_string(*row.request.input);
    std::string const output = to_string(*row.request.output);
    return input == output ? input : input + " > " + output;
}

/// "by-node", or "best: by-node" where the faster order was asked for.
std::string swap_text(WhatIfRow const& row) {
    std::string const asked(to_string(row.request.swap));
    bool const chosen = !row.request.swap && row.ran();
    return chosen ? asked + ": " + std::string(to_string(row.swap_taken)) : asked;
}

std::string distribution_text(WhatIfRow const& row) {
    return row.request.distribution +
           (row.request.parameter ? printed("(%g)", *row.request.parameter) : std::string());
}

std::string type_text(WhatIfRow const& row) {
    std::string const type(to_string(row.request.config.key_type));
    return row.request.config.value_type == ValueType::none
               ? type
               : type + "+" + std::string(to_string(row.request.config.value_type));
}

/// "-" of a sort that reads no digits.
std::string digit_bits_text(simulator::SimulationRequest const& request) {
    auto const choice = parse_full_name(request.algorithm);
    bool const by_digits = choice && find_parameter(*choice->algorithm, "digit-bits") != nullptr;
    return by_digits ? std::to_string(request.config.digit_bits) : "-";
}

/// "8.1 (19 %)": GB of each GPU, and the part of what it has; "-" of a sort on the CPU.
std::string memory_text(WhatIfRow const& row) {
    if (row.request.gpus.empty() || row.memory.uses.empty()) {
        return "-";
    }
    simulator::MemoryUse const& gpu = row.memory.uses.front();
    return formatted(
        "%.1f (%.0f %%)", static_cast<double>(gpu.used_bytes) * 1e-9, 100.0 * gpu.part());
}

enum class Shown { always, where_it_varies };
enum class Align { left, right };

struct Column {
    char const* name;
    int width;
    Align align;
    Shown shown;
    bool of_result; ///< a row that could not run has none
    std::function<std::string(ComparedRow const&)> text;
};

std::vector<Column> columns() {
    using Row = ComparedRow const&;
    auto const number = [](char const* format, auto value) {
        return [=](Row it) { return printed(format, value(*it.row)); };
    };
    return {
        {"platform",
         14,
         Align::left,
         Shown::where_it_varies,
         false,
         [](Row it) { return printable_text(it.row->platform); }},
        {"algorithm",
         14,
         Align::left,
         Shown::always,
         false,
         [](Row it) { return it.row->request.algorithm; }},
        {"keys",
         14,
         Align::right,
         Shown::always,
         false,
         [](Row it) { return format_count(it.row->request.config.key_count); }},
        {"type", 4, Align::left, Shown::always, false, [](Row it) { return type_text(*it.row); }},
        {"distribution",
         14,
         Align::left,
         Shown::always,
         false,
         [](Row it) { return distribution_text(*it.row); }},
        {"bits",
         4,
         Align::right,
         Shown::where_it_varies,
         false,
         [](Row it) { return digit_bits_text(it.row->request); }},
        {"links",
         16,
         Align::left,
         Shown::where_it_varies,
         false,
         [](Row it) {
             return it.row->link_changes.empty() ? "-" : printable_text(it.row->link_changes);
         }},
        {"keys on",
         12,
         Align::left,
         Shown::where_it_varies,
         false,
         [](Row it) { return places_text(*it.row); }},
        {"swap",
         7,
         Align::left,
         Shown::where_it_varies,
         false,
         [](Row it) { return swap_text(*it.row); }},
        {"GPUs",
         12,
         Align::left,
         Shown::always,
         false,
         [](Row it) { return gpu_set_text(it.row->request.gpus); }},
        {"sets",
         5,
         Align::right,
         Shown::where_it_varies,
         false,
         [](Row it) { return std::to_string(it.row->equivalent_sets); }},
        {"passes",
         6,
         Align::right,
         Shown::always,
         true,
         [](Row it) { return std::to_string(it.row->passes); }},
        {"swap ms",
         9,
         Align::right,
         Shown::always,
         true,
         number("%.2f", [](WhatIfRow const& row) { return row.key_swap_ms; })},
        {"total ms",
         10,
         Align::right,
         Shown::always,
         true,
         number("%.2f", [](WhatIfRow const& row) { return row.total_ms; })},
        {"from - to ms",
         12,
         Align::right,
         Shown::always,
         true,
         [](Row it) {
             return significant_text(it.row->low_ms, 4) + " - " +
                    significant_text(it.row->high_ms, 4);
         }},
        {"Gkeys/s",
         8,
         Align::right,
         Shown::always,
         true,
         number("%.2f", [](WhatIfRow const& row) { return keys_per_s(row) * 1e-9; })},
        {"GB/s",
         7,
         Align::right,
         Shown::always,
         true,
         number("%.1f",
                [](WhatIfRow const& row) {
                    return keys_per_s(row) * static_cast<double>(element_bytes(row)) * 1e-9;
                })},
        {"speed-up",
         8,
         Align::right,
         Shown::always,
         true,
         [](Row it) { return it.speed_up ? printed("%.2f", *it.speed_up) : "-"; }},
        {"GB per GPU", 12, Align::right, Shown::always, true, [](Row it) {
             return memory_text(*it.row);
         }}};
}

bool varies(Column const& column, std::vector<ComparedRow> const& rows) {
    return std::ranges::any_of(rows, [&](ComparedRow const& row) {
        return column.text(row) != column.text(rows.front());
    });
}

std::string cell(Column const& column, std::size_t width, std::string const& text) {
    return formatted(
        column.align == Align::left ? "%-*s" : "%*s", static_cast<int>(width), text.c_str());
}

} // namespace

void write_sweep_table(std::vector<WhatIfRow> const& rows, std::ostream& out) {
    auto const all = compared(rows);
    std::vector<Column> shown = columns();
    std::erase_if(shown, [&](Column const& column) {
        return column.shown == Shown::where_it_varies && !varies(column, all);
    });
    std::vector<std::size_t> widths;
    std::string heading;
    for (Column const& column : shown) {
        std::size_t width = static_cast<std::size_t>(column.width);
        for (ComparedRow const& row : all) {
            if (!column.of_result || row.row->ran()) {
                width = std::max(width, column.text(row).size());
            }
        }
        widths.push_back(width);
        heading += (heading.empty() ? "" : " ") + cell(column, width, column.name);
    }
    out << heading << '\n';
    for (ComparedRow const& row : all) {
        std::string line;
        for (std::size_t i = 0; i < shown.size(); ++i) {
            if (!shown[i].of_result || row.row->ran()) {
                line += (line.empty() ? "" : " ") + cell(shown[i], widths[i], shown[i].text(row));
            }
        }
        out << line << (row.row->ran() ? "" : " " + printable_text(row.row->error)) << '\n';
    }
}

void write_sweep_csv(std::vector<WhatIfRow> const& rows, std::ostream& out) {
    out << sweep_csv_header << '\n';
    for (ComparedRow const& it : compared(rows)) {
        WhatIfRow const& row = *it.row;
        auto const& config = row.request.config;
        std::string gpus;
        for (std::uint32_t const gpu : row.request.gpus) {
            gpus += (gpus.empty() ? "" : " ") + std::to_string(gpu);
        }
        out << csv_field(row.platform)
            << formatted(",%s,%llu,%s,%s,%s,%s,%d,%u,%u,",
                         row.request.algorithm.c_str(),
                         static_cast<unsigned long long>(config.key_count),
                         std::string(to_string(config.key_type)).c_str(),
                         std::string(to_string(config.value_type)).c_str(),
                         row.request.distribution.c_str(),
                         row.request.parameter ? std::to_string(*row.request.parameter).c_str()
                                               : "",
                         config.digit_bits,
                         config.tolerance_ppm,
                         config.fuse_ppm)
            << csv_field(row.link_changes.empty() ? "-" : row.link_changes) << ','
            << to_string(*row.request.input) << ',' << to_string(*row.request.output) << ','
            << swap_text(row) << ',' << gpus << ',' << row.equivalent_sets << ',';
        // What could not run has no results.
        out << (row.ran()
                    ? formatted("%d,%.6f,%.6f,%.6f,%.6f,%.6g,%s,%llu,%llu,",
                                row.passes,
                                row.key_swap_ms,
                                row.total_ms,
                                row.low_ms,
                                row.high_ms,
                                keys_per_s(row),
                                it.speed_up ? printed("%.6f", *it.speed_up).c_str() : "",
                                static_cast<unsigned long long>(row.memory.sort.device_bytes()),
                                static_cast<unsigned long long>(row.memory.keys_most))
                    : ",,,,,,,,," + csv_field(row.error))
            << '\n';
    }
}

Json sweep_json(std::vector<WhatIfRow> const& rows) {
    Json all = Json::array();
    for (ComparedRow const& it : compared(rows)) {
        WhatIfRow const& row = *it.row;
        auto const& config = row.request.config;
        Json out{{"platform", row.platform},
                 {"algorithm", row.request.algorithm},
                 {"num_keys", config.key_count},
                 {"key_type", std::string(to_string(config.key_type))},
                 {"values", to_string(config.value_type)},
                 {"distribution", row.request.distribution},
                 {"digit_bits", config.digit_bits},
                 {"tolerance_ppm", config.tolerance_ppm},
                 {"fuse_ppm", config.fuse_ppm},
                 {"input_on", to_string(*row.request.input)},
                 {"output_on", to_string(*row.request.output)},
                 {"swap", to_string(row.request.swap)},
                 {"gpus", row.request.gpus},
                 {"equivalent_sets", row.equivalent_sets}};
        if (row.request.parameter) {
            out["parameter"] = *row.request.parameter;
        }
        if (!row.link_changes.empty()) {
            out["link"] = row.link_changes;
        }
        if (row.ran()) {
            out["swap_taken"] = to_string(row.swap_taken);
            out["passes"] = row.passes;
            out["key_swap_ms"] = row.key_swap_ms;
            out["total_ms"] = row.total_ms;
            out["interval_ms"] = {row.low_ms, row.high_ms};
            out["keys_per_s"] = keys_per_s(row);
            if (it.speed_up) {
                out["speed_up"] = *it.speed_up;
            }
            out["device_bytes"] = row.memory.sort.device_bytes();
            out["keys_most"] = row.memory.keys_most;
        } else {
            out["error"] = row.error;
        }
        all.push_back(std::move(out));
    }
    return all;
}

std::string gpu_count_finding(std::vector<WhatIfRow> const& rows) {
    std::vector<WhatIfRow const*> ran;
    for (WhatIfRow const& row : rows) {
        if (row.ran() && !row.request.gpus.empty()) {
            ran.push_back(&row);
        }
    }
    if (ran.size() < 2) {
        return {};
    }
    auto const best =
        *std::ranges::min_element(ran, {}, [](WhatIfRow const* row) { return row->total_ms; });
    std::string text = "Best: " + counted(best->request.gpus.size(), "GPU") + " (" +
                       gpu_set_text(best->request.gpus) + "), " +
                       printed("%.2f ms.", best->total_ms);
    std::string worse;
    for (std::size_t i = 1; i < ran.size(); ++i) {
        double const change = ran[i]->total_ms / ran[i - 1]->total_ms - 1.0;
        if (change > 0.0) {
            worse += (worse.empty() ? " " : ", ") +
                     std::to_string(ran[i - 1]->request.gpus.size()) + " to " +
                     std::to_string(ran[i]->request.gpus.size()) +
                     printed(" (by %.1f %%)", 100.0 * change);
        }
    }
    return text + (worse.empty() ? " More GPUs never make it slower."
                                 : " More GPUs make it slower from" + worse + ".");
}

} // namespace keyswap::tools
