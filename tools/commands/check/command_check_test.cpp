#include "tools/testing/program_run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

std::vector<std::string> joined(std::vector<std::string> words,
                                std::vector<std::string> const& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

class CheckCommand : public FolderTest {
  protected:
    CheckCommand() { put_keys("in", {30, 10, 20, 10}); }

    void put_keys(std::string const& name, std::vector<std::uint32_t> const& keys) const {
        put(name,
            std::string(reinterpret_cast<char const*>(keys.data()),
                        keys.size() * sizeof(std::uint32_t)));
    }
    /// Checks file "out" against file "in".
    [[nodiscard]] ProgramRun check(std::vector<std::string> const& more) const {
        std::vector<std::string> arguments{"check", "--input", path("in"), "--output", path("out")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
    }
};

TEST_F(CheckCommand, ReturnsZeroForASortedPermutation) {
    put_keys("out", {10, 10, 20, 30});
    auto const outcome = check({"--type", "u32"});
    EXPECT_EQ(outcome.code, ExitCode::fine);
    EXPECT_NE(outcome.output.find("sorted permutation"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.errors, "");
    EXPECT_EQ(check({"--type", "u32", "--direction", "descending"}).code, ExitCode::violation);
}

TEST_F(CheckCommand, ReturnsOneAndSaysWhatIsWrong) {
    put_keys("out", {20, 30, 10, 10});
    auto const outcome = check({"--type", "u32", "--gpu-count", "2"});
    EXPECT_EQ(outcome.code, ExitCode::violation);
    EXPECT_NE(outcome.output.find("rotated"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("chunk of GPU 1"), std::string::npos) << outcome.output;
}

TEST_F(CheckCommand, PrintsTheResultAsJson) {
    put_keys("out", {10, 20, 20, 30});
    auto const outcome = check({"--type", "u32", "--json"});
    EXPECT_EQ(outcome.code, ExitCode::violation);
    auto const json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("holds"), false);
    EXPECT_EQ(json.at("sorted"), true);
    EXPECT_EQ(json.at("permutation"), false);
    EXPECT_EQ(json.at("lost").at("from"), "10");
    EXPECT_EQ(json.at("gained").at("from"), "20");
    EXPECT_EQ(json.at("config").at("type"), "u32");
    EXPECT_TRUE(json.at("guess").is_null());
}

TEST_F(CheckCommand, GuessesACauseAfterItsVerdict) {
    std::vector<std::uint32_t> keys(100);
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
        keys[i] = i * 2'654'435'761U;
    }
    put_keys("in", keys);
    put_keys("out", keys);
    EXPECT_NE(check({"--type", "u32"}).output.find("Possible cause: the output is the input"),
              std::string::npos);
    auto const json = nlohmann::json::parse(check({"--type", "u32", "--json"}).output);
    EXPECT_EQ(json.at("guess").at("cause"), "untouched");
}

TEST_F(CheckCommand, NamesTheHeadingThatItTookForNoKey) {
    std::string const keys = put("keys.csv", "x5\n6\n7\n");
    auto const outcome = run_line("check --input " + keys + " --output " + keys + " --type u32");
    EXPECT_EQ(outcome.code, ExitCode::fine) << outcome.errors;
    EXPECT_NE(outcome.output.find("Read as a header: the first row of " + keys + ": 'x5'."),
              std::string::npos)
        << outcome.output;
}

TEST_F(CheckCommand, ReturnsOneWhereValuesAreNotAsPromised) {
    put_keys("out", {10, 10, 20, 30});
    struct Case {
        std::vector<std::uint32_t> values;
        bool paired;
        bool stable;
    };
    for (Case const& one : {Case{{1, 3, 2, 0}, true, true},
                            Case{{3, 1, 2, 0}, true, false},
                            Case{{1, 3, 0, 2}, false, false},
                            Case{{1, 1, 2, 0}, false, false}}) {
        put_keys("values", one.values);
        auto const code = [](bool holds) { return holds ? ExitCode::fine : ExitCode::violation; };
        std::vector<std::string> words{"--type", "u32", "--values", path("values")};
        EXPECT_EQ(check(words).code, code(one.paired));
        words.push_back("--stable");
        EXPECT_EQ(check(words).code, code(one.stable));
        words.push_back("--json");
        EXPECT_EQ(nlohmann::json::parse(check(words).output).at("holds"), one.stable);
    }
}

TEST_F(CheckCommand, ReadsAColumnOfATableAsSortDoes) {
    std::string const table = put("table.csv", "id,\"size, bytes\"\n1,30\n2,10\n3,20\n");
    std::string const sorted = path("sorted.csv");
    std::vector<std::string> const column{"--column", "size, bytes", "--type", "u32"};
    auto const sort = run_program(
        joined({"sort", table, "--gpu-count", "2", "--output", sorted, "--json"}, column));
    EXPECT_EQ(sort.code, ExitCode::fine) << sort.errors;
    EXPECT_EQ(text("sorted.csv"), "10\n20\n30\n");
    auto const config = nlohmann::json::parse(sort.output).at("config");
    EXPECT_EQ(config.at("column"), "size, bytes");
    EXPECT_EQ(config.at("header"), "size, bytes");
    EXPECT_EQ(run_program(joined({"check", table, sorted}, column)).code, ExitCode::fine);
    put("sorted.csv", "x;k\n7;10\n7;20\n7;30\n");
    std::vector<std::string> const both = joined({"check", table, sorted}, column);
    EXPECT_EQ(run_program(both).code, ExitCode::could_not_run);
    EXPECT_EQ(run_program(joined(both, {"--output-column", "2"})).code, ExitCode::fine);
    EXPECT_EQ(run_program(joined(both, {"--output-column", "x"})).code, ExitCode::violation);
    auto const refused = run_line("sort --distribution uniform --keys 9 --column 2");
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("--column"), std::string::npos) << refused.errors;
}

TEST_F(CheckCommand, ChecksTheOrderOfOneFile) {
    std::string const keys = put("keys.csv", "k\n1\n3\n2\n4\n0\n");
    std::vector<std::string> const words{"check", keys, "--type", "u32"};
    auto const wrong = run_program(words);
    EXPECT_EQ(wrong.code, ExitCode::violation) << wrong.errors;
    EXPECT_NE(wrong.output.find("The file is not sorted at index 2: key 2 follows 3; it has 3"),
              std::string::npos)
        << wrong.output;
    auto const json = nlohmann::json::parse(run_program(joined(words, {"--json"})).output);
    EXPECT_EQ(json.at("sorted"), false);
    EXPECT_EQ(json.at("keys"), 5);
    EXPECT_EQ(json.at("order").at("first_unsorted"), 2);
    EXPECT_EQ(json.at("config").at("file"), keys);
    put("keys.csv", "k\n4\n3\n3\n");
    auto const falling = run_program(joined(words, {"--direction", "descending"}));
    EXPECT_EQ(falling.code, ExitCode::fine) << falling.errors;
    EXPECT_NE(falling.output.find("The file is in order: 3 keys."), std::string::npos);
    auto const refused = run_program(joined(words, {"--stable"}));
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("--stable: needs the keys before the sort"), std::string::npos)
        << refused.errors;
}

TEST_F(CheckCommand, TakesTheInputsColumnForTheOutputs) {
    std::string const table = put("table.csv", "id,k\n1,5\n2,3\n");
    for (std::string const text : {"id,k\n2,3\n1,5\n", "k\n3\n5\n", "3\n5\n", "other\n3\n5\n"}) {
        std::string const sorted = put("sorted.csv", text);
        auto const run = run_line("check " + table + " " + sorted + " --column k --type u32");
        EXPECT_EQ(run.code, ExitCode::fine) << text << run.output << run.errors;
    }
    put_keys("out", {3, 5});
    EXPECT_EQ(run_line("check " + table + " @out --column k --type u32").code, ExitCode::fine);
    std::string const other = put("sorted.csv", "id,z\n2,3\n1,5\n");
    auto const refused = run_line("check " + table + " " + other + " --column k --type u32");
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("sorted.csv, row 1: has no column 'k'"), std::string::npos)
        << refused.errors;
}

TEST_F(CheckCommand, TakesIndicesOfNumpyForValues) {
    put_keys("out", {10, 10, 20, 30});
    std::vector<std::int64_t> const indices{1, 3, 2, 0};
    std::string const header = "{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }";
    std::string text = std::string("\x93NUMPY\x01\0", 8);
    text += static_cast<char>(header.size());
    text += '\0' + header +
            std::string(reinterpret_cast<char const*>(indices.data()), sizeof(indices[0]) * 4);
    std::string const values = put("values.npy", text);
    std::vector<std::string> const words{"--type", "u32", "--values", values, "--stable"};
    EXPECT_EQ(check(words).code, ExitCode::fine) << check(words).errors;
    EXPECT_EQ(check(joined(words, {"--value-bits", "64"})).code, ExitCode::fine);
}

TEST_F(CheckCommand, TakesPartsThatAreNothingButAHeader) {
    std::string const one = put("one.csv", "v\n5\n");
    std::string const none = put("none.csv", "v\n");
    std::vector<std::string> const words{
        "check", "--type", "u32", "--input", one, none, "--output", none, one};
    EXPECT_EQ(run_program(words).code, ExitCode::fine) << run_program(words).errors;
    EXPECT_EQ(run_line("check " + none + " " + none + " --type u32").code, ExitCode::could_not_run);
}

TEST_F(CheckCommand, ReturnsTwoInOneLineWhereItCannotRun) {
    put_keys("out", {10, 10, 20, 30});
    for (std::vector<std::string> const& wrong : {std::vector<std::string>{},
                                                  {"--type", "u24"},
                                                  {"--type", "u32", "--direction", "up"},
                                                  {"--type", "u32", "--format", "xml"},
                                                  {"--type", "u32", "--format", "npy"},
                                                  {"--type", "u32", "--gpu-count", "0"},
                                                  {"--type", "u32", "--colour"}}) {
        auto const outcome = check(wrong);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run);
        EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1)
            << outcome.errors;
        EXPECT_EQ(outcome.output, "");
    }
}

/// Checks the output of a multisplit by the program.
class CheckOfAMultisplit : public FolderTest {
  protected:
    CheckOfAMultisplit() {
        put("in.csv", "30\n5\n20\n7\n31\n");
        put("splitters.csv", "10\n30\n");
        put("out.csv", "5\n7\n30\n20\n31\n");
        put("starts.csv", "0\n2\n4\n");
    }
    [[nodiscard]] ProgramRun check(std::vector<std::string> const& more) const {
        return run_program(joined({"check",
                                   "--operation",
                                   "multisplit",
                                   "--type",
                                   "u32",
                                   path("in.csv"),
                                   path("out.csv"),
                                   "--rule",
                                   "splitters:" + path("splitters.csv")},
                                  more));
    }
};

TEST_F(CheckOfAMultisplit, HoldsForWhatTheProgramItselfWrites) {
    std::string labels;
    for (int i = 0; i < 20'000; ++i) {
        labels += static_cast<char>(i % 7);
    }
    auto const run = [](std::vector<std::string> const& words,
                        std::vector<std::string> const& more) {
        return run_program(joined(words, more));
    };
    // Keys partitioned by a hash are not sorted.
    ASSERT_EQ(run({"multisplit", "--distribution", "zipf", "--keys", "20000"},
                  {"--rule", "hash:9", "--buckets", "1000", "--output", path("keys.npy")})
                  .code,
              ExitCode::fine);
    for (std::vector<std::string> rule : {std::vector<std::string>{"delta", "--buckets", "32"},
                                          {"hash:3", "--buckets", "32"},
                                          {"digit:7:5"},
                                          {"labels:" + put("labels", labels)}}) {
        rule.insert(rule.begin(), {"--starts", path("starts"), "--rule"});
        auto const split = run({"multisplit", "--input", path("keys.npy"), "--force"},
                               joined(rule, {"--output", path("split.npy")}));
        ASSERT_EQ(split.code, ExitCode::fine) << split.errors;
        auto const checked =
            run({"check", path("keys.npy"), path("split.npy"), "--operation", "multisplit"},
                joined(rule, {"--stable"}));
        EXPECT_EQ(checked.code, ExitCode::fine) << checked.output << checked.errors;
    }
}

TEST_F(CheckOfAMultisplit, SaysWhatIsWrong) {
    EXPECT_EQ(check({"--starts", path("starts.csv"), "--stable"}).code, ExitCode::fine);
    put("starts.csv", "0\n3\n4\n");
    auto const starts = check({"--starts", path("starts.csv")});
    EXPECT_EQ(starts.code, ExitCode::violation);
    EXPECT_NE(starts.output.find("Bucket 1 starts at 2, and not at 3."), std::string::npos);
    put("out.csv", "7\n5\n30\n20\n31\n");
    EXPECT_EQ(check({}).code, ExitCode::fine);
    auto const json = check({"--stable", "--json"});
    EXPECT_EQ(json.code, ExitCode::violation);
    EXPECT_EQ(nlohmann::json::parse(json.output)["unstable"]["index"], 0);
    put("out.csv", "5\n30\n7\n20\n31\n");
    auto const misplaced = check({});
    EXPECT_EQ(misplaced.code, ExitCode::violation);
    EXPECT_NE(misplaced.output.find("Key 30 at index 1 belongs to bucket 1"), std::string::npos)
        << misplaced.output;
}

TEST_F(CheckOfAMultisplit, HoldsValuesAgainstTheirKeysAndBuckets) {
    auto const values = [&](std::vector<std::uint32_t> const& indices) {
        put("values",
            std::string(reinterpret_cast<char const*>(indices.data()), indices.size() * 4));
        return check({"--values", path("values"), "--stable"}).output;
    };
    EXPECT_NE(values({1, 3, 0, 2, 4}).find("Keys of each bucket are in input order."),
              std::string::npos);
    EXPECT_NE(values({3, 1, 0, 2, 4}).find("belongs to another key"), std::string::npos);
    put("in.csv", "30\n5\n20\n5\n31\n");
    put("out.csv", "5\n5\n30\n20\n31\n");
    EXPECT_NE(values({3, 1, 0, 2, 4}).find("not in input order, first at index 1."),
              std::string::npos);
}

TEST_F(CheckOfAMultisplit, RefusesWhatBelongsToASort) {
    for (std::vector<std::string> const& wrong : {std::vector<std::string>{"--gpu-count", "2"},
                                                  {"--direction", "descending"},
                                                  {"--zero-order", "equal"},
                                                  {"--nan-order", "last"},
                                                  {"--buckets", "5"},
                                                  {"--starts", path("nowhere")}}) {
        auto const outcome = check(wrong);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run) << wrong.front();
        EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1)
            << outcome.errors;
    }
    auto const sort = run_line("check @in.csv @out.csv --rule prime");
    EXPECT_NE(sort.errors.find("give --operation multisplit"), std::string::npos) << sort.errors;
    auto const no_rule = run_line("check --operation multisplit @in.csv @out.csv");
    EXPECT_NE(no_rule.errors.find("give --rule"), std::string::npos) << no_rule.errors;
}

} // namespace
} // namespace keyswap::tools
