#include "tools/command_line.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace keyswap::tools {
namespace {

/// What a run of the program says and returns.
struct Outcome {
    ExitCode code;
    std::string output;
    std::string errors;
};

class CheckCommand : public ::testing::Test {
  protected:
    CheckCommand() {
        std::string name = (std::filesystem::temp_directory_path() / "keyswap-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        put("in", {30, 10, 20, 10});
    }
    ~CheckCommand() override { std::filesystem::remove_all(folder_); }

    void put(std::string const& name, std::vector<std::uint32_t> const& keys) {
        std::ofstream file(folder_ / name, std::ios::binary);
        file.write(reinterpret_cast<char const*>(keys.data()),
                   static_cast<std::streamsize>(keys.size() * sizeof(std::uint32_t)));
    }
    /// Checks "out" against "in".
    Outcome check(std::vector<std::string> const& more) {
        std::vector<std::string> arguments{"keyswap",
                                           "check",
                                           "--input",
                                           (folder_ / "in").string(),
                                           "--output",
                                           (folder_ / "out").string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        std::vector<char const*> pointers;
        for (std::string const& argument : arguments) {
            pointers.push_back(argument.c_str());
        }
        ::testing::internal::CaptureStdout();
        ::testing::internal::CaptureStderr();
        ExitCode const code = run(static_cast<int>(pointers.size()), pointers.data());
        return {code,
                ::testing::internal::GetCapturedStdout(),
                ::testing::internal::GetCapturedStderr()};
    }

  private:
    std::filesystem::path folder_;
};

TEST_F(CheckCommand, ReturnsZeroForASortedPermutation) {
    put("out", {10, 10, 20, 30});
    auto const outcome = check({"--type", "u32"});
    EXPECT_EQ(outcome.code, ExitCode::fine);
    EXPECT_NE(outcome.output.find("sorted permutation"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.errors, "");
    EXPECT_EQ(check({"--type", "u32", "--direction", "descending"}).code, ExitCode::violation);
}

TEST_F(CheckCommand, ReturnsOneAndSaysWhatIsWrong) {
    put("out", {20, 30, 10, 10});
    auto const outcome = check({"--type", "u32", "--gpus", "2"});
    EXPECT_EQ(outcome.code, ExitCode::violation);
    EXPECT_NE(outcome.output.find("rotated"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("chunk of GPU 1"), std::string::npos) << outcome.output;
}

TEST_F(CheckCommand, PrintsTheResultAsJson) {
    put("out", {10, 20, 20, 30});
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

TEST_F(CheckCommand, ReturnsTwoInOneLineWhereItCannotRun) {
    put("out", {10, 10, 20, 30});
    for (std::vector<std::string> const& wrong : {std::vector<std::string>{},
                                                  {"--type", "u16"},
                                                  {"--type", "u32", "--direction", "up"},
                                                  {"--type", "u32", "--format", "xml"},
                                                  {"--type", "u32", "--format", "npy"},
                                                  {"--type", "u32", "--gpus", "0"},
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
