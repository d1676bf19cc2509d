#include "tools/commands/program_run.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

class CheckCommand : public FolderTest {
  protected:
    CheckCommand() { put_keys("in", {30, 10, 20, 10}); }

    void put_keys(std::string const& name, std::vector<std::uint32_t> const& keys) const {
        put(name,
            std::string(reinterpret_cast<char const*>(keys.data()),
                        keys.size() * sizeof(std::uint32_t)));
    }
    /// Checks "out" against "in".
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
}

TEST_F(CheckCommand, NamesTheHeadingThatItTookForNoKey) {
    std::string const keys = put("keys.csv", "x5\n6\n7\n");
    auto const outcome = run_program({"check", "--input", keys, "--output", keys, "--type", "u32"});
    EXPECT_EQ(outcome.code, ExitCode::fine) << outcome.errors;
    EXPECT_NE(outcome.output.find("Taken for a heading: the first row of " + keys + ": 'x5'."),
              std::string::npos)
        << outcome.output;
}

TEST_F(CheckCommand, ReturnsTwoInOneLineWhereItCannotRun) {
    put_keys("out", {10, 10, 20, 30});
    for (std::vector<std::string> const& wrong : {std::vector<std::string>{},
                                                  {"--type", "u16"},
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

} // namespace
} // namespace keyswap::tools
