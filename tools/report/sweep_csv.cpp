#include "tools/report/sweep_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace keyswap::tools {

namespace {

using SortedJson = nlohmann::json;

constexpr char const* remedy = "give what 'keyswap whatif --csv' printed";

enum class FieldKind { word, whole, real, gpus, link, error };

struct Field {
    char const* name;
    FieldKind kind;
    bool may_be_empty = false;
};

constexpr std::array<Field, 26> fields{{{"platform", FieldKind::word},
                                        {"algorithm", FieldKind::word},
                                        {"num_keys", FieldKind::whole},
                                        {"key_type", FieldKind::word},
                                        {"values", FieldKind::word},
                                        {"distribution", FieldKind::word},
                                        {"parameter", FieldKind::real, true},
                                        {"digit_bits", FieldKind::whole},
                                        {"tolerance_ppm", FieldKind::whole},
                                        {"fuse_ppm", FieldKind::whole},
                                        {"link", FieldKind::link},
                                        {"input_on", FieldKind::word},
                                        {"output_on", FieldKind::word},
                                        {"swap", FieldKind::word},
                                        {"gpus", FieldKind::gpus, true},
                                        {"equivalent_sets", FieldKind::whole},
                                        {"passes", FieldKind::whole, true},
                                        {"key_swap_ms", FieldKind::real, true},
                                        {"total_ms", FieldKind::real, true},
                                        {"low_ms", FieldKind::real, true},
                                        {"high_ms", FieldKind::real, true},
                                        {"keys_per_s", FieldKind::real, true},
                                        {"speed_up", FieldKind::real, true},
                                        {"device_bytes", FieldKind::whole, true},
                                        {"keys_most", FieldKind::whole, true},
                                        {"error", FieldKind::error, true}}};

/// Fields of a line (RFC 4180); none where quotation marks do not match.
std::optional<std::vector<std::string>> split_line(std::string_view line) {
    std::vector<std::string> parts(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        char const letter = line[i];
        if (letter == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            parts.back() += '"';
            i += 1;
        } else if (letter == '"') {
            quoted = !quoted;
        } else if (letter == ',' && !quoted) {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    return quoted ? std::nullopt : std::optional(std::move(parts));
}

template <class Number>
std::optional<SortedJson> number_of(std::string_view text) {
    Number number{};
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || stop != text.data() + text.size()) {
        return std::nullopt;
    }
    return SortedJson(number);
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

std::optional<SortedJson> value_of(Field const& field, std::string const& text) {
    switch (field.kind) {
    case FieldKind::whole:
        return number_of<std::uint64_t>(text);
    case FieldKind::real: {
        auto const number = number_of<double>(text);
        return number && std::isfinite(number->get<double>()) ? number : std::nullopt;
    }
    case FieldKind::gpus:
        return gpus_of(text);
    case FieldKind::word:
    case FieldKind::link:
    case FieldKind::error:
        break;
    }
    return text.empty() ? std::nullopt : std::optional<SortedJson>(text);
}

using Heading = std::vector<Field const*>;

/// The fields that a heading names, in its order; none where it names another, or no total. Earlier
/// versions wrote fewer.
std::optional<Heading> heading_of(std::string_view line) {
    Heading heading;
    bool has_total = false;
    for (std::string const& name : split_line(line).value_or(std::vector<std::string>())) {
        auto const field = std::ranges::find(fields, name, &Field::name);
        if (field == fields.end()) {
            return std::nullopt;
        }
        heading.push_back(&*field);
        has_total = has_total || name == "total_ms";
    }
    return has_total ? std::optional(std::move(heading)) : std::nullopt;
}

/// A row of the sweep, or what is wrong with the line.
tl::expected<SortedJson, std::string> row_of(std::string_view line, Heading const& heading) {
    auto const parts = split_line(line);
    if (!parts) {
        return tl::unexpected(std::string("a quotation mark is not closed"));
    }
    if (parts->size() != heading.size()) {
        return tl::unexpected("has " + std::to_string(parts->size()) + " fields instead of " +
                              std::to_string(heading.size()));
    }
    SortedJson row;
    for (std::size_t i = 0; i < heading.size(); ++i) {
        Field const& field = *heading[i];
        std::string const& text = (*parts)[i];
        bool const no_link = field.kind == FieldKind::link && text == "-";
        bool const empty = text.empty() && field.may_be_empty && field.kind != FieldKind::gpus;
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

bool looks_like_sweep_csv(std::string_view text) {
    std::string_view first = text.substr(0, text.find('\n'));
    if (first.ends_with('\r')) {
        first.remove_suffix(1);
    }
    return heading_of(first).has_value();
}

Expected<SortedJson> parse_sweep_csv(std::string const& file, std::string_view text) {
    SortedJson rows = SortedJson::array();
    Heading heading;
    for (std::size_t number = 1; !text.empty(); ++number) {
        auto const end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (number == 1) {
            auto named = heading_of(line);
            if (!named) {
                return tl::unexpected(
                    InputError{file + ":1", "is not the header of a sweep", std::string(remedy)});
            }
            heading = std::move(*named);
            continue;
        }
        if (line.empty()) {
            continue;
        }
        auto row = row_of(line, heading);
        if (!row) {
            return tl::unexpected(
                InputError{file + ":" + std::to_string(number), row.error(), remedy});
        }
        rows.push_back(std::move(*row));
    }
    return SortedJson{{"rows", rows}};
}

} // namespace keyswap::tools
