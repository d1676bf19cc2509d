// Every sort of the model: planned, carried out, recorded and verified by the program.

#include "model/keys/distribution.hpp"
#include "model/sorts/algorithm.hpp"
#include "tools/commands/program_run.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/format/trace_writer.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

using Json = nlohmann::json;
using EverySort = FolderTest;
using SampleSort = FolderTest;
using StepSort = FolderTest;

Json json_of(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    auto const result = run_program(arguments);
    EXPECT_EQ(result.code, ExitCode::fine) << result.errors;
    return result.code == ExitCode::fine ? Json::parse(result.output) : Json();
}

TEST_F(EverySort, IsRecordedAndVerifiedOfEveryDistributionAndKeyType) {
    constexpr std::array<char const*, 6> types{"u32", "f64", "i32", "u64", "f32", "i64"};
    std::size_t turn = 0;
    for (model::Algorithm const* const algorithm : model::algorithms()) {
        for (model::Distribution const& distribution : model::distributions()) {
            std::string const type = types[turn++ % types.size()];
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
            auto const verified = run_program({"verify", path("run.trace")});
            ASSERT_EQ(verified.code, ExitCode::fine) << verified.errors << verified.output;
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
    auto const refused = run_program({"plan",
                                      "--algorithm",
                                      "sample-sort",
                                      "--distribution",
                                      "uniform",
                                      "--keys",
                                      "10",
                                      "--ways",
                                      "257"});
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("--ways: 257 is out of its limits (give 2 to 256"),
              std::string::npos)
        << refused.errors;
}

TEST_F(StepSort, TakesOneGpuWithoutBeingTold) {
    Json const plan = json_of(
        {"plan", "--algorithm", "split-radix", "--distribution", "uniform", "--keys", "1000"});
    EXPECT_EQ(plan["config"]["gpu_count"], 1);
    EXPECT_EQ(plan["plan"]["partitions"], 8) << "32 bits, four a step";
    auto const refused = run_program({"plan",
                                      "--algorithm",
                                      "split-radix",
                                      "--distribution",
                                      "uniform",
                                      "--keys",
                                      "10",
                                      "--gpu-count",
                                      "2"});
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("--gpu-count 1"), std::string::npos) << refused.errors;
}

TEST_F(StepSort, OfAnotherDigitThanItsHeaderSaysIsFound) {
    auto const sorted = run_program({"sort",
                                     "--algorithm",
                                     "multisplit-sort",
                                     "--distribution",
                                     "uniform",
                                     "--keys",
                                     "2000",
                                     "--record",
                                     path("run.trace")});
    ASSERT_EQ(sorted.code, ExitCode::fine) << sorted.errors;
    auto records = read_trace(path("run.trace")).value();
    std::get<RunHeader>(records.front()).digit_bits = 4;
    auto wrong = TraceWriter::create(path("wrong.trace")).value();
    for (TraceRecord const& record : records) {
        wrong.write(record);
    }
    ASSERT_TRUE(wrong.finish().has_value());
    auto const verified = run_program({"verify", path("wrong.trace")});
    EXPECT_EQ(verified.code, ExitCode::violation) << verified.output << verified.errors;
    EXPECT_NE(verified.output.find("digit:0:4"), std::string::npos) << verified.output;
}

} // namespace
} // namespace keyswap::tools
