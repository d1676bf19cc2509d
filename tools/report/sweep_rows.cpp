#include "tools/report/sweep_rows.hpp"

#include "tools/text/document.hpp"
#include "tools/text/json.hpp"
#include "tools/text/memory_text.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "tools/text/table.hpp"
#include "tools/text/text_width.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace keyswap::tools {

namespace {

using simulator::WhatIfRow;

/// A row with its speed-up.
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

void result_fields(ComparedRow const& it, auto& field) {
    WhatIfRow const& row = *it.row;
    auto const& request = row.request;
    field("platform", row.platform);
    field("algorithm", request.algorithm);
    field("num_keys", request.config.key_count);
    field("key_type", request.config.key_type);
    field("values", request.config.value_type);
    field("distribution", request.distribution);
    field("digit_bits", request.config.digit_bits);
    field("tolerance_ppm", request.config.tolerance_ppm);
    field("fuse_ppm", request.config.fuse_ppm);
    field("input_on", to_string(*request.input));
    field("output_on", to_string(*request.output));
    field("swap", to_string(request.swap));
    field("gpus", request.gpus);
    field("equivalent_sets", row.equivalent_sets);
    field.if_any("parameter", request.parameter);
    field.if_any("gpu_memory", request.gpu_memory_bytes);
    if (!row.link_changes.empty()) {
        field("link", row.link_changes);
    }
    if (!row.ran()) {
        field("error", row.error);
        return;
    }
    field("swap_taken", row.swap_taken);
    field("passes", row.passes);
    field("key_swap_ms", row.key_swap_ms);
    field("total_ms", row.total_ms);
    field("interval_ms", std::array{row.low_ms, row.high_ms});
    field("keys_per_s", keys_per_s(row));
    field.if_any("speed_up", it.speed_up);
    field("device_bytes", row.memory.sort.device_bytes());
    field("keys_most", row.memory.keys_most);
}

std::string places_text(WhatIfRow const& row) {
    std::string const input = to_string(*row.request.input);
    std::string const output = to_string(*row.request.output);
    return input == output ? input : input + " > " + output;
}

/// "by-node", or "best: by-node" if the faster order was requested.
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

/// Digit bits; "-" for a sort without digits.
std::string digit_bits_text(simulator::SimulationRequest const& request) {
    auto const choice = parse_full_name(request.algorithm);
    bool const by_digits = choice && find_parameter(*choice->algorithm, "digit-bits") != nullptr;
    return by_digits ? std::to_string(request.config.digit_bits) : "-";
}

/// GPU memory in GB and as a percentage, "8.1 (19 %)"; "-" for a sort on the CPU.
std::string memory_text(WhatIfRow const& row) {
    if (row.request.gpus.empty() || row.memory.uses.empty()) {
        return "-";
    }
    simulator::MemoryUse const& gpu = row.memory.uses.front();
    return formatted(
        "%.1f (%.0f %%)", static_cast<double>(gpu.used_bytes) * 1e-9, 100.0 * gpu.part());
}

/// Subject of a column.
enum class About {
    load,   ///< keys and distribution
    sorter, ///< sort, GPUs, machine
    result  ///< measurements; empty if the row did not run
};

struct Column {
    std::string_view name;
    int side; ///< -1: left-aligned, 1: right-aligned
    About about;
    std::function<std::string(ComparedRow const&)> text;
};

/// Result columns are ordered by importance: as many as fit the terminal are shown.
std::vector<Column> columns() {
    using Row = ComparedRow const&;
    constexpr int left = -1;
    constexpr int right = 1;
    auto const number = [](char const* format, auto value) {
        return [=](Row it) { return printed(format, value(*it.row)); };
    };
    auto const rate = [](WhatIfRow const& row) { return keys_per_s(row) * 1e-9; };
    auto const bytes = [=](WhatIfRow const& row) {
        return rate(row) * static_cast<double>(row.request.config.element_bytes());
    };
    return {
        {"platform", left, About::sorter, [](Row it) { return printable_text(it.row->platform); }},
        {"algorithm", left, About::sorter, [](Row it) { return it.row->request.algorithm; }},
        {"keys",
         right,
         About::load,
         [](Row it) { return grouped_count(it.row->request.config.key_count); }},
        {"type", left, About::load, [](Row it) { return type_text(*it.row); }},
        {"distribution", left, About::load, [](Row it) { return distribution_text(*it.row); }},
        {"bits", right, About::sorter, [](Row it) { return digit_bits_text(it.row->request); }},
        {"links",
         left,
         About::sorter,
         [](Row it) {
             return it.row->link_changes.empty() ? "-" : printable_text(it.row->link_changes);
         }},
        {"keys on", left, About::sorter, [](Row it) { return places_text(*it.row); }},
        {"GPU memory",
         right,
         About::sorter,
         [](Row it) {
             auto const& limit = it.row->request.gpu_memory_bytes;
             return limit ? size_text(static_cast<double>(*limit)) : "all";
         }},
        {"swap", left, About::sorter, [](Row it) { return swap_text(*it.row); }},
        {"GPUs", left, About::sorter, [](Row it) { return short_gpu_set(it.row->request.gpus); }},
        {"sets",
         right,
         About::sorter,
         [](Row it) { return std::to_string(it.row->equivalent_sets); }},
        {"total ms", right, About::result, number("%.2f", std::mem_fn(&WhatIfRow::total_ms))},
        {"from - to ms",
         right,
         About::result,
         [](Row it) {
             return significant_text(it.row->low_ms, 4) + " - " +
                    significant_text(it.row->high_ms, 4);
         }},
        {"speed-up",
         right,
         About::result,
         [](Row it) { return it.speed_up ? printed("%.2f", *it.speed_up) : "-"; }},
        {"Gkeys/s", right, About::result, number("%.2f", rate)},
        {"GB per GPU", right, About::result, [](Row it) { return memory_text(*it.row); }},
        {"passes", right, About::result, [](Row it) { return std::to_string(it.row->passes); }},
        {"swap ms", right, About::result, number("%.2f", std::mem_fn(&WhatIfRow::key_swap_ms))},
        {"GB/s", right, About::result, number("%.1f", bytes)}};
}

bool varies(Column const& column, std::vector<ComparedRow> const& rows) {
    return std::ranges::any_of(rows, [&](ComparedRow const& row) {
        return column.text(row) != column.text(rows.front());
    });
}

std::size_t width_of_column(Column const& column, std::vector<ComparedRow> const& rows) {
    std::size_t width = column.name.size();
    for (ComparedRow const& row : rows) {
        if (column.about != About::result || row.row->ran()) {
            width = std::max(width, width_of(column.text(row)));
        }
    }
    return width;
}

/// Columns in which rows differ, and as many result columns as fit.
std::vector<Column>
shown_columns(std::vector<ComparedRow> const& rows, std::size_t columns_most, bool all_columns) {
    std::vector<Column> shown;
    std::size_t used = 0;
    bool has_result = false;
    for (Column const& column : columns()) {
        bool const is_result = column.about == About::result;
        bool const is_named = column.name == "algorithm" || column.name == "GPUs";
        std::size_t const width = width_of_column(column, rows);
        bool const fits = used + 1 + width <= columns_most;
        bool const wanted =
            all_columns || (is_result ? fits || !has_result : is_named || varies(column, rows));
        if (wanted) {
            used += (used == 0 ? 0 : 1) + width;
            has_result = has_result || is_result;
            shown.push_back(column);
        }
    }
    return shown;
}

/// Values of the differing columns: "dgx-h100, GPUs 0-3".
std::string contender_text(ComparedRow const& row, std::vector<Column> const& differing) {
    std::string text;
    for (Column const& column : differing) {
        std::string const cell_text = column.text(row);
        bool const named = column.name != "platform" && column.name != "algorithm";
        text +=
            (text.empty() ? "" : ", ") + (named ? std::string(column.name) + " " : "") + cell_text;
    }
    return text;
}

/// Sentence that compares the fastest row with the next one.
std::string verdict_sentence(SweepVerdict const& verdict,
                             std::vector<ComparedRow> const& rows,
                             std::vector<Column> const& differing) {
    ComparedRow const& fastest = rows[verdict.fastest];
    std::string const name = contender_text(fastest, differing);
    std::string text = "Fastest: " + name + ", " + duration_text(fastest.row->total_ms);
    if (!verdict.next) {
        return text + "; nothing else can run.";
    }
    ComparedRow const& next = rows[*verdict.next];
    text += "; the next, " + contender_text(next, differing) + " (" +
            duration_text(next.row->total_ms) + "), takes " +
            printed("%.2f times as long", next.row->total_ms / fastest.row->total_ms) + ". ";
    std::string const intervals = interval_text(fastest.row->low_ms, fastest.row->high_ms, 3) +
                                  " and " + interval_text(next.row->low_ms, next.row->high_ms, 3);
    return text + (verdict.intervals_overlap
                       ? "Their intervals overlap (" + intervals + "): the order is not certain."
                       : "Their intervals do not overlap (" + intervals + ").");
}

/// Columns in which rows differ. \param about restricts them to this subject
std::vector<Column> differing_columns(std::vector<ComparedRow> const& rows, About about) {
    std::vector<Column> differing = columns();
    std::erase_if(differing, [&](Column const& column) {
        return column.about != about || column.name == "sets" || !varies(column, rows);
    });
    // Differences of digit bits follow from the algorithm.
    if (std::ranges::find(differing, "algorithm", &Column::name) != differing.end()) {
        std::erase_if(differing, [](Column const& column) { return column.name == "bits"; });
    }
    return differing;
}

std::string joined_cells(ComparedRow const& row, std::vector<Column> const& of) {
    std::string text;
    for (Column const& column : of) {
        std::string const value = column.text(row);
        text += (text.empty() ? "" : ", ") + value + (column.name == "keys" ? " keys" : "");
    }
    return text;
}

/// Indices of the rows that ran, grouped by cells of `columns`, in table order.
std::vector<std::pair<std::string, std::vector<std::size_t>>>
groups_by(std::vector<Column> const& columns, std::vector<ComparedRow> const& rows) {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].row->ran()) {
            continue;
        }
        std::string const name = joined_cells(rows[i], columns);
        auto group = std::ranges::find(groups, name, [](auto const& it) { return it.first; });
        if (group == groups.end()) {
            group = groups.insert(group, {name, {}});
        }
        group->second.push_back(i);
    }
    return groups;
}

/// Sentence on the best GPU count, and on the first additional GPU that slows the sort down.
/// \param sweep rows that differ only in their GPUs
std::string gpu_count_sentence(std::vector<WhatIfRow const*> const& sweep) {
    auto const best =
        *std::ranges::min_element(sweep, {}, [](WhatIfRow const* row) { return row->total_ms; });
    std::string worse;
    for (std::size_t i = 1; i < sweep.size(); ++i) {
        double const change = sweep[i]->total_ms / sweep[i - 1]->total_ms - 1.0;
        if (change > 0.0) {
            worse += (worse.empty() ? " " : ", ") +
                     std::to_string(sweep[i - 1]->request.gpus.size()) + " to " +
                     std::to_string(sweep[i]->request.gpus.size()) +
                     printed(" (by %.1f %%)", 100.0 * change);
        }
    }
    return "Best: " + counted(best->request.gpus.size(), "GPU") + " (" +
           gpu_set_text(best->request.gpus) + "), " + printed("%.2f ms.", best->total_ms) +
           (worse.empty() ? " More GPUs never make it slower."
                          : " More GPUs make it slower from" + worse + ".");
}

} // namespace

std::string short_gpu_set(std::vector<std::uint32_t> const& gpus) {
    constexpr std::size_t letters_most = 24;
    constexpr std::size_t letters_kept = 14;
    std::string const text = gpu_set_text(gpus);
    return text.size() <= letters_most ? text
                                       : text.substr(0, text.rfind(',', letters_kept)) + ",... (" +
                                             std::to_string(gpus.size()) + ")";
}

void write_sweep_table(std::vector<WhatIfRow> const& rows,
                       std::size_t width,
                       bool all_columns,
                       std::ostream& out) {
    auto const all = compared(rows);
    auto const shown = shown_columns(all, width, all_columns);
    std::vector<Table::Column> widths;
    for (Column const& column : shown) {
        int const letters = static_cast<int>(width_of_column(column, all));
        widths.push_back({std::string(column.name), column.side * letters, widths.empty() ? 0 : 1});
    }
    Table const table(std::move(widths));
    std::string text = table.header();
    for (ComparedRow const& row : all) {
        std::vector<std::string> cells;
        for (Column const& column : shown) {
            bool const has = column.about != About::result || row.row->ran();
            cells.push_back(has ? column.text(row) : "");
        }
        std::string line = table.line(cells);
        if (!row.row->ran()) {
            line.insert(line.size() - 1, " " + printable_text(row.row->error));
        }
        text += line;
    }
    out << wrapped(text, width);
}

std::string constant_load_text(std::vector<WhatIfRow> const& rows) {
    auto const all = compared(rows);
    std::vector<Column> same = columns();
    std::erase_if(same, [&](Column const& column) {
        bool const is_place = column.name == "keys on";
        return (column.about != About::load && !is_place) || varies(column, all);
    });
    simulator::SimulationRequest const& request = rows.front().request;
    std::string text;
    for (Column const& column : same) {
        std::string value = column.text(all.front()) + (column.name == "keys" ? " keys" : "");
        if (column.name == "keys on") {
            value = "keys on " + place_text(*request.input) +
                    (request.input == request.output
                         ? ""
                         : ", afterwards on " + place_text(*request.output));
        }
        text += (text.empty() ? "" : ", ") + value;
    }
    return text;
}

std::vector<SweepVerdict> sweep_verdicts(std::vector<WhatIfRow> const& rows) {
    auto const all = compared(rows);
    std::vector<Column> const contenders = differing_columns(all, About::sorter);
    bool const only_gpus =
        contenders.empty() || (contenders.size() == 1 && contenders[0].name == "GPUs");
    if (only_gpus) {
        return {};
    }
    // Compares the best row for each value of the first differing column, such as the machine.
    Column const& first = contenders.front();
    std::vector<Column> const loads = differing_columns(all, About::load);
    std::vector<SweepVerdict> verdicts;
    for (auto const& [load, members] : groups_by(loads, all)) {
        std::map<std::string, std::size_t> values;
        for (std::size_t const i : members) {
            auto const [place, is_new] = values.emplace(first.text(all[i]), i);
            if (!is_new && all[i].row->total_ms < all[place->second].row->total_ms) {
                place->second = i;
            }
        }
        std::vector<std::size_t> order;
        std::ranges::transform(
            values, std::back_inserter(order), [](auto const& best) { return best.second; });
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows[i].total_ms; });
        SweepVerdict verdict{load, order.front(), std::nullopt, false};
        if (order.size() > 1) {
            verdict.next = order[1];
            verdict.intervals_overlap = rows[order[1]].low_ms <= rows[order[0]].high_ms;
        }
        verdict.sentence =
            (load.empty() ? "" : load + ": ") + verdict_sentence(verdict, all, contenders);
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

Json sweep_json(std::vector<WhatIfRow> const& rows) {
    return document(compared(rows));
}

std::string gpu_count_finding(std::vector<WhatIfRow> const& rows) {
    auto const all = compared(rows);
    std::vector<Column> others = differing_columns(all, About::sorter);
    std::erase_if(others, [](Column const& column) { return column.name == "GPUs"; });
    std::ranges::move(differing_columns(all, About::load), std::back_inserter(others));
    std::string text;
    for (auto const& [name, members] : groups_by(others, all)) {
        std::vector<WhatIfRow const*> sweep;
        for (std::size_t const i : members) {
            if (!all[i].row->request.gpus.empty()) {
                sweep.push_back(all[i].row);
            }
        }
        if (sweep.size() > 1) {
            text += (name.empty() ? "" : name + ": ") + gpu_count_sentence(sweep) + '\n';
        }
    }
    return text;
}

} // namespace keyswap::tools
