#include "tools/report/sections/study_data.hpp"

#include "tools/report/sweep_csv.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/lower_case.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

/// Fields that a sweep may vary, by priority for charts.
constexpr std::array<std::pair<char const*, char const*>, 14> axes{
    {{"num_keys", "Keys"},
     {"parameter", "Parameter"},
     {"digit_bits", "Digit bits"},
     {"tolerance_ppm", "Tolerance (ppm)"},
     {"fuse_ppm", "Fuse (ppm)"},
     {"algorithm", "Algorithm"},
     {"distribution", "Distribution"},
     {"key_type", "Key type"},
     {"link", "Link change"},
     {"input_on", "Keys on"},
     {"values", "Values"},
     {"gpu_memory", "GPU memory (B)"},
     {"swap", "Key swap"},
     {"platform", "Platform"}}};

/// Fields whose default depends on the sort: varied only if one sort has several values.
constexpr std::array<std::string_view, 3> fields_of_a_sort{
    "tolerance_ppm", "digit_bits", "input_on"};

std::string text_of(nlohmann::json const& value) {
    return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

/// Empty if the row has no GPUs.
std::vector<std::uint32_t> gpus_of_row(nlohmann::json const& row) {
    return row.value("gpus", std::vector<std::uint32_t>());
}

/// If distributions and parameters both vary, merges them to one text: "zipf(1)".
void join_distributions(nlohmann::json& rows) {
    std::set<std::string> names;
    std::set<std::string> parameters;
    for (auto const& row : rows) {
        names.insert(text_of(row.value("distribution", nlohmann::json())));
        parameters.insert(text_of(row.value("parameter", nlohmann::json())));
    }
    if (names.size() < 2 || parameters.size() < 2) {
        return;
    }
    for (auto& row : rows) {
        auto const parameter = row.find("parameter");
        if (parameter != row.end() && row.contains("distribution")) {
            row["distribution"] =
                text_of(row["distribution"]) + printed("(%g)", parameter->get<double>());
            row.erase("parameter");
        }
    }
}

/// Fields in which rows differ, and their display names.
struct Varied {
    Json names = Json::array();
    std::vector<std::string> fields;
};

Varied varied_fields(nlohmann::json const& rows) {
    Varied varied;
    for (auto const& [field, name] : axes) {
        bool const of_a_sort = std::ranges::find(fields_of_a_sort, field) != fields_of_a_sort.end();
        std::map<std::string, std::set<std::string>> values; // by sort, if fields depend on it
        for (auto const& row : rows) {
            values[of_a_sort ? text_of(row.value("algorithm", nlohmann::json())) : ""].insert(
                text_of(row.value(field, nlohmann::json())));
        }
        if (std::ranges::any_of(values, [](auto const& sort) { return sort.second.size() > 1; })) {
            varied.fields.emplace_back(field);
            varied.names.push_back({{"field", field}, {"name", name}});
        }
    }
    return varied;
}

Json sweep_row(nlohmann::json const& row) {
    Json out;
    for (auto const& [field, name] : axes) {
        out[field] = row.value(field, nlohmann::json());
    }
    std::vector<std::uint32_t> const gpus = gpus_of_row(row);
    out["gpus"] = gpus.empty() ? "" : gpu_set_text(gpus);
    out["gpu_count"] = gpus.size();
    out["equivalent_sets"] = row.value("equivalent_sets", nlohmann::json(1));
    for (char const* field : {"passes",
                              "key_swap_ms",
                              "total_ms",
                              "interval_ms",
                              "keys_per_s",
                              "speed_up",
                              "device_bytes",
                              "error"}) {
        out[field] = row.value(field, nlohmann::json());
    }
    return out;
}

bool is_count(nlohmann::json const& value) {
    return value.is_number_integer() &&
           (value.is_number_unsigned() || value.get<std::int64_t>() >= 0);
}
bool is_interval(nlohmann::json const& value) {
    return value.is_array() && value.size() == 2 &&
           std::ranges::all_of(value, [](auto const& end) { return end.is_number(); });
}
/// Expected type, if the value of a field has another one; else empty.
std::string wrong_type(SweepField const& field, nlohmann::json const& value) {
    switch (field.kind) {
    case SweepValue::whole:
        return is_count(value) ? "" : "a whole number";
    case SweepValue::real:
        return value.is_number() ? "" : "a number";
    case SweepValue::gpus:
        return value.is_array() && std::ranges::all_of(value, is_count) ? "" : "a list of GPUs";
    case SweepValue::word:
    case SweepValue::link:
    case SweepValue::error:
        break;
    }
    return value.is_string() ? "" : "a text";
}

/// Row without null members; error text if a member has the wrong type.
tl::expected<nlohmann::json, std::string> checked_row(nlohmann::json row) {
    if (!row.is_object()) {
        return tl::unexpected(std::string("is not a JSON object"));
    }
    for (auto member = row.begin(); member != row.end();) {
        member = member->is_null() ? row.erase(member) : std::next(member);
    }
    for (SweepField const& field : sweep_fields) {
        auto const value = row.find(field.name);
        std::string const wanted = value == row.end() ? "" : wrong_type(field, *value);
        if (!wanted.empty()) {
            return tl::unexpected("its " + std::string(field.name) + " is not " + wanted);
        }
    }
    if (row.contains("interval_ms") && !is_interval(row["interval_ms"])) {
        return tl::unexpected(std::string("its interval_ms is not two numbers"));
    }
    if (!row.contains("total_ms") && !row.contains("error")) {
        return tl::unexpected(std::string("has neither total_ms nor an error"));
    }
    return row;
}

/// Platforms of the rows; `otherwise` if they have none.
std::string platforms_of(nlohmann::json const& rows, std::string const& otherwise) {
    std::vector<std::string> names;
    for (auto const& row : rows) {
        std::string const name = text_of(row.value("platform", nlohmann::json()));
        if (!name.empty() && std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    std::string const text = joined_text(names, ", ");
    return text.empty() ? otherwise : text;
}

/// Fields whose values need no field name: "rmg-paper", "as it is".
constexpr std::array<std::string_view, 6> named_by_value{
    "algorithm", "distribution", "key_type", "link", "input_on", "platform"};

/// Distinguishing values of a row among those of equal key count: "rmg-paper, GPUs 0,1".
std::string describe(nlohmann::json const& row, Varied const& varied, bool gpus_vary) {
    std::string text;
    for (std::size_t i = 0; i < varied.fields.size(); ++i) {
        std::string const& field = varied.fields[i];
        if (field == "num_keys") {
            continue;
        }
        nlohmann::json const value =
            row.value(field, nlohmann::json(field == "link" ? "links as they are" : "default"));
        text += text.empty() ? "" : ", ";
        if (std::ranges::find(named_by_value, field) != named_by_value.end()) {
            text += text_of(value);
        } else {
            text += lower_case(varied.names[i]["name"].get<std::string>()) + ' ' + text_of(value);
        }
    }
    std::vector<std::uint32_t> const gpus = gpus_of_row(row);
    if ((gpus_vary || text.empty()) && !gpus.empty()) {
        text += (text.empty() ? "" : ", ") + gpu_set_name(gpus);
    }
    return text.empty() ? "the CPUs" : text;
}

std::string finding(nlohmann::json const& rows, Varied const& varied, bool gpus_vary) {
    nlohmann::json const* best = nullptr;
    nlohmann::json const* worst = nullptr;
    double keys_most = 0.0;
    for (auto const& row : rows) {
        keys_most = std::max(keys_most, row.value("num_keys", 0.0));
    }
    // Compares only rows with the most keys, since fewer keys are always faster.
    std::size_t compared = 0;
    for (auto const& row : rows) {
        if (row.contains("total_ms") && row.value("num_keys", 0.0) == keys_most) {
            compared += 1;
            double const total = row["total_ms"].get<double>();
            best = best == nullptr || total < (*best)["total_ms"].get<double>() ? &row : best;
            worst = worst == nullptr || total > (*worst)["total_ms"].get<double>() ? &row : worst;
        }
    }
    if (best == nullptr) {
        return "None of the combinations can run.";
    }
    double const fast = (*best)["total_ms"].get<double>();
    double const slow = (*worst)["total_ms"].get<double>();
    std::string const keys =
        compared < rows.size()
            ? "With " + grouped_count(static_cast<std::uint64_t>(keys_most)) + " keys, "
            : "";
    if (compared == 1) {
        return keys + describe(*best, varied, gpus_vary) + ": " + duration_text(fast) + ".";
    }
    return keys + (keys.empty() ? "The" : "the") + " fastest of " + std::to_string(compared) +
           ": " + describe(*best, varied, gpus_vary) + ", " + duration_text(fast) +
           ". The slowest: " + describe(*worst, varied, gpus_vary) + ", " +
           printed("%.2f times as long.", fast > 0.0 ? slow / fast : 1.0);
}

} // namespace

Expected<Json> sweep_data(std::string const& file, nlohmann::json const& sweep) {
    constexpr char const* remedy = "give what 'keyswap whatif' printed with --json or --csv";
    auto const rows = sweep.find("rows");
    if (rows == sweep.end() || !rows->is_array() || rows->empty()) {
        return input_error(file, "has no rows", remedy);
    }
    nlohmann::json checked = nlohmann::json::array();
    std::set<std::vector<std::uint32_t>> gpu_sets;
    for (auto const& given : *rows) {
        std::string const place = file + ", row " + std::to_string(checked.size() + 1);
        auto row = checked_row(given);
        if (!row) {
            return input_error(place, row.error(), remedy);
        }
        if (auto gpus = gpus_of_row(*row); !gpus.empty()) { // empty for a sort on the CPU
            gpu_sets.insert(std::move(gpus));
        }
        checked.push_back(std::move(*row));
    }
    join_distributions(checked);
    Varied const varied = varied_fields(checked);
    bool const gpus_vary = gpu_sets.size() > 1;
    nlohmann::json const config = sweep.value("config", nlohmann::json::object());
    auto const configured = [&config](char const* name, char const* otherwise) {
        return config.is_object() ? text_of(config.value(name, nlohmann::json(otherwise)))
                                  : std::string(otherwise);
    };
    std::string const platform =
        platforms_of(checked, configured("platform", "an unnamed machine"));
    auto const row = [](char const* name, std::string const& value) {
        return Json::array({name, value});
    };
    return Json{{"kind", "sweep"},
                {"title", "What-if sweep on " + platform},
                {"answers", Json::array({finding(checked, varied, gpus_vary)})},
                {"configuration",
                 Json::array({row("File", file),
                              row("Platform", platform),
                              row("Seed", configured("seed", "not recorded"))})},
                {"varied", varied.names},
                {"gpus_vary", gpus_vary},
                {"rows", json_array(checked, sweep_row)}};
}

} // namespace keyswap::tools
