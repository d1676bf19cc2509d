#include "tools/record/third_party_trace.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace keyswap::conformance {
namespace {

using std::chrono::milliseconds;

ThirdPartyCase
case_of(std::string const& distribution, std::uint64_t runs, std::uint64_t failures) {
    ThirdPartyCase one;
    one.keys = {distribution, std::nullopt, KeyType::u32, 1'000, 5};
    one.report.run_count = runs;
    one.report.failure_count = failures;
    one.report.times = RunTimes{milliseconds(1), milliseconds(2), milliseconds(4)};
    if (failures > 0) {
        one.report.kinds = {{"not sorted", failures}};
        ThirdPartyRun run;
        run.seed = 7;
        run.verdicts = {{"sorted", false, "wrong"}, {"permutation", true, ""}};
        run.input = "kept/seed-7-input.raw";
        one.report.first = run;
    }
    return one;
}

TEST(ThirdPartyTrace, HeaderSaysAllThatWasAskedOfTheSort) {
    for (KeyType const type : narrow_key_types) {
        for (Direction const direction : {Direction::ascending, Direction::descending}) {
            for (ZeroOrder const zero_order : {ZeroOrder::total, ZeroOrder::equal}) {
                for (Stability const stability : {Stability::unstable, Stability::stable}) {
                    ThirdPartySort subject;
                    subject.library = "/somewhere/mysort.so";
                    subject.direction = direction;
                    subject.zero_order = zero_order;
                    subject.value_type = ValueType::bits64;
                    subject.stability = stability;
                    ThirdPartyCase one = case_of("zipf", 3, 1);
                    one.keys.key_type = type;
                    one.keys.parameter = 1.5;
                    RunHeader const header = header_of(subject, {one});
                    EXPECT_EQ(header.program, "mysort.so");
                    EXPECT_EQ(header.algorithm, third_party_algorithm);
                    EXPECT_TRUE(header.virtual_gpus);
                    EXPECT_EQ(header.key_type, type);
                    EXPECT_EQ(header.key_count, 1'000U);
                    EXPECT_EQ(header.direction, direction);
                    EXPECT_EQ(header.zero_order, zero_order);
                    EXPECT_EQ(header.stability, stability);
                    EXPECT_EQ(header.value_type, ValueType::bits64);
                    EXPECT_EQ(header.input.distribution, "zipf");
                    EXPECT_EQ(header.input.parameter, 1.5);
                    EXPECT_EQ(header.input.seed, 7U); // of the first failure
                }
            }
        }
    }
}

TEST(ThirdPartyTrace, HeaderOfAnInputOfTheZooNamesTheFileThatWasKept) {
    RunHeader const right = header_of({}, {case_of("zoo/AllEqual", 1, 0)});
    EXPECT_EQ(right.input.distribution, "file");
    EXPECT_EQ(right.input.file, "zoo/AllEqual");
    EXPECT_EQ(header_of({}, {case_of("zoo/AllEqual", 1, 1)}).input.file, "kept/seed-7-input.raw");
}

TEST(ThirdPartyTrace, VerdictsAreOnAllRunsEachCaseTheTimesAndTheFirstFailure) {
    auto const verdicts = recorded_verdicts(
        {case_of("uniform", 10, 0), case_of("zipf", 10, 2), case_of("zero", 5, 1)});
    std::vector<std::string> lines;
    lines.reserve(verdicts.size());
    for (VerdictRecord const& verdict : verdicts) {
        lines.push_back(verdict.property + (verdict.holds ? " holds: " : " fails: ") +
                        verdict.detail.substr(0, verdict.detail.find(';')));
    }
    std::string const times =
        "times holds: 1 ms minimum, 2 ms median, 4 ms maximum (0.5 Mkeys/s at the median)";
    EXPECT_EQ(lines,
              (std::vector<std::string>{"runs fails: 3 of 25 runs failed",
                                        "case holds: uniform, 1,000 keys: 0 of 10 runs failed",
                                        "case fails: zipf, 1,000 keys: 2 of 10 runs failed",
                                        "case fails: zero, 1,000 keys: 1 of 5 runs failed",
                                        times,
                                        "sorted fails: wrong",
                                        "permutation holds: "}));
}

TEST(ThirdPartyTrace, ShowsTheFailureOfTheFewestKeys) {
    auto few = case_of("zipf", 2, 1);
    few.keys.key_count = 31;
    auto fewer = case_of("zero", 2, 0);
    fewer.keys.key_count = 3;
    EXPECT_EQ(shown_case({case_of("uniform", 2, 1), few, fewer}).keys.key_count, 31U);
    EXPECT_EQ(shown_case({case_of("uniform", 2, 0), fewer}).keys.distribution, "uniform");
}

TEST(ThirdPartyTrace, HasTheCommandAndTheWrongPlacesOfTheFailureAsVerdictsThatHold) {
    auto failing = case_of("zipf", 2, 1);
    failing.report.first->places = {
        3, {{7, "3", "5"}, {9, "", "6"}}, {{0, 40, false}, {30, 90, true}}};
    std::string text;
    for (VerdictRecord const& verdict : recorded_verdicts({failing}, {"keyswap record", {}, {}})) {
        bool const is_last = text.find("permutation") != std::string::npos;
        EXPECT_TRUE(!is_last || verdict.holds);
        text += verdict.property + ": " + verdict.detail + "\n";
    }
    EXPECT_NE(text.find("wrong place: index 7 has 3, and 5 belongs there\n"
                        "wrong place: index 9 has no key, and 6 belongs there\n"
                        "columns: 0 40 . 30 90 !\nrepeat: keyswap record\n"),
              std::string::npos)
        << text;
}

TEST(ThirdPartyTrace, HasARateOfAnyKeysInAnyTime) {
    auto const has_rate = [](std::int64_t median_ns, std::uint64_t keys) {
        std::chrono::nanoseconds const median(median_ns);
        return times_text({median, median, median}, keys).find("keys/s") != std::string::npos;
    };
    EXPECT_TRUE(has_rate(1, 1));
    EXPECT_FALSE(has_rate(1, 0));
    EXPECT_FALSE(has_rate(0, 1));
}

TEST(ThirdPartyTrace, SumsUpCasesByKind) {
    auto failing = case_of("zero", 5, 1);
    failing.report.left_running = 2;
    auto interrupted = case_of("zipf", 3, 1);
    interrupted.report.interrupted = true;
    interrupted.report.left_running = 1;
    ThirdPartyReport const sum = sum_of({case_of("uniform", 10, 0), failing, interrupted});
    EXPECT_EQ(sum.run_count, 18U);
    EXPECT_EQ(sum.failure_count, 2U);
    EXPECT_EQ(sum.left_running, 3U);
    EXPECT_TRUE(sum.interrupted);
    EXPECT_FALSE(sum.times); // several cases
    EXPECT_FALSE(sum.rate_95);
    ASSERT_EQ(sum.kinds.size(), 1U);
    EXPECT_EQ(sum.kinds.front().second, 2U);
    ASSERT_TRUE(sum.first);
}

} // namespace
} // namespace keyswap::conformance
