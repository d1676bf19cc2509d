#include "model/buckets/chunks.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tools/report/figures/figure_files.hpp"
#include "tools/report/repeat_command.hpp"
#include "tools/report/report_page.hpp"
#include "tools/report/report_request.hpp"
#include "tools/report/sections/platform_layout.hpp"
#include "tools/report/sections/run_data.hpp"
#include "tools/report/sections/simulation_data.hpp"
#include "tools/report/sections/study_data.hpp"
#include "tools/report/sections/varint_text.hpp"
#include "tools/text/json.hpp"
#include "traces/format/trace_writer.hpp"
#include "traces/testing/trace_fixtures.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace keyswap::tools {
namespace {

/// Decodes a VarintText according to its header file, independently of its source.
std::vector<std::uint64_t> numbers_of(std::string const& base64) {
    std::string const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (char const letter : base64) {
        if (letter == '=') {
            break;
        }
        bits = bits << 6 | static_cast<std::uint32_t>(letters.find(letter));
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 0xff);
        }
    }
    std::vector<std::uint64_t> numbers{0};
    int shift = 0;
    for (char const letter : bytes) {
        auto const byte = static_cast<unsigned char>(letter);
        numbers.back() |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80) {
            numbers.push_back(0);
            shift = 0;
        }
    }
    numbers.pop_back();
    return numbers;
}

std::int64_t signed_of(std::uint64_t number) {
    return number % 2 == 0 ? static_cast<std::int64_t>(number / 2)
                           : -static_cast<std::int64_t>(number / 2) - 1;
}

/// Decodes placements as the page's script does.
std::vector<PlacementRecord> placements_of(Json const& pass) {
    std::vector<PlacementRecord> placements;
    for (Json const& group : pass["groups"]) {
        auto const numbers = numbers_of(group["buckets"].get<std::string>());
        std::uint64_t prefix = std::stoull(group["parent"].get<std::string>())
                               << pass["bits"].get<int>();
        auto position = group["begin"].get<std::int64_t>();
        std::int64_t first = 0;
        for (std::size_t i = 0; i < numbers.size();) {
            PlacementRecord placement;
            prefix += numbers[i++];
            position += signed_of(numbers[i++]);
            placement.bucket = {pass["pass"].get<int>(), prefix++};
            placement.begin = static_cast<std::uint64_t>(position);
            position += static_cast<std::int64_t>(numbers[i++]);
            placement.end = static_cast<std::uint64_t>(position);
            std::int64_t const code = signed_of(numbers[i++]);
            std::int64_t const state = (code % 4 + 4) % 4;
            first += (code - state) / 4;
            placement.state = static_cast<PlacementState>(state);
            placement.first = GpuId{static_cast<std::uint32_t>(first)};
            placement.last = placement.first;
            if (state != 0) {
                placement.last.value += static_cast<std::uint32_t>(numbers[i++]);
            }
            placements.push_back(placement);
        }
    }
    return placements;
}

ReportOptions zipf_options() {
    ReportOptions options;
    options.distribution = "zipf";
    options.parameter = 0.9;
    options.key_count = 100'000;
    options.gpu_count = 5;
    return options;
}

ReportContent content_of(ReportOptions const& options) {
    auto content = report_content(options);
    EXPECT_TRUE(content) << content.error().message();
    return content ? std::move(*content) : ReportContent{};
}

std::string problem_of(ReportOptions const& options) {
    auto const content = report_content(options);
    return content ? std::string() : content.error().message();
}

/// Writes a plan's records as a trace file.
void write_trace(std::filesystem::path const& path, RunView const& plan) {
    auto writer = TraceWriter::create(path);
    ASSERT_TRUE(writer);
    writer->write(plan.header);
    for (auto const& [pass, placements] : plan.passes) {
        for (auto placement = placements.rbegin(); placement != placements.rend();
             ++placement) { // not in the plan's order
            writer->write(*placement);
        }
    }
    for (OwnershipRecord const& ownership : plan.ownership) {
        writer->write(ownership);
    }
    ASSERT_TRUE(writer->finish());
}

Expected<RunView> view_of(std::filesystem::path const& path) {
    auto const run = model::verify::read_recorded_run(path);
    EXPECT_TRUE(run.has_value());
    return run_view_of(*run, path.string(), {});
}

TEST(VarintText, GivesBackNumbersOfAllSizes) {
    VarintText text;
    std::vector<std::uint64_t> const numbers{0, 1, 127, 128, 300, 1ULL << 32, ~0ULL};
    for (std::uint64_t const number : numbers) {
        text.add(number);
    }
    EXPECT_EQ(numbers_of(text.base64()), numbers);
}

TEST(VarintText, GivesBackNumbersOfEitherSign) {
    std::vector<std::int64_t> const numbers{
        0, -1, 1, -2, 1'000'000'007, -1'000'000'007, INT64_MAX, INT64_MIN};
    VarintText text;
    for (std::int64_t const number : numbers) {
        text.add_signed(number);
    }
    std::vector<std::int64_t> read;
    for (std::uint64_t const number : numbers_of(text.base64())) {
        read.push_back(signed_of(number));
    }
    EXPECT_EQ(read, numbers);
}

TEST(RunData, HoldsEveryBucketOfEveryPass) {
    ReportContent const content = content_of(zipf_options());
    ASSERT_EQ(content.runs.size(), 1U);
    RunView const& view = content.runs.front();
    ASSERT_GE(view.passes.size(), 2U);
    Json const data = run_data(view);
    std::set<PlacementState> states;
    for (auto const& [pass, placements] : view.passes) {
        EXPECT_EQ(placements_of(data["passes"][static_cast<std::size_t>(pass) - 1]), placements)
            << "pass " << pass;
        for (PlacementRecord const& placement : placements) {
            states.insert(placement.state);
        }
    }
    EXPECT_TRUE(states.contains(PlacementState::spanning));
}

TEST(RunData, ShowsATraceAsThePlanThatItRecords) {
    testing::TemporaryFolder const folder;
    RunView const plan = content_of(zipf_options()).runs.front();
    write_trace(folder / "run.trace", plan);
    auto const trace = view_of(folder / "run.trace");
    ASSERT_TRUE(trace) << trace.error().message();
    Json const planned = run_data(plan);
    Json const recorded = run_data(*trace);
    EXPECT_EQ(recorded["passes"], planned["passes"]);
    EXPECT_EQ(recorded["answers"][0], planned["answers"][0]);
    EXPECT_EQ(recorded["answers"][1], planned["answers"][1]);
}

TEST(RunData, KeepsBucketsThatOverlapOrLeaveGapsAsTheyAre) {
    RunView view;
    view.header.algorithm = "rmg";
    view.header.key_count = 100;
    view.header.gpus = {0, 1};
    view.sorts.resize(2);
    view.matrix.assign(4, 0);
    view.passes = {{1,
                    {{{1, 3}, 0, 40, GpuId{0}, GpuId{0}, PlacementState::placed},
                     {{1, 4}, 30, 60, GpuId{1}, GpuId{1}, PlacementState::placed},
                     {{1, 9}, 80, 100, GpuId{0}, GpuId{1}, PlacementState::spanning}}}};
    EXPECT_EQ(placements_of(run_data(view)["passes"][0]), view.passes[1]);
}

TEST(RunData, AFailedCheckIsTheFirstFinding) {
    ReportContent content;
    RunView view = content_of(zipf_options()).runs.front();
    view.verdicts = {{"sorted", true, ""}, {"permutation", false, "key 3 is lost"}};
    content.runs = {view};
    Json const document = report_document(content, "keyswap report");
    EXPECT_NE(document["findings"][0].get<std::string>().find("WRONG: permutation"),
              std::string::npos);
}

TEST(RunData, NamesThePromisedBoundWhereAGpuOwnsMore) {
    RunView view;
    view.header.algorithm = "rmg";
    view.header.key_count = 100;
    view.header.gpus = {0, 1};
    view.sorts.resize(2);
    view.matrix.assign(4, 0);
    view.ownership = {{GpuId{0}, 0, 60}, {GpuId{1}, 60, 40}};
    // C = 50, E = floor(50 * 0.005) = 0
    EXPECT_EQ(run_data(view)["answers"][1],
              "GPU 0 is the fullest: 60 keys, 120.0 % of an even share, which is more than the "
              "limit of 50.");
    view.header.algorithm = "p2p-merge"; // has no bound
    EXPECT_EQ(run_data(view)["answers"][1],
              "GPU 0 is the fullest: 60 keys, 120.0 % of an even share.");
    view.ownership = {{GpuId{0}, 0, 50}, {GpuId{1}, 50, 50}};
    EXPECT_EQ(run_data(view)["answers"][1], "Every GPU owns 50 keys.");
}

TEST(RunView, ReportsAndLeavesOutARecordThatNoRunCanMake) {
    testing::TemporaryFolder const folder;
    RunHeader header;
    header.algorithm = "rmg";
    header.key_count = 6;
    header.gpus = {0, 1};
    testing::put_text(folder / "bad.trace",
                      testing::text_of({header,
                                        OwnershipRecord{GpuId{2}, 0, 6},
                                        CopyRecord{GpuId{0}, ~0ULL, GpuId{1}, 0, 1}}));
    auto const view = view_of(folder / "bad.trace");
    ASSERT_TRUE(view) << view.error().message();
    std::string const& found = view->verification.sentence;
    EXPECT_NE(found.find("WRONG"), std::string::npos) << found;
    EXPECT_NE(found.find("recorded GPU 2"), std::string::npos);
    EXPECT_TRUE(view->ownership.empty());
    EXPECT_EQ(view->copies, 0U);
    // It is the first finding on the page.
    ReportContent content;
    content.runs = {*view};
    Json const document = report_document(content, "keyswap report");
    EXPECT_EQ(document["findings"][0], found);
}

TEST(RunView, RefusesAHeaderThatDescribesNoRun) {
    testing::TemporaryFolder const folder;
    RunHeader header;
    header.algorithm = "rmg";
    header.gpus = {0};
    for (int const bits : {0, 17}) {
        header.digit_bits = bits;
        testing::put_text(folder / "bad.trace", testing::text_of({header}));
        auto const view = view_of(folder / "bad.trace");
        ASSERT_FALSE(view.has_value()) << bits;
        EXPECT_NE(view.error().message().find("digit-bits"), std::string::npos);
    }
    header.digit_bits = 8;
    header.gpus.assign(30'000, 0);
    testing::put_text(folder / "bad.trace", testing::text_of({header}));
    EXPECT_FALSE(view_of(folder / "bad.trace").has_value());
}

TEST(RunView, SaysWhyATraceCouldNotBeVerified) {
    testing::TemporaryFolder const folder;
    RunView plan = content_of(zipf_options()).runs.front();
    plan.header.key_count = 1'000'000'000'000;
    plan.ownership.clear();
    write_trace(folder / "run.trace", plan);
    auto const view = view_of(folder / "run.trace");
    ASSERT_TRUE(view) << view.error().message();
    std::string const& found = view->verification.sentence;
    EXPECT_EQ(found.find("Not verified: "), 0U) << found;
    EXPECT_NE(found.find("--key-limit"), std::string::npos);
    EXPECT_TRUE(view->verification.checks.empty());
}

TEST(ReportContent, RefusesOptionsThatContradictEachOther) {
    ReportOptions options;
    EXPECT_NE(problem_of(options).find("nothing to show"), std::string::npos);
    options.gpus = "0,1";
    EXPECT_NE(problem_of(options).find("--gpus"), std::string::npos);
    options = zipf_options();
    options.platform = "dgx-a100";
    EXPECT_NE(problem_of(options).find("--platform and --gpu-count"), std::string::npos);
    options = zipf_options();
    options.algorithms = {"cpu-paradis"};
    EXPECT_NE(problem_of(options).find("--algorithm"), std::string::npos);
}

TEST(ReportContent, SaysWhatIsWrongWithAFile) {
    testing::TemporaryFolder const folder;
    ReportOptions options;
    options.files = {(folder / "missing").string()};
    EXPECT_NE(problem_of(options).find("missing"), std::string::npos);
    testing::put_text(folder / "empty", "");
    options.files = {(folder / "empty").string()};
    EXPECT_NE(problem_of(options).find("is empty"), std::string::npos);
    testing::put_text(folder / "text", "hello");
    options.files = {(folder / "text").string()};
    EXPECT_NE(problem_of(options).find("an unknown kind"), std::string::npos);
    testing::put_text(folder / "json", R"({"rows":[{"num_keys":5}]})");
    options.files = {(folder / "json").string()};
    EXPECT_NE(problem_of(options).find("row 1: has neither"), std::string::npos);
    for (char const* const wrong : {R"({"total_ms":"fast"})",
                                    R"({"total_ms":1,"num_keys":"many"})",
                                    R"({"total_ms":1,"num_keys":-1})",
                                    R"({"total_ms":1,"gpus":{"a":1}})",
                                    R"({"total_ms":1,"error":[]})",
                                    R"(7)"}) {
        testing::put_text(folder / "json",
                          R"({"rows":[{"total_ms":2,"num_keys":5},)" + std::string(wrong) + "]}");
        EXPECT_NE(problem_of(options).find("json, row 2: "), std::string::npos) << wrong;
    }
    testing::put_text(folder / "json", "{\"rows\":" + std::string(200'000, '[') + "]}");
    EXPECT_NE(problem_of(options).find("nests values more than 64 deep"), std::string::npos);
    testing::put_text(folder / "json", "{" + std::string(1000, ' ') + "}");
    ASSERT_TRUE(set_limit(Limit::memory, 16'000).has_value());
    EXPECT_NE(problem_of(options).find("--memory-limit"), std::string::npos);
    reset_limits();
}

TEST(ReportContent, SimulatesWhatATraceSays) {
    testing::TemporaryFolder const folder;
    RunView plan = content_of(zipf_options()).runs.front();
    write_trace(folder / "run.trace", plan);
    ReportOptions options;
    options.files = {(folder / "run.trace").string()};
    options.platform = "dgx-a100";
    ReportContent const content = content_of(options);
    ASSERT_EQ(content.simulations.size(), 1U);
    auto const& request = content.simulations.front().request;
    EXPECT_EQ(request.config.key_count, 100'000U);
    EXPECT_EQ(request.distribution, "zipf");
    EXPECT_EQ(request.parameter, 0.9);
    EXPECT_EQ(request.gpus, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
    options.platform = "ac922"; // four GPUs
    EXPECT_NE(problem_of(options).find("5 GPUs"), std::string::npos);
}

TEST(SimulationData, HasEveryTaskAndLinkOfASmallRun) {
    ReportOptions options;
    options.platform = "ac922";
    options.key_count = 1'000'000;
    ReportContent const content = content_of(options);
    auto const& simulation = content.simulations.front();
    ASSERT_EQ(content.certainties.size(), 1U);
    auto const& certainty = content.certainties.front();
    Json const data = simulation_data(*content.machine, simulation, certainty);
    EXPECT_EQ(data["interval_ms"], Json::array({certainty.low_ms, certainty.high_ms}));
    EXPECT_EQ(data["assumptions"].size(), certainty.effects.size());
    std::uint64_t bytes = 0;
    for (Json const& row : data["tasks"]["rows"]) {
        bytes += row[5].get<std::uint64_t>();
    }
    std::uint64_t expected = 0;
    for (auto const& task : simulation.schedule.graph.tasks) {
        if (auto const* copy = std::get_if<simulator::CopyWork>(&task.work)) {
            expected += copy->size_bytes;
        }
    }
    EXPECT_EQ(bytes, expected);
    EXPECT_EQ(data["topology"]["links"].size(), content.machine->platform.links.size());
    // Directions of a used link are named as in the channels.
    EXPECT_TRUE(std::ranges::any_of(data["topology"]["links"], [](Json const& link) {
        return !link["forward"].is_null() && link["forward"]["moved_GB"] > 0.0;
    }));
}

TEST(PhaseDurations, TakeTheSlowestGpuOfEachPhaseAndPass) {
    RunView view;
    view.title = "Trace";
    view.times = {{GpuId{0}, Phase::scatter, 1, 0, 2'000'000},
                  {GpuId{1}, Phase::scatter, 1, 1'000'000, 6'000'000},
                  {GpuId{0}, Phase::scatter, 2, 6'000'000, 7'000'000},
                  {GpuId{0}, Phase::key_swap, 0, 7'000'000, 9'000'000}};
    PhaseDurations const durations = phase_durations(view);
    EXPECT_EQ(durations.phases,
              (std::vector<PhaseDurations::Phase>{
                  {"scatter", 1, 5.0}, {"scatter", 2, 1.0}, {"key swap", 0, 2.0}}));
    EXPECT_EQ(durations.total_ms, 9.0);
}

TEST(PhaseDurations, JoinsSortAndCopyBackIfAMeasuredRunReportsThemTogether) {
    std::string const together(to_string(Phase::bucket_sort_and_copy_back));
    PhaseDurations measured{"measured", true, {{together, 0, 4.0}}, 9.0, 0.0};
    RunView view;
    view.times = {{GpuId{0}, Phase::bucket_sort, 0, 1'000'000, 3'000'000},
                  {GpuId{0}, Phase::device_to_host, 0, 2'000'000, 6'000'000},
                  {GpuId{1}, Phase::bucket_sort, 0, 0, 3'000'000},
                  {GpuId{1}, Phase::device_to_host, 0, 1'000'000, 4'000'000}};
    std::vector<PhaseDurations> const runs{measured, phase_durations(view)};
    // GPU 0: 1 to 6 ms; GPU 1: 0 to 4 ms.
    Json const expected = Json::array(
        {{{"phase", together}, {"ms", {4.0, 5.0}}}, {{"phase", "total"}, {"ms", {9.0, 6.0}}}});
    EXPECT_EQ(comparison_data(runs)["rows"], expected);
    Json const apart = comparison_data({runs.back()})["rows"];
    EXPECT_EQ(apart.size(), 3U) << "bucket sort, device to host, total";
}

TEST(PlatformLayout, GivesEveryNodeOfEveryShippedPlatformAPlaceOfItsOwn) {
    for (auto const& shipped : simulator::shipped_platforms()) {
        auto const platform = simulator::load_platform(shipped.name);
        ASSERT_TRUE(platform);
        std::set<std::pair<double, double>> places;
        for (PlacedNode const& node : layout_of(*platform)) {
            EXPECT_TRUE(places.insert({node.x, node.y}).second)
                << shipped.name << ": " << node.name;
        }
        EXPECT_EQ(places.size(),
                  platform->cpus.size() + platform->gpus.size() + platform->switches.size());
    }
}

TEST(ReportPage, IsOneFileWithItsData) {
    Json const document = report_document(content_of(zipf_options()), "keyswap report --keys 1e5");
    std::string const page = page_of(document);
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_EQ(page.find("src=\"http"), std::string::npos);
    EXPECT_EQ(page.find("@data@"), std::string::npos);
    std::string const opening = R"(<script type="application/json" id="data">)";
    auto const begin = page.find(opening) + opening.size();
    auto const end = page.find("</script>", begin);
    Json const data = Json::parse(page.substr(begin, end - begin));
    EXPECT_EQ(data["findings"], document["findings"]);
    EXPECT_EQ(data["sections"].size(), document["sections"].size());
    EXPECT_EQ(data["sections"][0]["configuration"], document["sections"][0]["configuration"]);
    EXPECT_EQ(data["figures"].size(), document["sections"].size());
}

TEST(ReportPage, NothingInANameEndsTheScriptElement) {
    Json const document{{"title", "</script><!--<script>&\xff"}};
    std::string const safe = script_safe_json(document);
    EXPECT_EQ(safe.find_first_of("<>&"), std::string::npos);
    EXPECT_EQ(Json::parse(safe)["title"], "</script><!--<script>&\xEF\xBF\xBD");
    Json const titled{{"title", "<a b=\"&\">"}, {"sections", Json::array()}};
    EXPECT_NE(page_of(titled).find("<title>&lt;a b=&quot;&amp;&quot;&gt;"), std::string::npos);
}

TEST(RepeatCommand, IsWhatAShellUnderstandsAgain) {
    CLI::App app;
    CLI::App& command = *app.add_subcommand("report");
    std::vector<std::string> files;
    std::string title;
    bool force = false;
    command.add_option("file", files);
    command.add_option("--title", title);
    command.add_flag("--force", force);
    command.add_option("--unused", title);
    app.parse({"--force", "a b", "--title", "it's.trace", "report"});
    EXPECT_EQ(repeat_command(command), R"(keyswap report --title 'a b' --force 'it'\''s.trace')");
}

TEST(SweepData, NamesTheFastestOfTheMostKeys) {
    auto const row = [](std::uint64_t keys, char const* algorithm, double total) {
        return nlohmann::json{{"num_keys", keys},
                              {"algorithm", algorithm},
                              {"total_ms", total},
                              {"key_swap_ms", 1.0},
                              {"gpus", {0, 1}}};
    };
    nlohmann::json const sweep{{"platform", "box"},
                               {"rows",
                                {row(1'000'000'000, "a", 10.0),
                                 row(2'000'000'000, "a", 40.0),
                                 row(2'000'000'000, "b", 20.0)}}};
    auto const data = sweep_data("sweep.json", sweep);
    ASSERT_TRUE(data) << data.error().message();
    std::string const finding = (*data)["answers"][0].get<std::string>();
    EXPECT_EQ(finding,
              "With 2,000,000,000 keys, the fastest of 2: b, 20 ms. The slowest: a, 2.00 times as "
              "long.");
}

TEST(SweepData, WhatIsEachSortsOwnDoesNotVary) {
    auto const row = [](char const* algorithm, int tolerance) {
        return nlohmann::json{{"num_keys", 1000},
                              {"algorithm", algorithm},
                              {"tolerance_ppm", tolerance},
                              {"total_ms", 10.0},
                              {"interval_ms", {9.0, 11.0}}};
    };
    auto const fields = [](nlohmann::json const& rows) {
        auto const data = sweep_data("sweep.json", {{"rows", rows}});
        Json names = Json::array();
        for (Json const& axis : (*data)["varied"]) {
            names.push_back(axis["field"]);
        }
        return names;
    };
    EXPECT_EQ(fields({row("a", 5000), row("b", 20'000)}), Json::array({"algorithm"}));
    EXPECT_EQ(fields({row("a", 5000), row("a", 0)}), Json::array({"tolerance_ppm"}));
}

TEST(SweepData, OneRowIsNoRanking) {
    nlohmann::json const sweep{
        {"rows", {{{"num_keys", 1000}, {"total_ms", 12'345.0}, {"gpus", {0, 1, 2}}}}}};
    auto const data = sweep_data("sweep.json", sweep);
    ASSERT_TRUE(data) << data.error().message();
    EXPECT_EQ((*data)["answers"][0], "GPUs 0-2: 12.35 s.");
}

} // namespace
} // namespace keyswap::tools
