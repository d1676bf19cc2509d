#include "tools/report/sweep_csv.hpp"

#include "model/key_files/csv_column.hpp"
#include "tools/text/csv_text.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"
#include "traces/measurements/csv_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace keyswap::tools {

namespace {

using SortedJson = nlohmann::json;

constexpr char const* remedy = "give what 'keyswap whatif --csv' printed";

template <class Number>
std::optional<SortedJson> number_of(std::string_view text) {
    auto const number = parsed_number<Number>(text);
    return number ? std::optional<SortedJson>(*number) : std::nullopt;
}

std::optional<SortedJson> gpus_of(std::string_view text) {
    SortedJson gpus = SortedJson::array();
    while (!text.empty()) {
        auto const end = std::min(text.find(' '), text.size());
        auto const gpu = number_of<std::uint32_t>(text.substr(0, end));
        if (!gpu) {
            return std::nullopt;
        }
        gpus.push_back(*gpu);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return gpus;
}

std::optional<SortedJson> value_of(SweepField const& field, std::string const& text) {
    switch (field.kind) {
    case SweepValue::whole:
        return number_of<std::uint64_t>(text);
    case SweepValue::real: {
        auto const number = number_of<double>(text);
        bool const possible = number && std::isfinite(number->get<double>()) && *number >= 0.0;
        return possible ? number : std::nullopt;
    }
    case SweepValue::gpus:
        return gpus_of(text);
    case SweepValue::word:
    case SweepValue::link:
    case SweepValue::error:
        break;
    }
    return text.empty() ? std::nullopt : std::optional<SortedJson>(text);
}

using Header = std::vector<SweepField const*>;

/// Fields of a header line, in order; nullopt if it has an unknown field, or no total. Earlier
/// versions wrote fewer fields.
std::optional<Header> header_of(std::string_view line) {
    Header header;
    bool has_total = false;
    for (auto const& [name, quoted] :
         model::csv_cells(line, ',').value_or(std::vector<model::CsvCell>())) {
        auto const field = std::ranges::find(sweep_fields, name, &SweepField::name);
        if (field == sweep_fields.end()) {
            return std::nullopt;
        }
        header.push_back(&*field);
        has_total = has_total || name == "total_ms";
    }
    return has_total ? std::optional(std::move(header)) : std::nullopt;
}

/// Cell of a row; empty if the row lacks the field.
std::string cell_of(SweepField const& field, Json const& row) {
    std::string const name = field.name;
    if (row.contains("interval_ms") && (name == "low_ms" || name == "high_ms")) {
        return printed("%.6f", row["interval_ms"][name == "low_ms" ? 0 : 1]);
    }
    auto const value = row.find(name);
    if (value == row.end()) {
        return field.kind == SweepValue::link ? "-" : "";
    }
    if (name == "swap" && row.contains("swap_taken") && *value == "best") {
        return "best: " + row["swap_taken"].get<std::string>();
    }
    switch (field.kind) {
    case SweepValue::real:
        return printed(name == "keys_per_s" ? "%.6g" : "%.6f", *value);
    case SweepValue::gpus: {
        std::string gpus = value->dump();
        std::ranges::replace(gpus, ',', ' ');
        return gpus.substr(1, gpus.size() - 2);
    }
    case SweepValue::whole:
        return value->dump();
    case SweepValue::word:
    case SweepValue::link:
    case SweepValue::error:
        break;
    }
    return value->get<std::string>();
}

/// Row of the sweep; error text if the line is invalid.
tl::expected<SortedJson, std::string> row_of(std::string_view line, Header const& header) {
    auto const cells = model::csv_cells(line, ',');
    if (!cells) {
        return tl::unexpected(cells.error().problem);
    }
    if (cells->size() != header.size()) {
        return tl::unexpected("has " + std::to_string(cells->size()) + " fields instead of " +
                              std::to_string(header.size()));
    }
    SortedJson row;
    for (std::size_t i = 0; i < header.size(); ++i) {
        SweepField const& field = *header[i];
        std::string const& text = (*cells)[i].text;
        bool const no_link = field.kind == SweepValue::link && text == "-";
        bool const empty = text.empty() && field.may_be_empty && field.kind != SweepValue::gpus;
        if (no_link || empty) {
            continue;
        }
        auto value = value_of(field, text);
        if (!value) {
            return tl::unexpected(std::string("its ") + field.name + " is '" + text.substr(0, 40) +
                                  "'");
        }
        row[field.name] = std::move(*value);
    }
    if (row.contains("low_ms") && row.contains("high_ms")) {
        row["interval_ms"] = {row["low_ms"], row["high_ms"]};
    }
    row.erase("low_ms");
    row.erase("high_ms");
    return row;
}

} // namespace

std::string sweep_csv(Json const& rows) {
    std::vector<std::string> cells(sweep_fields.size());
    std::ranges::transform(sweep_fields, cells.begin(), &SweepField::name);
    CsvText csv(cells);
    for (auto const& row : rows) {
        std::ranges::transform(sweep_fields, cells.begin(), [&](SweepField const& field) {
            return cell_of(field, row);
        });
        csv.line(cells);
    }
    return csv.text();
}

bool looks_like_sweep_csv(std::string_view text) {
    return header_of(take_line(text)).has_value();
}

Expected<SortedJson> parse_sweep_csv(std::string const& file, std::string_view text) {
    SortedJson rows = SortedJson::array();
    Header header;
    std::string_view const all = text;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string_view const line = take_line(text);
        if (number == 1) {
            auto named = header_of(line);
            if (!named) {
                return tl::unexpected(find_csv_error(all, file).value_or(
                    InputError{file + ":1", "is not the header of a sweep", std::string(remedy)}));
            }
            header = std::move(*named);
            continue;
        }
        if (line.empty()) {
            continue;
        }
        auto row = row_of(line, header);
        if (!row) {
            return input_error(file + ":" + std::to_string(number), row.error(), remedy);
        }
        rows.push_back(std::move(*row));
    }
    return SortedJson{{"rows", rows}};
}

} // namespace keyswap::tools
