#include "tools/report/sections/third_party_data.hpp"

#include "tools/record/third_party_trace.hpp"
#include "tools/report/report_request.hpp"
#include "tools/text/json.hpp"
#include "traces/format/trace_writer.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

using conformance::ChildEnd;
using conformance::ThirdPartyCase;
using conformance::ThirdPartyReport;
using conformance::ThirdPartyRun;
using conformance::ThirdPartyRuns;

/// 800 runs with 3 failures, the first with seed 14.
ThirdPartyReport three_of_800() {
    ThirdPartyReport report;
    report.run_count = 800;
    report.failure_count = 3;
    report.rate_95 = conformance::failure_rate_interval(3, 800, 0.95);
    report.first = ThirdPartyRun{
        14,
        {},
        {},
        {{"sorted", true, {}}, {"permutation", false, "keys were lost, doubled or changed"}},
        {},
        {}};
    return report;
}

/// Report document of a trace of the runs.
Json document_of(std::vector<ThirdPartyCase> const& cases,
                 conformance::FailureRecord const& failure = {}) {
    ThirdPartyRuns runs;
    runs.library = "mysort.so";
    testing::TemporaryFolder const folder;
    std::string const path = (folder / "runs.trace").string();
    auto trace = TraceWriter::create(path);
    trace->write(conformance::header_of(runs, cases));
    for (VerdictRecord const& verdict : conformance::recorded_verdicts(cases, failure)) {
        trace->write(verdict);
    }
    EXPECT_TRUE(trace->finish());
    ReportOptions options;
    options.files = {path};
    auto const content = report_content(options);
    EXPECT_TRUE(content) << content.error().message();
    return content ? report_document(*content, "keyswap report runs.trace") : Json();
}

model::KeyRequest keys_of(std::string const& distribution, std::uint64_t count) {
    model::KeyRequest keys;
    keys.distribution = distribution;
    keys.key_count = count;
    return keys;
}

Json document_of(ThirdPartyReport const& report) {
    return document_of({{keys_of("uniform", 112'000), report}});
}

TEST(ThirdPartySection, SaysHowManyRunsFailedAndHowTheFirstDid) {
    Json const document = document_of(three_of_800());
    Json const& section = document["sections"].front();
    EXPECT_EQ(section["kind"], "foreign");
    // Clopper-Pearson bounds for 3 of 800: 0.0774 % and 1.0921 %.
    EXPECT_EQ(section["verdict"],
              "Checked and WRONG: 3 of 800 runs failed; the failure rate is, with 95 % "
              "confidence, between 0.08 % and 1.09 %.");
    EXPECT_EQ(section["answers"].front(),
              "First failure, with seed 14: not a permutation (keys were lost, doubled or "
              "changed).");
    EXPECT_EQ(document["findings"].front(), section["verdict"]);
    EXPECT_EQ(document["findings"].at(1), section["answers"].front());
}

TEST(ThirdPartySection, SpeaksOfNothingThatIsNotKnown) {
    std::string const text = document_of(three_of_800())["sections"].dump();
    for (char const* word : {"GPU", "igits", "olerance", "fused", "chunk", "matrix"}) {
        EXPECT_EQ(text.find(word), std::string::npos) << word << " in " << text;
    }
    EXPECT_NE(text.find("112,000 u32"), std::string::npos) << text;
    EXPECT_NE(text.find("mysort.so"), std::string::npos) << text;
}

TEST(ThirdPartySection, HasWhatIsShownOfTheFailureApartFromTheVerdicts) {
    ThirdPartyReport report = three_of_800();
    report.first->places = {1, {{7, "3", "5"}}, {{0, 40, false}, {30, 90, true}}};
    conformance::FailureRecord const failure{"keyswap record --seed 14", {}, {}};
    Json const section =
        document_of({{keys_of("uniform", 112'000), report}}, failure)["sections"].front();
    Json const& shown = section["failure"];
    EXPECT_EQ(shown["places"], Json{"index 7 has 3, and 5 belongs there"});
    EXPECT_EQ(shown["columns"].dump(), "[[0,40,false],[30,90,true]]");
    EXPECT_EQ(shown["repeat"], "keyswap record --seed 14");
    EXPECT_TRUE(shown["smallest"].is_null());
    EXPECT_EQ(section["verdicts"].size(), 3U); // runs, sorted, permutation
}

TEST(ThirdPartySection, OfRightRunsHasNoFailure) {
    ThirdPartyReport report;
    report.run_count = 50;
    report.rate_95 = conformance::failure_rate_interval(0, 50, 0.95);
    Json const document = document_of(report);
    EXPECT_EQ(document["findings"].size(), 1U) << document["findings"];
    // 1 - 0.025^(1/50) = 7.11 %
    EXPECT_EQ(document["sections"].front()["verdict"],
              "Checked: 0 of 50 runs failed; the failure rate is, with 95 % confidence, between "
              "0.00 % and 7.11 %.");
}

TEST(ThirdPartySection, ListsEveryCaseAndTheFirstFailure) {
    ThirdPartyReport right;
    right.run_count = 50;
    right.rate_95 = conformance::failure_rate_interval(0, 50, 0.95);
    Json const section = document_of({{keys_of("zipf", 1'000), right},
                                      {keys_of("uniform", 112'000), three_of_800()}})["sections"]
                             .front();
    EXPECT_EQ(section["keys"], 112'000);
    EXPECT_NE(section["verdict"].get<std::string>().find("3 of 850 runs failed"),
              std::string::npos);
    std::string const verdicts = section["verdicts"].dump();
    EXPECT_NE(verdicts.find("zipf, 1,000 keys: 0 of 50 runs failed"), std::string::npos);
    EXPECT_NE(verdicts.find("uniform, 112,000 keys: 3 of 800 runs failed"), std::string::npos);
    EXPECT_EQ(section["answers"].front().get<std::string>().find("First failure, with seed 14"),
              0U);
}

TEST(ThirdPartySection, SaysHowLongARunTook) {
    using namespace std::chrono_literals;
    ThirdPartyReport report = three_of_800();
    report.times = conformance::RunTimes{900us, 1ms, 2500ms};
    EXPECT_EQ(document_of(report)["sections"].front()["answers"].at(1),
              "Time per run: 900 us minimum, 1 ms median, 2.5 s maximum (112 Mkeys/s at the "
              "median).");
    EXPECT_EQ(document_of(three_of_800())["sections"].front()["answers"].at(1), "");
}

TEST(ThirdPartySection, ReportsACrashOfTheSort) {
    ThirdPartyReport report = three_of_800();
    report.first->verdicts.clear();
    report.first->end.end = ChildEnd::out_of_bounds;
    report.first->end.detail = "wrote past the end of the keys: the guard page was hit";
    EXPECT_EQ(document_of(report)["sections"].front()["answers"].front(),
              "First failure, with seed 14: not returned (out of bounds: wrote past the end "
              "of the keys: the guard page was hit).");
}

} // namespace
} // namespace keyswap::tools
