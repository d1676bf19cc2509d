// multisplit, histogram and sssp: operations other than sorts.

#include "simulator/cost/rate_profile.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/testing/program_run.hpp"
#include "tools/text/json.hpp"

#include <algorithm>
#include <set>

namespace keyswap::tools {
namespace {

using MultisplitCommand = FolderTest;
using HistogramCommand = FolderTest;
using PathCommand = FolderTest;

TEST_F(MultisplitCommand, AllStableMethodsGiveOneDigest) {
    for (std::string const rule : {"delta", "hash:3", "digit:7:5"}) {
        Json const result = json_of({"multisplit",
                                     "--distribution",
                                     "zipf",
                                     "--keys",
                                     "20000",
                                     "--buckets",
                                     "32",
                                     "--rule",
                                     rule,
                                     "--method",
                                     "all",
                                     "--values",
                                     "32"});
        EXPECT_TRUE(result["holds"]);
        std::set<std::string> digests;
        for (Json const& method : result["methods"]) {
            if (method["stability"] == "stable") {
                digests.insert(method["output"].dump());
            }
        }
        EXPECT_EQ(digests, (std::set<std::string>{result["stable_output"].dump()})) << rule;
    }
}

TEST_F(MultisplitCommand, WritesKeysAndStartsInTheBucketsOrder) {
    auto const keys = put("keys.csv", "30\n5\n20\n7\n31\n");
    auto const splitters = put("splitters.csv", "10\n30\n");
    Json const result = json_of({"multisplit",
                                 "--input",
                                 keys,
                                 "--type",
                                 "u32",
                                 "--rule",
                                 "splitters:" + splitters,
                                 "--output",
                                 path("out.csv"),
                                 "--starts",
                                 path("starts.csv")});
    EXPECT_EQ(text("out.csv"), "5\n7\n30\n20\n31\n");
    EXPECT_EQ(text("starts.csv"), "0\n2\n4\n");
    EXPECT_EQ(result["counts"], (Json{2, 2, 1}));
}

// Chunks are 30 5 20 and 7 31; bucket 0 is [0, 10), bucket 1 is [10, 30).
TEST_F(MultisplitCommand, ToOwnersMovesBucketsWhole) {
    auto const keys = put("keys.csv", "30\n5\n20\n7\n31\n");
    auto const splitters = put("splitters.csv", "9\n29\n");
    std::vector<std::string> arguments{"multisplit",
                                       "--input",
                                       keys,
                                       "--type",
                                       "u32",
                                       "--rule",
                                       "splitters:" + splitters,
                                       "--to-owner",
                                       "--gpu-count",
                                       "2",
                                       "--force",
                                       "--output",
                                       path("out.csv"),
                                       "--starts",
                                       path("starts.csv")};
    Json const even = json_of(arguments);
    EXPECT_EQ(text("out.csv"), "5\n7\n20\n30\n31\n");
    EXPECT_EQ(text("starts.csv"), "0\n2\n3\n");
    EXPECT_EQ(even["gpus"], (Json{{{"base", 0}, {"keys", 3}}, {{"base", 3}, {"keys", 2}}}));
    EXPECT_EQ(even["keys_moved"], 2) << "7 to the first, 30 to the second";
    EXPECT_EQ(even["copies"], 5);
    EXPECT_DOUBLE_EQ(even["imbalance"].get<double>(), 1.2);
    arguments.insert(arguments.end(), {"--owners", "1,0,1"});
    Json const given = json_of(arguments);
    EXPECT_EQ(text("out.csv"), "20\n5\n7\n30\n31\n");
    EXPECT_EQ(text("starts.csv"), "1\n0\n3\n");
    EXPECT_EQ(given["gpus"][0]["keys"], 1);
}

TEST_F(MultisplitCommand, ToOwnersRefusesWhatCannotBe) {
    auto const refused = [&](std::vector<std::string> options) {
        std::vector<std::string> arguments{
            "multisplit", "--distribution", "uniform", "--keys", "100", "--buckets", "4"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        auto const result = run_program(arguments);
        EXPECT_EQ(result.code, ExitCode::could_not_run) << result.output;
        return result.errors;
    };
    EXPECT_NE(refused({"--gpu-count", "2"}).find("--to-owner"), std::string::npos);
    EXPECT_NE(refused({"--owners", "0,0,0,0"}).find("--to-owner"), std::string::npos);
    EXPECT_NE(refused({"--to-owner", "--method", "all"}).find("name one method"),
              std::string::npos);
    EXPECT_NE(refused({"--to-owner", "--gpus", "0,1"}).find("--backend cuda"), std::string::npos);
    EXPECT_NE(refused({"--to-owner", "--gpu-count", "0"}).find("give 1 to 1024"),
              std::string::npos);
    EXPECT_NE(refused({"--to-owner", "--gpu-count", "2", "--owners", "0,1,2,0"})
                  .find("'2' is not a GPU of 2"),
              std::string::npos);
    EXPECT_NE(refused({"--to-owner", "--gpu-count", "2", "--owners", "0,1"})
                  .find("there are 2 for 4 buckets"),
              std::string::npos);
    EXPECT_NE(refused({"--to-owner", "--gpu-count", "2", "--owners", "0,,1,1"})
                  .find("'' is not a GPU of 2"),
              std::string::npos);
}

TEST_F(MultisplitCommand, RefusesWhatCannotBeWithItsReason) {
    auto const refused = [&](std::vector<std::string> options) {
        std::vector<std::string> arguments{
            "multisplit", "--distribution", "uniform", "--keys", "100"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        auto const result = run_program(arguments);
        EXPECT_EQ(result.code, ExitCode::could_not_run) << result.output;
        return result.errors;
    };
    EXPECT_NE(refused({}).find("give --buckets"), std::string::npos);
    EXPECT_NE(refused({"--buckets", "33", "--method", "warp"}).find("these take them"),
              std::string::npos);
    auto const labels = put("labels.csv", "0\n1\n");
    EXPECT_NE(refused({"--rule", "labels:" + labels}).find("2 labels for 100 keys"),
              std::string::npos);
    auto const unsorted = put("unsorted.csv", "3\n2\n");
    EXPECT_NE(refused({"--rule", "prime", "--type", "i32"}).find("the keys are i32"),
              std::string::npos);
    EXPECT_NE(refused({"--rule", "splitters:" + unsorted}).find("unsorted.csv, row 2"),
              std::string::npos);
    EXPECT_NE(refused({"--buckets", "2", "--backend", "gpu"}).find("cpu, cuda"), std::string::npos);
}

TEST_F(MultisplitCommand, WithoutAGpuSaysSoInOneLine) {
    if (cuda::device_count()) {
        GTEST_SKIP() << "this machine has one";
    }
    for (std::vector<std::string> arguments :
         {std::vector<std::string>{"multisplit", "--buckets", "2"},
          std::vector<std::string>{"histogram", "--bins", "2", "--range", "0:8"}}) {
        arguments.insert(
            arguments.end(),
            {"--backend", "cuda", "--distribution", "uniform", "--keys", "100", "--record", "no"});
        auto const result = run_program(arguments);
        EXPECT_EQ(result.code, ExitCode::could_not_run);
        EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
        EXPECT_NE(result.errors.find("GPUs"), std::string::npos) << result.errors;
    }
}

/// Verifies the trace that a command writes.
class RecordedOperation : public FolderTest {
  protected:
    void expect_verified(std::vector<std::string> arguments) {
        std::string const trace = path(std::to_string(traces_++) + ".trace");
        arguments.insert(arguments.end(), {"--record", trace});
        auto const run = run_program(arguments);
        ASSERT_EQ(run.code, ExitCode::fine) << run.errors;
        auto const verified = run_line("verify " + trace);
        EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
        EXPECT_EQ(verified.output.find("Not checked"), std::string::npos) << verified.output;
    }

  private:
    int traces_ = 0;
};

TEST_F(RecordedOperation, OfAMultisplitByEveryRuleIsVerified) {
    std::string labels;
    for (int i = 0; i < 300; ++i) {
        labels += static_cast<char>(i % 7);
    }
    auto const column = put("labels", labels);
    auto const splitters = put("splitters.csv", "5\n100\n3000000000\n");
    for (std::string const& rule : {std::string("delta"),
                                    std::string("hash:3"),
                                    std::string("digit:3:4"),
                                    std::string("prime"),
                                    "labels:" + column,
                                    "splitters:" + splitters}) {
        SCOPED_TRACE(rule);
        std::vector<std::string> arguments{"multisplit",
                                           "--distribution",
                                           "uniform",
                                           "--keys",
                                           "300",
                                           "--rule",
                                           rule,
                                           "--method",
                                           "all",
                                           "--values",
                                           "32"};
        if (rule == "delta" || rule == "hash:3") {
            arguments.insert(arguments.end(), {"--buckets", "10"});
        }
        expect_verified(arguments);
        *std::ranges::find(arguments, "all") = "fused";
        arguments.insert(arguments.end(), {"--to-owner", "--gpu-count", "3"});
        expect_verified(arguments);
        if (rule == "prime") {
            arguments.insert(arguments.end(), {"--owners", "2,0"});
            expect_verified(arguments);
        }
    }
}

/// Runs only with a GPU: its records must equal the model's.
class OperationOnGpu : public RecordedOperation {
  protected:
    void SetUp() override {
        if (!cuda::device_count()) {
            GTEST_SKIP() << "this build has no kernels, or this machine no GPU";
        }
        RecordedOperation::SetUp();
    }
};

TEST_F(OperationOnGpu, IsVerifiedByEveryMethodAndForEveryKeyType) {
    for (std::string const type : {"u32", "i64", "f32", "f64"}) {
        for (std::string const buckets : {"2", "10", "100", "1000"}) {
            SCOPED_TRACE(type + ", " + buckets);
            expect_verified({"multisplit",
                             "--distribution",
                             "uniform",
                             "--keys",
                             "20000",
                             "--type",
                             type,
                             "--buckets",
                             buckets,
                             "--method",
                             "all",
                             "--values",
                             type == "u32" ? "32" : "none",
                             "--backend",
                             "cuda"});
        }
        expect_verified({"multisplit",  "--distribution",
                         "uniform",     "--keys",
                         "20000",       "--type",
                         type,          "--rule",
                         "hash:5",      "--buckets",
                         "40",          "--values",
                         "32",          "--to-owner",
                         "--gpus",      "0",
                         "--gpu-count", "3",
                         "--backend",   "cuda"});
        expect_verified({"histogram",
                         "--distribution",
                         "uniform",
                         "--type",
                         type,
                         "--keys",
                         "5000",
                         "--bins",
                         "100",
                         "--range",
                         "0:1000000",
                         "--backend",
                         "cuda"});
    }
}

/// Compares every round of the kernels with the model's, and the distances with Dijkstra's.
TEST_F(OperationOnGpu, SearchesAreVerifiedRoundByRound) {
    for (std::string const graph : {"grid:40", "rmat:9:8", "power:500:6"}) {
        for (std::string const method : {"multisplit", "bucketing", "near-far"}) {
            for (std::string const delta : {"1", "150", "2000", "100000"}) {
                SCOPED_TRACE(graph + ", " + method + ", " + delta);
                expect_verified({"sssp",
                                 "--graph",
                                 graph,
                                 "--method",
                                 method,
                                 "--delta",
                                 delta,
                                 "--backend",
                                 "cuda"});
            }
        }
    }
}

TEST_F(RecordedOperation, OfAHistogramOrASearchIsVerified) {
    expect_verified({"histogram",
                     "--distribution",
                     "below",
                     "--type",
                     "f32",
                     "--keys",
                     "500",
                     "--bins",
                     "16",
                     "--range",
                     "0:1024"});
    for (std::string const method : {"multisplit", "bucketing", "near-far"}) {
        expect_verified({"sssp", "--graph", "rmat:6:4", "--method", method});
    }
    expect_verified({"sssp", "--graph", put("a.gr", "p sp 3 3\na 1 2 10\na 1 3 3\na 3 2 4\n")});
}

TEST_F(RecordedOperation, IsRefusedWhereItCouldNotBeVerified) {
    auto const dijkstra = run_line("sssp --graph grid:3 --method dijkstra --record @a.trace");
    EXPECT_EQ(dijkstra.code, ExitCode::could_not_run);
    auto const many =
        run_line("multisplit --distribution uniform --keys 10 --buckets 65537 --record @a.trace");
    EXPECT_EQ(many.code, ExitCode::could_not_run);
    EXPECT_NE(many.errors.find("65,536"), std::string::npos) << many.errors;
    EXPECT_TRUE(files().empty());
}

TEST_F(RecordedOperation, NeedsNoGraphWhereRecordsAloneAreCompared) {
    put("a.gr", "p sp 3 3\na 1 2 10\na 1 3 3\na 3 2 4\n");
    EXPECT_EQ(run_line("sssp --graph @a.gr --record @a.trace").code, ExitCode::fine);
    put("a.gr", "this is no graph\n");
    EXPECT_EQ(run_line("verify @a.trace").code, ExitCode::could_not_run);
    auto const alone = run_line("verify @a.trace --records-only");
    EXPECT_EQ(alone.code, ExitCode::fine) << alone.errors;
    EXPECT_NE(alone.output.find("Not checked: input (--records-only"), std::string::npos)
        << alone.output;
}

TEST_F(HistogramCommand, CountsBetweenEvenEdgesAndThoseOfAFile) {
    auto const keys = put("keys.csv", "-1.5\n0\n0.5\n1\n3\n4\n");
    Json const even =
        json_of({"histogram", "--input", keys, "--type", "f32", "--bins", "2", "--range", "0:4"});
    EXPECT_EQ(even["counts"], (Json{3, 1}));
    EXPECT_EQ(even["below"], 1);
    EXPECT_EQ(even["above"], 1);
    auto const edges = put("edges.csv", "0\n1\n4.5\n");
    Json const range = json_of({"histogram", "--input", keys, "--type", "f32", "--edges", edges});
    EXPECT_EQ(range["counts"], (Json{2, 3}));
    EXPECT_EQ(run_line("histogram --input " + keys + " --type f32").code, ExitCode::could_not_run);
    EXPECT_EQ(run_line("histogram --input " + keys + " --type f32 --bins 2 --range 4:x").code,
              ExitCode::could_not_run);
}

TEST_F(PathCommand, AllMethodsFindDijkstrasDistances) {
    auto const graph = put("a.gr", "p sp 3 3\na 1 2 10\na 1 3 3\na 3 2 4\n");
    std::set<std::string> digests;
    for (std::string const method : {"multisplit", "bucketing", "near-far", "dijkstra"}) {
        Json const result = json_of({"sssp", "--graph", graph, "--method", method});
        EXPECT_TRUE(result["holds"]);
        EXPECT_EQ(result["farthest"], 7);
        digests.insert(result["distances"].dump());
    }
    EXPECT_EQ(digests.size(), 1U);
    auto const text = run_line("sssp --graph rmat:8:8");
    EXPECT_EQ(text.code, ExitCode::fine);
    EXPECT_NE(text.output.find("All distances are those of Dijkstra"), std::string::npos);
}

TEST_F(PathCommand, PredictsTheTimeOnADevice) {
    Json const result =
        json_of({"sssp", "--graph", "rmat:8:8", "--method", "near-far", "--device", "gtx1080"});
    Json const& predicted = result["predicted"];
    auto const profile = simulator::load_rate_profile("gtx1080");
    ASSERT_TRUE(profile);
    // Each round has six operations, whether it relaxes edges or not; a split with a single scan
    // adds no launch.
    EXPECT_NEAR(predicted["launches_ms"].get<double>(),
                static_cast<double>(result["rounds"].size()) * 6 * profile->scan_launch_us * 1e-3,
                1e-9);
    EXPECT_GT(predicted["relaxing_ms"], 0.0);
    EXPECT_DOUBLE_EQ(predicted["total_ms"],
                     predicted["launches_ms"].get<double>() +
                         predicted["relaxing_ms"].get<double>() +
                         predicted["reorganising_ms"].get<double>());
    auto const expect = [](std::vector<std::string> const& options, std::string const& part) {
        std::vector<std::string> words{"sssp", "--graph", "grid:3"};
        words.insert(words.end(), options.begin(), options.end());
        auto const refused = run_program(words);
        EXPECT_EQ(refused.code, ExitCode::could_not_run);
        EXPECT_NE(refused.errors.find(part), std::string::npos) << refused.errors;
    };
    expect({"--device", "h201"}, "Shipped: c1060");
    expect({"--device", "knf"}, "has no costs of multisplits and sorts");
    expect({"--device", "h200", "--method", "dijkstra"}, "only searches by rounds");
}

TEST_F(PathCommand, RefusesBrokenGraphsAndVerticesThatAreNotThere) {
    auto const graph = put("a.gr", "p sp 3 1\na 1 4 10\n");
    auto const broken = run_line("sssp --graph " + graph);
    EXPECT_EQ(broken.code, ExitCode::could_not_run);
    EXPECT_NE(broken.errors.find("a.gr:2"), std::string::npos) << broken.errors;
    EXPECT_EQ(run_line("sssp --graph grid:3 --source 9").code, ExitCode::could_not_run);
    EXPECT_EQ(run_line("sssp --graph grid:3 --delta 0").code, ExitCode::could_not_run);
}

TEST(AlgorithmsCommand, ListsEveryRowWithItsParameters) {
    Json const result = json_of({"algorithms"});
    EXPECT_GE(result["algorithms"].size(), 3U);
    EXPECT_NE(run_line("algorithms").output.find("tolerance"), std::string::npos);
}

} // namespace
} // namespace keyswap::tools
