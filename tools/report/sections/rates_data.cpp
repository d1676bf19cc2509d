#include "tools/report/sections/study_data.hpp"

#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"

#include <algorithm>

namespace keyswap::tools {

namespace {

using simulator::ErrorSummary;
using simulator::PredictedRate;
using simulator::RateGroup;

/// Label of a rate: "gtx1080, block, 32 buckets by delta, 33,554,432 u32 pairs".
std::string label_of(PublishedRate const& rate) {
    std::string text = rate.device + ", " + rate.method;
    text += rate.stage == "all" ? "" : ", " + rate.stage;
    text += rate.buckets == 0 ? "" : ", " + std::to_string(rate.buckets) + " buckets";
    text += rate.rule.empty() ? "" : " by " + rate.rule;
    text += rate.digit_bits == 0 ? "" : ", " + std::to_string(rate.digit_bits) + " bits";
    text += rate.distribution == "uniform" ? "" : ", " + rate.distribution;
    text += ", " + grouped_count(rate.key_count) + " ";
    return rate.operation == "sssp"
               ? text + "edges"
               : text + rate.key_type + (rate.value_bits == 0 ? " keys" : " pairs");
}

/// Name of a table: "gpu-multisplit, table 5".
std::string table_of(std::string const& source, std::string const& table) {
    bool const number =
        !table.empty() && table.find_first_not_of("0123456789") == std::string::npos;
    return source + (number ? ", table " : ", ") + table;
}

Json row_data(PredictedRate const& row) {
    Json data{{"label", label_of(row.rate)},
              {"table", table_of(row.rate.source, row.rate.table)},
              {"operation", row.rate.operation},
              {"use", to_string(row.rate.use)},
              {"unit", row.rate.time_ratio ? "times" : "ms"},
              {"from", row.basis == simulator::RateBasis::steps ? "published steps" : "constants"},
              {"published", row.published}};
    data["predicted"] = row.predicted ? Json(*row.predicted) : Json();
    data["note"] = row.rate.note;
    return data;
}

Json errors_data(ErrorSummary const& errors) {
    return Json::array({errors.count, errors.median, errors.p95, errors.worst});
}

std::string
finding(std::string const& rows, ErrorSummary const& errors, std::string const& plural = "") {
    return "Half of the " + counted(errors.count, rows, plural) + " are within " +
           printed("%.1f %%", 100.0 * errors.median) + ", 19 of 20 within " +
           printed("%.1f %%", 100.0 * errors.p95) + "; the worst is off by " +
           printed("%.0f %%", 100.0 * errors.worst) + ".";
}

} // namespace

Json rates_data(std::string const& file, std::vector<PredictedRate> const& rows) {
    Json data = Json::array();
    Json devices = Json::array();
    std::vector<PredictedRate> held_out; // except shortest-path searches
    std::vector<PredictedRate> searches; // shortest paths; their rounds are of substitute graphs
    std::vector<PredictedRate> others;
    for (PredictedRate const& row : rows) {
        data.push_back(row_data(row));
        if (std::ranges::find(devices, Json(row.rate.device)) == devices.end()) {
            devices.push_back(row.rate.device);
        }
        bool const search = row.rate.operation == "sssp";
        (search ? searches : others).push_back(row);
        if (!search && row.rate.use == RateUse::held_out) {
            held_out.push_back(row);
        }
    }
    Json tables = Json::array();
    for (RateGroup const& group : simulator::summarize_rates(rows)) {
        if (group.method.empty()) {
            tables.push_back({{"table", table_of(group.source, group.table)},
                              {"fitted", errors_data(group.fitted)},
                              {"held_out", errors_data(group.held_out)},
                              {"suspect", errors_data(group.suspect)},
                              {"without_law", group.without_law}});
        }
    }
    auto const without = std::ranges::count_if(
        rows, [](PredictedRate const& row) { return !row.predicted.has_value(); });
    std::string const device_names =
        joined_text(devices, ", ", [](Json const& device) { return device.get<std::string>(); });
    ErrorSummary const sound = simulator::errors_of_usable(others);
    ErrorSummary const unseen = simulator::errors_of_usable(held_out);
    ErrorSummary const of_searches = simulator::errors_of_usable(searches);
    return {{"kind", "rates"},
            {"title", "Published rates and predictions"},
            {"answers",
             Json::array({unseen.count > 0  ? finding("held-out row", unseen)
                          : sound.count > 0 ? finding("row", sound)
                                            : std::string(),
                          of_searches.count > 0 ? finding("search for shortest paths",
                                                          of_searches,
                                                          "searches for shortest paths")
                                                : std::string(),
                          without > 0 ? counted(static_cast<std::uint64_t>(without), "row") +
                                            " cannot be predicted: no cost law covers them."
                                      : std::string()})},
            {"configuration",
             Json::array({Json::array({"Rates", file}),
                          Json::array({"Device profiles", device_names}),
                          Json::array({"Left out of all figures", "rows marked suspect"})})},
            {"rows", data},
            {"tables", tables}};
}

} // namespace keyswap::tools
