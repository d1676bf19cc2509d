#include "model/buckets/digit_layout.hpp"
#include "tools/report/exports.hpp"
#include "traces/testing/trace_fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace keyswap::tools {
namespace {

using SortedJson = nlohmann::json;

ReportContent simulated(std::vector<std::string> algorithms) {
    ReportOptions options;
    options.platform = "ac922";
    options.distribution = "zipf";
    options.parameter = 0.9;
    options.key_count = 1'000'000;
    options.algorithms = std::move(algorithms);
    auto content = report_content(options);
    EXPECT_TRUE(content) << content.error().message();
    return content ? std::move(*content) : ReportContent{};
}

TEST(ReportContent, OfSeveralPlansEachSaysWhoseItIs) {
    auto const one = simulated({"rmg-fast", "rmg-paper"});
    ASSERT_EQ(one.runs.size(), 1U);
    EXPECT_EQ(one.runs.front().title, "Plan");
    auto const two = simulated({"rmg-fast", "sample-sort-fast"});
    ASSERT_EQ(two.runs.size(), 2U);
    EXPECT_EQ(two.runs[0].title, "Plan of rmg");
    EXPECT_EQ(two.runs[1].title, "Plan of sample-sort");
}

/// Two GPUs with 60 and 40 keys for each of the digits 0 and 1; digit 0 spans and is split into two
/// buckets in pass 2.
RunView exported_view() {
    RunView view;
    view.title = "Trace";
    view.header.key_count = 200;
    view.header.gpus = {0, 1};
    view.sorts.resize(2);
    view.matrix = {60, 40, 50, 50};
    view.first_histograms = {{60, 40}, {60, 40}};
    view.passes = {{1,
                    {{{1, 0}, 0, 120, GpuId{0}, GpuId{1}, PlacementState::spanning},
                     {{1, 1}, 120, 200, GpuId{1}, GpuId{1}, PlacementState::placed}}},
                   {2,
                    {{{2, 5}, 0, 100, GpuId{0}, GpuId{0}, PlacementState::placed},
                     {{2, 9}, 100, 120, GpuId{1}, GpuId{1}, PlacementState::placed}}}};
    return view;
}

/// Rules of the Trace Event Format that viewers depend on.
void expect_valid(SortedJson const& trace) {
    std::set<std::uint32_t> named;
    std::map<std::string, std::string> arrows;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<double, double>>> spans;
    for (SortedJson const& event : trace["traceEvents"]) {
        auto const phase = event["ph"].get<std::string>();
        auto const process = event["pid"].get<std::uint32_t>();
        if (phase == "M") {
            ASSERT_TRUE(event["args"]["name"].is_string());
            named.insert(process);
            continue;
        }
        ASSERT_TRUE(named.contains(process) || phase == "C") << event.dump();
        ASSERT_TRUE(event["ts"].is_number()) << event.dump();
        if (phase == "X") {
            ASSERT_GE(event["dur"].get<double>(), 0.0);
            auto const begin = event["ts"].get<double>();
            spans[{process, event["tid"].get<std::uint32_t>()}].emplace_back(
                begin, begin + event["dur"].get<double>());
        } else if (phase == "s" || phase == "f") {
            arrows[event["id"].dump()] += phase;
        }
    }
    for (auto const& [id, ends] : arrows) {
        EXPECT_EQ(ends, "sf") << id;
    }
    for (auto& [track, list] : spans) {
        std::ranges::sort(list);
        for (std::size_t i = 1; i < list.size(); ++i) {
            // Events of one track are sequential or nested, up to 1 ns of rounding.
            bool const after = list[i].first >= list[i - 1].second - 1e-3;
            bool const inside = list[i].second <= list[i - 1].second + 1e-3;
            EXPECT_TRUE(after || inside) << track.first << '/' << track.second;
        }
    }
}

TEST(ChromeTrace, HoldsPredictionsAndMeasurementsAsGroupsOfProcesses) {
    ReportContent content = simulated({"rmg-paper", "rmg-rotated"});
    RunView measured = exported_view();
    measured.times = {{GpuId{0}, Phase::key_swap, 0, 0, 2'000'000},
                      {GpuId{1}, Phase::key_swap, 0, 500, 1'000'000}};
    content.runs.push_back(measured);
    SortedJson const trace = chrome_trace(content);
    expect_valid(trace);
    std::set<std::string> names;
    for (SortedJson const& event : trace["traceEvents"]) {
        if (event["name"] == "process_name") {
            names.insert(event["args"]["name"].get<std::string>());
        }
    }
    EXPECT_TRUE(names.contains("Trace: GPU 1"));
    EXPECT_TRUE(names.contains("rmg-paper predicted: GPU 3"));
    EXPECT_TRUE(names.contains("rmg-rotated predicted: GPU 3"));
}

TEST(MatrixText, IsBytesOfAGpuALine) {
    EXPECT_EQ(matrix_text(exported_view()), "240 160\n200 200\n"); // 4 bytes per key
}

TEST(CsvTables, HaveUnitsInTheirHeadingsAndQuoteNames) {
    auto const tables = csv_tables(simulated({"rmg-paper"}));
    EXPECT_TRUE(tables.at("links.csv").starts_with("link,capacity_GBps,"));
    EXPECT_NE(tables.at("links.csv").find("\n\"memory of cpu0, reads\","), std::string::npos);
    EXPECT_TRUE(
        tables.at("matrix.csv").starts_with("source_gpu,destination_gpu,keys,size_bytes\n"));
    auto const lines = std::ranges::count(tables.at("matrix.csv"), '\n');
    EXPECT_EQ(lines, 1 + 4 * 4);
}

} // namespace
} // namespace keyswap::tools
