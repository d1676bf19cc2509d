/// \file `keyswap sort --ranks` against `keyswap sort`: equal bytes, traces that merge to one run,
/// and messages and files when a rank ends early.

#include "tools/testing/mpirun.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace keyswap::tools {
namespace {

using Words = std::vector<std::string>;

Words with(Words words, Words const& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

class RankSort : public FolderTest {
  protected:
    /// Sorts in one process and by ranks, and compares the outputs.
    void
    expect_same_bytes(Words const& which, std::string const& ranks, std::string const& ending) {
        std::string const one = path("one" + ending);
        std::string const many = path("many" + ending);
        auto const alone =
            run_program(with({"sort", "--gpu-count", ranks, "--output", one}, which));
        ASSERT_EQ(alone.code, ExitCode::fine) << alone.errors;
        auto const together =
            run_program(with({"sort", "--ranks", ranks, "--output", many}, which));
        ASSERT_EQ(together.code, ExitCode::fine) << together.errors;
        EXPECT_EQ(text("many" + ending), text("one" + ending));
    }

    Words traces(int count) const {
        Words names;
        for (int rank = 0; rank < count; ++rank) {
            names.push_back(path("run-" + std::to_string(rank) + ".trace"));
        }
        return names;
    }
};

TEST_F(RankSort, WritesWhatOneProcessDoes) {
    Words const zipf{"--distribution", "zipf", "--keys", "20000", "--type", "f32"};
    for (std::string const ending : {".raw", ".npy", ".csv"}) {
        expect_same_bytes(with(zipf, {"--force"}), "3", ending);
    }
    Words const bytes{"--distribution", "uniform", "--keys", "500", "--type", "b128"};
    for (std::string const ending : {".raw", ".npy", ".csv"}) {
        expect_same_bytes(with(bytes, {"--algorithm", "sample-sort", "--force"}), "3", ending);
    }
    expect_same_bytes({"--distribution", "uniform", "--keys", "5", "--type", "i64"}, "8", ".few");
    expect_same_bytes({"--distribution", "uniform", "--keys", "0"}, "2", ".none");
    EXPECT_EQ(files().size(), 10U) << "something was left behind";
}

TEST_F(RankSort, ReadsItsShareOfAFile) {
    (void)run_line("sort --distribution normal --keys 3001 --output @in.npy");
    expect_same_bytes({path("in.npy"), "--direction", "descending"}, "4", ".npy");
    std::string const rows = put("in.csv", "price\n30\n10\n20\n-5\n7\n");
    expect_same_bytes({rows, "--type", "i32"}, "2", ".csv");
}

TEST_F(RankSort, ReadsAFileOfEachRankHoweverManyKeysItHas) {
    put("part-0.csv", "9\n4\n4\n-7\n30\n31\n32\n");
    put("part-1.csv", "");
    put("part-2.csv", "4\n8\n1\n");
    std::string const all = put("all.csv", text("part-0.csv") + text("part-2.csv"));
    Words const pairs{"--type", "i32", "--values", "32"};
    (void)run_program(with(
        {"sort", all, "--output", path("one.csv"), "--output-values", path("one-v.csv")}, pairs));
    auto const run = run_program(with({"sort",
                                       path("part-{rank}.csv"),
                                       "--ranks",
                                       "3",
                                       "--output",
                                       path("many.csv"),
                                       "--output-values",
                                       path("many-v.csv"),
                                       "--record",
                                       path("run-{rank}.trace")},
                                      pairs));
    ASSERT_EQ(run.code, ExitCode::fine) << run.errors;
    EXPECT_NE(text("one.csv"), "");
    EXPECT_EQ(text("many.csv"), text("one.csv"));
    EXPECT_EQ(text("many-v.csv"), text("one-v.csv"));
    auto const verify = with({"verify", "--ranks"}, traces(3));
    auto const verified = run_program(verify);
    EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
    EXPECT_EQ(verified.output.find("Not checked: input"), std::string::npos) << verified.output;
    put("part-2.csv", "4\n8\n2\n");
    EXPECT_EQ(run_program(verify).code, ExitCode::violation);
    put("part-2.csv", "4\n8\n");
    EXPECT_EQ(run_program(verify).code, ExitCode::could_not_run);
    std::filesystem::remove(path("part-1.csv"));
    auto const missing = run_line("sort @part-{rank}.csv --type i32 --ranks 3");
    EXPECT_EQ(missing.code, ExitCode::could_not_run);
    EXPECT_NE(missing.errors.find(path("part-1.csv")), std::string::npos) << missing.errors;
}

TEST_F(RankSort, CarriesValues) {
    Words const pairs{"--distribution", "zipf", "--keys", "4000", "--values", "32"};
    (void)run_program(
        with({"sort", "--output", path("a.npy"), "--output-values", path("av.npy")}, pairs));
    auto const run = run_program(with({"sort",
                                       "--ranks",
                                       "8",
                                       "--output",
                                       path("b.npy"),
                                       "--output-values",
                                       path("b-{rank}.raw")},
                                      pairs));
    ASSERT_EQ(run.code, ExitCode::fine) << run.errors;
    std::string values;
    for (int rank = 0; rank < 8; ++rank) {
        values += text("b-" + std::to_string(rank) + ".raw");
    }
    EXPECT_EQ(values, text("av.npy").substr(128)); // the header of .npy
    EXPECT_EQ(text("b.npy"), text("a.npy"));
}

TEST_F(RankSort, RecordsTracesThatAreVerifiedAsOneRun) {
    auto const run = run_line("sort --ranks 3 --distribution zipf --keys 5000 --algorithm "
                              "sample-sort --record @run-{rank}.trace");
    ASSERT_EQ(run.code, ExitCode::fine) << run.errors;
    auto const verified = run_program(with({"verify", "--ranks"}, traces(3)));
    EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
    // A single rank's trace is not a whole run.
    EXPECT_NE(run_line("verify " + traces(3).front()).code, ExitCode::fine);
    EXPECT_EQ(run_program(with({"verify", "--ranks"}, traces(2))).errors,
              "keyswap: error: --ranks: the trace of rank 2 is missing (give one trace of "
              "each rank)\n");
}

TEST_F(RankSort, RefusesWhatItCannotDo) {
    Words const keys{"sort", "--distribution", "uniform", "--keys", "10"};
    auto const error = [&](Words const& more) {
        auto const run = run_program(with(keys, more));
        EXPECT_EQ(run.code, ExitCode::could_not_run);
        EXPECT_EQ(run.output, "");
        return run.errors;
    };
    EXPECT_NE(error({"--ranks", "0"}).find("neither mpi nor a number"), std::string::npos);
    EXPECT_NE(error({"--ranks", "two"}).find("neither mpi nor a number"), std::string::npos);
    EXPECT_NE(error({"--ranks", "2", "--gpu-count", "2"}).find("--gpu-count"), std::string::npos);
    EXPECT_NE(error({"--ranks", "2", "--algorithm", "p2p-merge"}).find("exchanges no buckets"),
              std::string::npos);
    EXPECT_NE(error({"--ranks", "2", "--record", path("t")}).find("{rank}"), std::string::npos);
    EXPECT_NE(error({"--ranks", "2", "--output", path("no/such")}).find("cannot be written"),
              std::string::npos);
    EXPECT_EQ(files(), Words{});
}

class MpiSort : public RankSort {
  protected:
    void SetUp() override { skip_without_mpirun(); }
};

TEST_F(MpiSort, WritesWhatOneProcessDoes) {
    for (int const ranks : {1, 3, 8}) {
        std::string const which = " --distribution zipf --keys 30000 --type u64 --force ";
        (void)run_line("sort --gpu-count " + std::to_string(ranks) +
                       " --distribution zipf --keys 30000 --type u64 --force --output @one.npy");
        auto const [status, said] =
            run_shell(mpirun + "-n " + std::to_string(ranks) +
                      " " KEYSWAP_PROGRAM " sort --ranks mpi" + which + "--output " +
                      path("many.npy") + " --record '" + path("run-{rank}.trace") + "'");
        ASSERT_EQ(status, 0) << said;
        EXPECT_EQ(text("many.npy"), text("one.npy"));
        auto const verified = run_program(with({"verify", "--ranks"}, traces(ranks)));
        EXPECT_EQ(verified.code, ExitCode::fine) << verified.output << verified.errors;
    }
}

TEST_F(MpiSort, ReportsRanksThatWereStartedDifferently) {
    auto const [status, said] = run_shell(
        mpirun +
        "-n 1 " KEYSWAP_PROGRAM " sort --ranks mpi --distribution uniform --keys 10 : -n 1 " +
        KEYSWAP_PROGRAM + " sort --ranks mpi --distribution uniform --keys 11");
    EXPECT_EQ(status, 2) << said;
    EXPECT_NE(said.find("rank 1: started as"), std::string::npos) << said;
}

TEST_F(MpiSort, NamesARankThatHangsAndLeavesNothing) {
    // The second rank's input is a pipe without a writer.
    namespace fs = std::filesystem;
    fs::create_directory(path("here"));
    fs::create_directory(path("there"));
    put("here/in.raw", std::string(4000, 'k'));
    ASSERT_EQ(::mkfifo(path("there/in.raw").c_str(), 0600), 0);
    std::string const sort =
        " " KEYSWAP_PROGRAM " sort in.raw --type u32 --ranks mpi --rank-timeout 2 --output out ";
    auto const [status, said] =
        run_shell(mpirun + " -n 1 -wdir " + path("here") + sort + ": -n 1 -wdir " + path("there") +
                  sort + ": -n 1 -wdir " + path("here") + sort);
    EXPECT_EQ(status, 2) << said;
    for (std::string const rank : {"0", "2"}) {
        // The first rank to detect it informs the others, possibly before they detect it.
        std::string const noticed =
            "rank " + rank +
            ": error: rank 1: did not answer within 2000 ms (at 'reading the input's size')";
        std::string const heard =
            "reports: rank 1 did not answer within 2000 ms (reading the input's size)";
        EXPECT_TRUE(said.find(noticed) != std::string::npos ||
                    (said.find("rank " + rank + ": error: ") != std::string::npos &&
                     said.find(heard) != std::string::npos))
            << said;
    }
    EXPECT_FALSE(fs::exists(path("here/out")));
}

TEST_F(MpiSort, OfTwoJobsOnOneOutputEachWritesAllOfIt) {
    auto const sort = [this](std::string const& which, std::string const& output) {
        return mpirun + "-n 2 " KEYSWAP_PROGRAM " sort --ranks mpi --distribution " + which +
               " --keys 60000 --force --output " + path(output);
    };
    ASSERT_EQ(run_shell(sort("uniform", "u.raw")).status, 0);
    ASSERT_EQ(run_shell(sort("zipf", "z.raw")).status, 0);
    std::string const both =
        sort("uniform", "out.raw") + " & " + sort("zipf", "out.raw") + " && wait $!";
    auto const [status, said] = run_shell(both);
    EXPECT_EQ(status, 0) << said;
    EXPECT_TRUE(text("out.raw") == text("u.raw") || text("out.raw") == text("z.raw"));
    EXPECT_EQ(files(), (Words{"out.raw", "u.raw", "z.raw"}));
}

TEST_F(MpiSort, LeavesNothingWhereARankCannotWrite) {
    namespace fs = std::filesystem;
    std::string const sort = " " KEYSWAP_PROGRAM
                             " sort --distribution uniform --keys 40000 --ranks mpi --output " +
                             path("out.raw") + " ";
    // A file size limit simulates a full disk: the last rank writes beyond it.
    auto const [status, said] = run_shell(
        mpirun + " -n 2" + sort + ": -n 1 sh -c 'trap \"\" XFSZ; ulimit -f 100;" + sort + "'");
    EXPECT_EQ(status, 2) << said;
    EXPECT_NE(said.find("rank 2: error: " + path("out.raw") + ": cannot be written"),
              std::string::npos)
        << said;
    EXPECT_EQ(files(), Words{}) << said;
}

} // namespace
} // namespace keyswap::tools
