// Plans, runs, records and verifies every sort of the model with the program.

#include "model/distributions/distribution.hpp"
#include "model/sorts/algorithm.hpp"
#include "tools/testing/program_run.hpp"
#include "tools/text/json.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/format/trace_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

using CpuBackend = FolderTest;
using EverySort = FolderTest;
using RunMerge = FolderTest;
using SampleSort = FolderTest;
using StepSort = FolderTest;

TEST_F(EverySort, IsRecordedAndVerifiedOfEveryDistributionAndKeyType) {
    std::size_t turn = 0;
    for (model::Algorithm const* const algorithm : model::algorithms()) {
        for (model::Distribution const& distribution : model::distributions()) {
            auto const types = algorithm->info().key_types;
            std::string const type(to_string(types[turn++ % types.size()]));
            SCOPED_TRACE(std::string(algorithm->name) + ' ' + std::string(distribution.name) + ' ' +
                         type);
            auto const sorted = run_program({"sort",
                                             "--algorithm",
                                             std::string(algorithm->name),
                                             "--distribution",
                                             std::string(distribution.name),
                                             "--type",
                                             type,
                                             "--keys",
                                             "3000",
                                             "--values",
                                             "32",
                                             "--direction",
                                             turn % 2 == 0 ? "ascending" : "descending",
                                             "--record",
                                             path("run.trace"),
                                             "--force"});
            ASSERT_EQ(sorted.code, ExitCode::fine) << sorted.errors << sorted.output;
            auto const verified = run_line("verify @run.trace");
            ASSERT_EQ(verified.code, ExitCode::fine) << verified.errors << verified.output;
        }
    }
}

TEST_F(CpuBackend, RunsAreRecordedAndVerifiedOfEveryKeyType) {
    for (std::string const algorithm : {"buffered-radix", "simd-merge"}) {
        for (KeyType const type : every_key_type) {
            SCOPED_TRACE(algorithm + ' ' + std::string(to_string(type)));
            auto const sorted = run_line("sort --algorithm " + algorithm +
                                         " --backend cpu --threads 3 --keys 40000 --type " +
                                         std::string(to_string(type)) +
                                         " --distribution uniform --values 64 --direction "
                                         "descending --record @run.trace --force");
            ASSERT_EQ(sorted.code, ExitCode::fine) << sorted.errors << sorted.output;
            EXPECT_NE(sorted.output.find("by 3 threads"), std::string::npos) << sorted.output;
            EXPECT_NE(sorted.output.find("descending, on a CPU"), std::string::npos)
                << sorted.output;
            auto const verified = run_line("verify @run.trace");
            ASSERT_EQ(verified.code, ExitCode::fine) << verified.errors << verified.output;
            EXPECT_NE(verified.output.find("keys on a CPU"), std::string::npos) << verified.output;
        }
    }
}

TEST_F(CpuBackend, RefusesWhatItDoesNotHave) {
    struct Case {
        std::vector<std::string> options;
        std::string error;
    };
    for (Case const& refused : std::vector<Case>{
             {{"--algorithm", "rmg", "--backend", "cpu"}, "does not have rmg"},
             {{"--algorithm", "simd-merge", "--backend", "cpu", "--gpus", "0"}, "--gpus"},
             {{"--algorithm", "simd-merge", "--threads", "2"}, "--threads"},
             {{"--algorithm", "simd-merge", "--backend", "cpu", "--zero-order", "equal"},
              "--zero-order equal"},
             {{"--algorithm", "simd-merge", "--backend", "cpu", "--all"}, "--backend cpu"},
             {{"--algorithm", "split-radix", "--backend", "host"},
              "known: reference, cpu, cuda"}}) {
        std::vector<std::string> arguments{"sort", "--distribution", "uniform", "--keys", "10"};
        arguments.insert(arguments.end(), refused.options.begin(), refused.options.end());
        auto const result = run_program(arguments);
        EXPECT_EQ(result.code, ExitCode::could_not_run) << result.output;
        EXPECT_NE(result.errors.find(refused.error), std::string::npos) << result.errors;
        EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    }
}

TEST_F(CpuBackend, IsMeasuredWithOtherSortsAndEveryResultChecked) {
    Json const bench = json_of({"bench",
                                "--backend",
                                "cpu",
                                "--keys",
                                "5000",
                                "--runs",
                                "2",
                                "--types",
                                "u32,u64,i128",
                                "--threads",
                                "2"});
    std::vector<std::string> own;
    for (Json const& row : bench["rows"]) {
        EXPECT_TRUE(row["holds"]) << row;
        EXPECT_EQ(row["ms"].size(), 2U) << row;
        if (row["key_type"] == "i128") {
            own.push_back(row["sort"]);
        }
    }
    EXPECT_EQ(own, (std::vector<std::string>{"buffered-radix", "simd-merge", "simd-merge-scalar"}));
    EXPECT_EQ(bench["rows"][0]["sort"], "tbb");
    auto const refused = run_line("bench --backend cpu --sorts heapsort");
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("known: tbb"), std::string::npos) << refused.errors;
    EXPECT_EQ(refused.output, ""); // no partial table
}

TEST_F(EverySort, RefusesKeyTypesThatItDoesNotTakeInEveryCommand) {
    for (model::Algorithm const* const algorithm : model::algorithms()) {
        if (check_key_type(algorithm->info(), KeyType::u128)) {
            continue;
        }
        SCOPED_TRACE(algorithm->name);
        for (std::vector<std::string> arguments : {std::vector<std::string>{"plan"},
                                                   {"plan", "--source", "materialized"},
                                                   {"sort", "--record", path("run.trace")},
                                                   {"simulate", "--platform", "dgx-a100"},
                                                   {"report", "--output", path("page.html")}}) {
            SCOPED_TRACE(arguments.front());
            arguments.insert(arguments.end(),
                             {"--algorithm",
                              std::string(algorithm->name),
                              "--distribution",
                              "uniform",
                              "--keys",
                              "1000",
                              "--type",
                              "u128"});
            auto const refused = run_program(arguments);
            EXPECT_EQ(refused.code, ExitCode::could_not_run) << refused.output;
            if (refused.errors.find("has no schedule") != std::string::npos) {
                EXPECT_EQ(arguments.front(), "simulate");
                continue;
            }
            EXPECT_NE(refused.errors.find("--type u128: "), std::string::npos) << refused.errors;
            EXPECT_NE(refused.errors.find("sample-sort"), std::string::npos) << refused.errors;
            EXPECT_EQ(std::ranges::count(refused.errors, '\n'), 1) << refused.errors;
            EXPECT_TRUE(std::filesystem::is_empty(path(""))) << "nothing was written";
        }
    }
}

Json sample_plan(std::string const& distribution, std::vector<std::string> const& more = {}) {
    std::vector<std::string> arguments{"plan",
                                       "--algorithm",
                                       "sample-sort",
                                       "--distribution",
                                       distribution,
                                       "--keys",
                                       "100000",
                                       "--gpu-count",
                                       "8"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_of(arguments)["plan"];
}

TEST_F(SampleSort, OfFewValuesTakesOnePassAndStaysWithinItsBound) {
    for (char const* const distribution : {"zero", "deterministic-duplicates", "uniform"}) {
        SCOPED_TRACE(distribution);
        Json const plan = sample_plan(distribution);
        EXPECT_EQ(plan["passes_needed"], 1);
        EXPECT_LE(plan["balance"]["most"], plan["balance"]["bound"]);
        EXPECT_EQ(plan["balance"]["bound"], 12500 + 2 * 250) << "2 % of a chunk each side";
    }
}

TEST_F(SampleSort, BucketsAreNamedByTheirKeys) {
    Json const zero = sample_plan("zero");
    EXPECT_EQ(zero["not_placed"][0]["keys"], "0") << "the one value";
    Json const uniform = sample_plan("uniform", {"--buckets", "--type", "i32"});
    std::string const first = uniform["buckets"][0]["keys"].get<std::string>();
    EXPECT_TRUE(first.starts_with("-2147483648 to ")) << first;
}

TEST_F(SampleSort, ParametersComeFromTheCatalogueWithTheirLimits) {
    Json const plan = sample_plan("uniform", {"--ways", "16"});
    EXPECT_LE(plan["passes"][0]["buckets"], 16);
    auto const refused =
        run_line("plan --algorithm sample-sort --distribution uniform --keys 10 --ways 257");
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("--ways: 257 is out of range (give 2 to 256"), std::string::npos)
        << refused.errors;
}

TEST_F(StepSort, TakesOneGpuByDefault) {
    Json const plan = json_of(
        {"plan", "--algorithm", "split-radix", "--distribution", "uniform", "--keys", "1000"});
    EXPECT_EQ(plan["config"]["gpu_count"], 1);
    EXPECT_EQ(plan["plan"]["partitions"], 8) << "32 bits, four a step";
    auto const refused =
        run_line("plan --algorithm split-radix --distribution uniform --keys 10 --gpu-count 2");
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("--gpu-count 1"), std::string::npos) << refused.errors;
}

/// Verifies a changed copy of a trace.
ProgramRun verify_changed(std::string const& from,
                          std::string const& to,
                          auto const& change,
                          std::vector<std::string> const& more = {}) {
    auto records = read_trace(from).value();
    change(records);
    auto wrong = TraceWriter::create(to).value();
    for (TraceRecord const& record : records) {
        wrong.write(record);
    }
    EXPECT_TRUE(wrong.finish().has_value());
    std::vector<std::string> arguments{"verify", to};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
}

TEST_F(RunMerge, IsVerifiedRunByRun) {
    for (std::string const algorithm : {"network-merge", "simd-merge"}) {
        SCOPED_TRACE(algorithm);
        auto const sorted = run_line("sort --algorithm " + algorithm +
                                     " --run-keys 300 --distribution zipf --keys 2000 --values 32 "
                                     "--record @run.trace --force");
        ASSERT_EQ(sorted.code, ExitCode::fine) << sorted.errors;
        auto const changed = [&](auto const& change) {
            std::filesystem::remove(path("wrong.trace"));
            auto const with_keys = verify_changed(path("run.trace"), path("wrong.trace"), change);
            std::filesystem::remove(path("wrong.trace"));
            auto const without =
                verify_changed(path("run.trace"), path("wrong.trace"), change, {"--records-only"});
            EXPECT_EQ(with_keys.code, without.code) << without.output;
            return with_keys;
        };
        EXPECT_EQ(changed([](auto&) {}).code, ExitCode::fine);
        auto const merge_of = [](std::vector<TraceRecord>& records) {
            return std::ranges::find_if(records, [](TraceRecord const& record) {
                return std::holds_alternative<MergeRecord>(record);
            });
        };
        EXPECT_EQ(changed([&](auto& records) { records.erase(merge_of(records)); }).code,
                  ExitCode::violation);
        EXPECT_EQ(changed([&](auto& records) {
                      std::get<MergeRecord>(*merge_of(records)).runs.front() -= 1;
                  }).code,
                  ExitCode::violation);
        auto const sort = changed([](auto& records) {
            for (TraceRecord& record : records) {
                if (auto* const range = std::get_if<SortRangeRecord>(&record)) {
                    range->end_bit -= range->offset == 300 ? 1 : 0;
                }
            }
        });
        EXPECT_EQ(sort.code, ExitCode::violation);
        EXPECT_NE(sort.output.find("keys [300, 600) on bits [0, 32)"), std::string::npos)
            << sort.output;
    }
}

TEST_F(StepSort, OfTwoWidthsOfDigitsIsPlannedRecordedAndVerified) {
    std::vector<std::string> const knights_ferry{"--algorithm",
                                                 "split-radix",
                                                 "--digit-bits",
                                                 "6",
                                                 "--last-digit-bits",
                                                 "8",
                                                 "--distribution",
                                                 "uniform",
                                                 "--keys",
                                                 "2000"};
    std::vector<std::string> arguments{"plan"};
    arguments.insert(arguments.end(), knights_ferry.begin(), knights_ferry.end());
    EXPECT_EQ(json_of(arguments)["plan"]["partitions"], 5) << "6, 6, 6, 6, 8";
    arguments.front() = "sort";
    arguments.insert(arguments.end(), {"--record", path("run.trace")});
    auto const sorted = run_program(arguments);
    ASSERT_EQ(sorted.code, ExitCode::fine) << sorted.errors;
    EXPECT_EQ(run_line("verify @run.trace").code, ExitCode::fine);
    auto const verified = verify_changed(path("run.trace"), path("wrong.trace"), [](auto& records) {
        std::get<RunHeader>(records.front()).parameters["last-digit-bits"] = 2;
    });
    EXPECT_EQ(verified.code, ExitCode::violation) << verified.output << verified.errors;
}

TEST_F(StepSort, OfAnotherDigitThanItsHeaderSaysIsFound) {
    auto const sorted = run_line(
        "sort --algorithm multisplit-sort --distribution uniform --keys 2000 --record @run.trace");
    ASSERT_EQ(sorted.code, ExitCode::fine) << sorted.errors;
    auto const verified = verify_changed(path("run.trace"), path("wrong.trace"), [](auto& records) {
        std::get<RunHeader>(records.front()).digit_bits = 4;
    });
    EXPECT_EQ(verified.code, ExitCode::violation) << verified.output << verified.errors;
    EXPECT_NE(verified.output.find("digit:0:4"), std::string::npos) << verified.output;
}

} // namespace
} // namespace keyswap::tools
