#include "simulator/calibration/rate_validation.hpp"
#include "tools/commands/validate/validate_options.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace keyswap::tools {

namespace {

using simulator::ErrorSummary;
using simulator::PredictedRate;
using simulator::RateGroup;

Json errors_json(ErrorSummary const& errors) {
    return {{"count", errors.count},
            {"median", errors.median},
            {"p95", errors.p95},
            {"worst", errors.worst}};
}

Json row_json(PredictedRate const& row) {
    PublishedRate const& rate = row.rate;
    bool const ratio = rate.time_ratio.has_value();
    Json json{{"line", rate.line},
              {"source", rate.source},
              {"table", rate.table},
              {"device", rate.device},
              {"operation", rate.operation},
              {"method", rate.method},
              {"stage", rate.stage},
              {"rule", rate.rule},
              {"buckets", rate.buckets},
              {"digit_bits", rate.digit_bits},
              {"distribution", rate.distribution},
              {"key_type", rate.key_type},
              {"value_bits", rate.value_bits},
              {"keys", rate.key_count},
              {"use", to_string(rate.use)},
              {"unit", ratio ? "times" : "ms"},
              {"published", row.published}};
    json["predicted"] = row.predicted ? Json(*row.predicted) : Json();
    json["relative_error"] = row.predicted ? Json(row.error()) : Json();
    json["from"] = row.basis == simulator::RateBasis::steps ? "published steps" : "constants";
    return json;
}

Json group_json(RateGroup const& group) {
    return {{"source", group.source},
            {"table", group.table},
            {"method", group.method.empty() ? Json() : Json(group.method)},
            {"fitted", errors_json(group.fitted)},
            {"held_out", errors_json(group.held_out)},
            {"held_out_from_published_steps", errors_json(group.steps)},
            {"suspect", errors_json(group.suspect)},
            {"without_law", group.without_law}};
}

Json fastest_json(std::vector<simulator::FastestMethod> const& all) {
    Json json = Json::array();
    for (simulator::FastestMethod const& one : all) {
        json.push_back({{"source", one.source},
                        {"table", one.table},
                        {"cells", one.cells},
                        {"named_within_5_percent", one.within_5},
                        {"cells_with_clear_lead", one.clear},
                        {"of_those_named", one.clear_named}});
    }
    return json;
}

std::string errors_text(ErrorSummary const& errors) {
    return errors.count == 0 ? formatted("%22s", "-")
                             : formatted("%4zu %5.1f %5.1f %5.1f",
                                         errors.count,
                                         100.0 * errors.median,
                                         100.0 * errors.p95,
                                         100.0 * errors.worst);
}

void print_groups(std::vector<RateGroup> const& groups) {
    std::cout << formatted("%-40s  %-22s  %-22s  %-22s  %-22s\n",
                           "",
                           "fitted",
                           "held out",
                           " of them by steps",
                           "suspect");
    std::string const columns = "rows  med   p95 worst %";
    std::cout << formatted("%-40s  %-22s  %-22s  %-22s  %-22s\n",
                           "table, method",
                           columns.c_str(),
                           columns.c_str(),
                           columns.c_str(),
                           columns.c_str());
    for (RateGroup const& group : groups) {
        std::string const name =
            group.method.empty() ? group.source + ", " + group.table : "  " + group.method;
        std::cout << formatted(
            "%-40s  %s  %s  %s  %s%s\n",
            printable_text(name).c_str(),
            errors_text(group.fitted).c_str(),
            errors_text(group.held_out).c_str(),
            errors_text(group.steps).c_str(),
            errors_text(group.suspect).c_str(),
            group.without_law == 0
                ? ""
                : ("  " + counted(group.without_law, "row") + " without a cost law").c_str());
    }
}

/// Label of a table cell: "32 buckets, pairs", "5 bits, keys", or a graph.
std::string cell_text(PublishedRate const& rate) {
    if (rate.operation == "sssp") {
        return rate.distribution;
    }
    std::string const size = rate.buckets > 0      ? std::to_string(rate.buckets) + " buckets, "
                             : rate.digit_bits > 0 ? std::to_string(rate.digit_bits) + " bits, "
                                                   : std::string();
    return size + (rate.value_bits == 0 ? "keys" : "pairs");
}

/// \param searches true: only shortest-path searches, false: all others; errors of searches are
/// larger, since their rounds are of substitute graphs, and would displace all others
void print_worst(std::span<PredictedRate const> rows, bool searches) {
    std::vector<PredictedRate const*> sorted;
    for (PredictedRate const& row : rows) {
        if (row.predicted && row.rate.use != RateUse::suspect &&
            (row.rate.operation == "sssp") == searches) {
            sorted.push_back(&row);
        }
    }
    if (sorted.empty()) {
        return;
    }
    std::ranges::stable_sort(sorted, std::ranges::greater{}, [](PredictedRate const* row) {
        return std::abs(row->error());
    });
    std::size_t const shown = searches ? 4 : 8;
    std::cout << (searches ? "\nWorst searches for paths that are not suspect:\n"
                           : "\nWorst rows that are not suspect:\n");
    for (PredictedRate const* const row : std::span(sorted).first(std::min(shown, sorted.size()))) {
        PublishedRate const& rate = row->rate;
        std::cout << printable_text(formatted("  line %llu: %s, %s, %s",
                                              static_cast<unsigned long long>(rate.line),
                                              rate.device.c_str(),
                                              rate.method.c_str(),
                                              cell_text(rate).c_str()))
                  << formatted(": published %.4g, predicted %.4g %s (%+.1f %%)\n",
                               row->published,
                               *row->predicted,
                               rate.time_ratio ? "times" : "ms",
                               100.0 * row->error());
    }
}

void print_fastest(std::vector<simulator::FastestMethod> const& all) {
    if (!all.empty()) {
        std::cout << "\nThe fastest method of a cell:\n";
    }
    for (simulator::FastestMethod const& one : all) {
        std::cout << printable_text("  " + one.source + ", " + one.table)
                  << formatted(": the one named is at most 5 %% slower in %zu of %zu cells; where "
                               "one leads by more than 10 %%, it is named in %zu of %zu\n",
                               one.within_5,
                               one.cells,
                               one.clear_named,
                               one.clear);
    }
}

} // namespace

Expected<ExitCode> validate_rates(ValidateOptions const& options,
                                  std::string const& file,
                                  std::span<PublishedRate const> rates) {
    KEYSWAP_TRY(auto const profiles, simulator::profiles_of(rates, file));
    auto const rows = simulator::predict_rates(rates, profiles);
    auto const groups = simulator::summarize_rates(rows);
    ErrorSummary const all = simulator::errors_of_usable(rows);
    if (all.count == 0) {
        return input_error(file,
                           "nothing was checked: no row can be predicted",
                           "give rows of operations and methods that have costs");
    }
    ErrorLimits const& limits = options.limits;
    auto const holds = [](std::optional<double> limit, double value) {
        return !limit || value <= *limit;
    };
    bool const within = holds(limits.median_max, all.median) && holds(limits.p95_max, all.p95) &&
                        holds(limits.worst_max, all.worst);
    auto const fastest = simulator::fastest_methods(rows);
    if (options.json) {
        Json result = json_result("validate", {{"file", file}});
        result["rows"] = Json::array();
        for (PredictedRate const& row : rows) {
            result["rows"].push_back(row_json(row));
        }
        result["groups"] = Json::array();
        for (RateGroup const& group : groups) {
            result["groups"].push_back(group_json(group));
        }
        result["fastest"] = fastest_json(fastest);
        result["all_but_suspect"] = errors_json(all);
        result["within_thresholds"] = within;
        print_json(result, std::cout);
    } else {
        std::cout << "# " << printable_text(file) << ": published times and rates, predicted from "
                  << "the profiles of their devices; errors in %\n";
        print_groups(groups);
        print_worst(rows, false);
        print_worst(rows, true);
        print_fastest(fastest);
    }
    return within ? ExitCode::fine : ExitCode::violation;
}

} // namespace keyswap::tools
