// A failed write exits with status 2, and leaves the files that are complete.

#include "tools/testing/output_cases.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <stdio_ext.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace keyswap::tools {
namespace {

constexpr char const* full_device = "/dev/full"; ///< every write fails

/// Redirects standard output to a device during its lifetime.
class StandardOutputTo {
  public:
    explicit StandardOutputTo(char const* device) {
        std::fflush(stdout);
        saved_ = ::dup(STDOUT_FILENO);
        int const opened = ::open(device, O_WRONLY);
        ::dup2(opened, STDOUT_FILENO);
        ::close(opened);
    }
    StandardOutputTo(StandardOutputTo const&) = delete;
    StandardOutputTo& operator=(StandardOutputTo const&) = delete;
    ~StandardOutputTo() {
        ::__fpurge(stdout); // discards unwritten output, which would be written again
        ::dup2(saved_, STDOUT_FILENO);
        ::close(saved_);
    }

  private:
    int saved_ = -1;
};

ExitCode run_onto_full_device(Words const& arguments) {
    std::vector<char const*> pointers{"keyswap"};
    for (std::string const& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    StandardOutputTo const redirected(full_device);
    return run(static_cast<int>(pointers.size()), pointers.data());
}

bool has_full_device() {
    return ::access(full_device, W_OK) == 0;
}

TEST_F(CommandOutputs, WhatCannotBePrintedIsExitStatusTwo) {
    if (!has_full_device()) {
        GTEST_SKIP() << "there is no " << full_device;
    }
    for (OutputCase const& one : cases()) {
        if (one.text) {
            EXPECT_EQ(run_onto_full_device(words_of(one, {})), ExitCode::could_not_run)
                << one.command;
        }
        if (one.json) {
            EXPECT_EQ(run_onto_full_device(words_of(one, {"--json"})), ExitCode::could_not_run)
                << one.command;
        }
    }
    EXPECT_EQ(run_onto_full_device({"whatif", "--keys", "1e5", "--gpus", "0,1", "--csv", "-"}),
              ExitCode::could_not_run);
    EXPECT_EQ(run_onto_full_device({"--help"}), ExitCode::could_not_run);
    EXPECT_EQ(run_onto_full_device({"--version"}), ExitCode::could_not_run);
}

TEST_F(CommandOutputs, AFileIsKeptIfTheReportOfItCannotBePrinted) {
    if (!has_full_device()) {
        GTEST_SKIP() << "there is no " << full_device;
    }
    std::vector<OutputCase> all = cases();
    all.push_back({"sort", {path("keys.csv"), "--type", "u32", "--memory", "16M"}, {"--output"}});
    for (OutputCase const& one : all) {
        for (std::string const& option : one.outputs) {
            std::string const shown = one.command + ' ' + option;
            Words const words = words_of(one, {option, path("made"), "--force"});
            ASSERT_NE(run_program(words).code, ExitCode::could_not_run) << shown;
            auto const size = text("made").size();
            std::filesystem::remove(path("made"));
            static_cast<void>(run_onto_full_device(words)); // some print nothing: any status
            ASSERT_TRUE(std::filesystem::exists(path("made"))) << shown;
            EXPECT_NEAR(static_cast<double>(text("made").size()), static_cast<double>(size), 64)
                << shown; // times differ in length
            std::filesystem::remove(path("made"));
        }
    }
}

TEST_F(CommandOutputs, WhatCannotBeWrittenToAFileIsExitStatusTwo) {
    if (!has_full_device()) {
        GTEST_SKIP() << "there is no " << full_device;
    }
    for (OutputCase const& one : cases()) {
        for (std::string const& option : one.outputs) {
            auto const outcome = run_program(words_of(one, {option, full_device}));
            EXPECT_EQ(outcome.code, ExitCode::could_not_run) << one.command << ' ' << option;
            EXPECT_NE(outcome.errors.find(full_device), std::string::npos)
                << one.command << ' ' << option << ": " << outcome.errors;
        }
    }
}

} // namespace
} // namespace keyswap::tools
