#include "simulator/platform/platform_reader.hpp"

#include "traces/errors/parsed_number.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace keyswap::simulator {
namespace {

constexpr std::array<std::string_view, 4> origin_words{
    "datasheet", "published", "measured", "assumed"};
/// Lowest plausible efficiency; smaller values are mistakes.
constexpr double efficiency_min = 1e-3;
constexpr std::string_view origin_remedy =
    "begin it with \"datasheet: \", \"published: \", \"measured: \" or \"assumed: \" and say where";

bool is_origin(std::string_view text) {
    return std::any_of(origin_words.begin(), origin_words.end(), [&](std::string_view word) {
        return text.size() > word.size() + 2 && text.starts_with(word) && text[word.size()] == ':';
    });
}

std::string in_quotes(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

} // namespace

void MistakeLog::report(toml::source_region const& where, std::string problem, std::string remedy) {
    if (!first_) {
        first_ = InputError{
            file_ + ":" + std::to_string(where.begin.line), std::move(problem), std::move(remedy)};
    }
}

void MistakeLog::check_family(toml::source_region const& where, UnitFamily family) {
    if (!family_) {
        family_ = family;
        family_line_ = where.begin.line;
    } else if (*family_ != family) {
        report(where,
               "mixed units: " + std::string(to_string(family)) + " here, " +
                   std::string(to_string(*family_)) + " on line " + std::to_string(family_line_),
               "keep to one of GB/s (1e9 bytes), GiB/s (2^30 bytes), Gb/s (1e9 bits) in a file");
    }
}

TableReader::TableReader(toml::table const& table,
                         std::string what,
                         toml::table const& original,
                         MistakeLog& log,
                         std::initializer_list<std::string_view> allowed)
    : table_(table), original_(original), what_(std::move(what)), log_(log) {
    if (auto const name = table["name"].value<std::string>(); name && !name->empty()) {
        what_ += " " + *name;
    }
    for (auto const& [key, node] : table) {
        std::string_view const word = key.str();
        bool const known = word == "name" || word == "origin" ||
                           std::find(allowed.begin(), allowed.end(), word) != allowed.end();
        if (!known) {
            std::string list = "name";
            for (std::string_view const entry : allowed) {
                list += ", " + std::string(entry);
            }
            report_at(word, "unknown key " + in_quotes(word), "known keys: " + list + ", origin");
        }
    }
}

void TableReader::report(std::string problem, std::string remedy) {
    log_.report(original_.source(), what_ + ": " + std::move(problem), std::move(remedy));
}

void TableReader::report_at(std::string_view key, std::string problem, std::string remedy) {
    log_.report(line_of(key), what_ + ": " + std::move(problem), std::move(remedy));
}

toml::source_region const& TableReader::line_of(std::string_view key) const {
    toml::node const* node = original_.get(key);
    return node != nullptr ? node->source() : original_.source();
}

std::string TableReader::text(std::string_view key) {
    auto const value = table_[key].value<std::string>();
    if (!value || value->empty()) {
        report(in_quotes(key) + " is missing or not a string",
               "add " + std::string(key) + " = \"...\"");
        return {};
    }
    return *value;
}

std::string TableReader::text_or(std::string_view key, std::string otherwise) {
    return table_.contains(key) ? text(key) : std::move(otherwise);
}

std::vector<std::string> TableReader::texts(std::string_view key) {
    std::vector<std::string> list;
    if (auto const* array = table_[key].as_array()) {
        for (toml::node const& node : *array) {
            if (auto const value = node.value<std::string>()) {
                list.push_back(*value);
            }
        }
        if (list.size() == array->size()) {
            return list;
        }
    }
    report(in_quotes(key) + " is missing or not a list of strings",
           "write " + std::string(key) + " = [\"...\", \"...\"]");
    return {};
}

toml::node const* TableReader::constant(std::string_view key, bool required) {
    toml::node const* node = table_.get(key);
    if (node != nullptr) {
        constants_.emplace_back(key);
    } else if (required) {
        report(in_quotes(key) + " is missing", "add it with its unit and origin");
    }
    return node;
}

std::optional<std::string> TableReader::quantity(std::string_view key, bool required) {
    toml::node const* const node = constant(key, required);
    auto const value = node == nullptr ? std::nullopt : node->value_exact<std::string>();
    if (node != nullptr && !value) {
        report_at(key,
                  in_quotes(key) + " has no unit",
                  "write the number with its unit as a text, as in \"300 GB/s\", \"1.8 us\" or "
                  "\"40 GiB\"");
    }
    return value;
}

std::optional<std::uint64_t> TableReader::bandwidth_if(std::string_view key) {
    auto const value = quantity(key, false);
    if (!value) {
        return std::nullopt;
    }
    auto const parsed = parse_bandwidth(*value);
    if (!parsed) {
        report_at(key, in_quotes(key) + ": " + parsed.error().problem, parsed.error().remedy);
        return std::nullopt;
    }
    if (parsed->bytes_per_second == 0) {
        report_at(key,
                  in_quotes(key) + " is zero: nothing would ever arrive",
                  "give a bandwidth above zero or remove what has it");
    } else if (parsed->bytes_per_second < bandwidth_min_Bps ||
               parsed->bytes_per_second > bandwidth_max_Bps) {
        report_at(key,
                  in_quotes(key) + " is " + *value + ", which no link or memory has",
                  "give 1 MB/s to 1 PB/s");
    }
    log_.check_family(line_of(key), parsed->family);
    return parsed->bytes_per_second;
}

std::uint64_t TableReader::bandwidth(std::string_view key) {
    if (!table_.contains(key)) {
        constant(key, true);
    }
    return bandwidth_if(key).value_or(1);
}

std::optional<std::uint64_t> TableReader::bandwidth_total_if(std::string_view key,
                                                             std::uint64_t one_way_Bps) {
    auto const total_Bps = bandwidth_if(key);
    if (total_Bps && *total_Bps < one_way_Bps) {
        report_at(key,
                  in_quotes(key) + ": " + format_bandwidth(*total_Bps) +
                      " of both directions combined is less than the " +
                      format_bandwidth(one_way_Bps) + " of one",
                  "give the sum of both directions, or leave it out if they do not share a limit");
    }
    return total_Bps;
}

std::uint64_t TableReader::size(std::string_view key) {
    auto const value = quantity(key, true);
    if (!value) {
        return 0;
    }
    auto const parsed = parse_size(*value);
    if (!parsed) {
        report_at(key, in_quotes(key) + ": " + parsed.error().problem, parsed.error().remedy);
    }
    return parsed.value_or(0);
}

SimTime TableReader::time(std::string_view key) {
    if (!table_.contains(key)) {
        constant(key, true);
    }
    return time_if(key).value_or(SimTime{});
}

std::optional<SimTime> TableReader::time_if(std::string_view key) {
    auto const value = quantity(key, false);
    if (!value) {
        return std::nullopt;
    }
    auto const parsed = parse_time(*value);
    if (!parsed) {
        report_at(key, in_quotes(key) + ": " + parsed.error().problem, parsed.error().remedy);
    } else if (*parsed > from_seconds(1.0)) {
        report_at(
            key, in_quotes(key) + " is " + *value + ", which no link has", "give 1 s at most");
    }
    return parsed.value_or(SimTime{});
}

template <class Number>
std::optional<Number> TableReader::number_in(std::string_view key,
                                             Number least,
                                             Number most,
                                             std::string const& kind,
                                             std::string const& remedy) {
    toml::node const* node = constant(key, false);
    if (node == nullptr) {
        return std::nullopt;
    }
    auto const value = node->value<Number>();
    if (!value || !(*value >= least && *value <= most)) {
        report_at(key, in_quotes(key) + " is not a " + kind, remedy);
        return Number{1};
    }
    return value;
}

std::optional<double> TableReader::efficiency_if(std::string_view key) {
    return number_in(
        key, efficiency_min, 1.0, "number from 0.001 to 1", "give a fraction, as in 0.82");
}

double TableReader::efficiency(std::string_view key) {
    return efficiency_if(key).value_or(1.0);
}

double TableReader::cost(std::string_view key) {
    return number_in(key, 1.0, 100.0, "number from 1 to 100", "give a factor, as in 1.8")
        .value_or(1.0);
}

std::uint32_t TableReader::count(std::string_view key) {
    auto const value =
        number_in<std::int64_t>(key, 1, 1'000, "count from 1 to 1,000", "give a whole number");
    return static_cast<std::uint32_t>(value.value_or(1));
}

std::optional<std::uint32_t> TableReader::number_if(std::string_view key) {
    toml::node const* node = table_.get(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    auto value = node->value_exact<std::int64_t>();
    if (auto const text = node->value_exact<std::string>()) { // a text: made by expand_ranges()
        value = parsed_number<std::int64_t>(*text);
    }
    if (!value || *value < 0 || *value > 1'000'000) {
        report_at(
            key, in_quotes(key) + " is not a number from 0 to 1,000,000", "give a whole number");
        return std::nullopt;
    }
    return static_cast<std::uint32_t>(*value);
}

Position TableReader::position() {
    toml::node const* node = table_.get("position");
    if (node == nullptr) {
        return std::nullopt;
    }
    auto const* pair = node->as_array();
    auto const x = pair != nullptr && pair->size() == 2 ? (*pair)[0].value<double>() : std::nullopt;
    auto const y = pair != nullptr && pair->size() == 2 ? (*pair)[1].value<double>() : std::nullopt;
    if (!x || !y) {
        report_at("position",
                  "\"position\" is not a pair of numbers",
                  "write position = [x, y] in inches");
        return std::nullopt;
    }
    return std::array{*x, *y};
}

Origins TableReader::origins() {
    Origins origins;
    toml::node const* node = table_.get("origin");
    auto const shared = node == nullptr ? std::nullopt : node->value_exact<std::string>();
    toml::table const* by_constant = node == nullptr ? nullptr : node->as_table();
    for (std::string const& key : constants_) {
        std::optional<std::string> origin = shared;
        if (by_constant != nullptr) {
            origin = (*by_constant)[key].value_exact<std::string>();
            origin = origin ? origin : (*by_constant)["rest"].value_exact<std::string>();
        }
        if (!origin) {
            report("the constant " + in_quotes(key) + " has no origin",
                   "add origin = \"datasheet: ...\" or origin = { " + key +
                       " = \"measured: ...\" }");
        } else if (!is_origin(*origin)) {
            report("the origin of " + in_quotes(key) + " is " + in_quotes(*origin),
                   std::string(origin_remedy));
        } else {
            origins.emplace(key, *origin);
        }
    }
    if (by_constant != nullptr) {
        for (auto const& [key, entry] : *by_constant) {
            bool const known =
                key.str() == "rest" ||
                std::find(constants_.begin(), constants_.end(), key.str()) != constants_.end();
            if (!known) {
                report_at("origin",
                          "an origin for the unknown constant " + in_quotes(key.str()),
                          "name a constant of this table, or \"rest\" for all others");
            }
        }
    }
    return origins;
}

toml::table const* optional_table(toml::table const& root, std::string_view key, MistakeLog& log) {
    toml::node const* const node = root.get(key);
    toml::table const* const table = node == nullptr ? nullptr : node->as_table();
    if (node != nullptr && table == nullptr) {
        log.report(node->source(),
                   '"' + std::string(key) + "\" is not a table",
                   "write [" + std::string(key) + "]");
    }
    return table;
}

} // namespace keyswap::simulator
