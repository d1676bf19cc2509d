#pragma once

/// \file For tests: runs the program as from a shell, and captures its output and files.

#include "tools/commands/command_line.hpp"
#include "tools/text/json.hpp"
#include "tools/text/text_width.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace keyswap::tools {

/// Exit status and output of a run.
struct ProgramRun {
    ExitCode code;
    std::string output;
    std::string errors;
};

/// Prevents line breaks in output, unless the test has set the terminal's width.
inline void widen_terminal() {
    constexpr int keep = 0;
    ::setenv("COLUMNS", "1000000", keep);
}

/// Sets COLUMNS during its lifetime; afterwards lines are not broken.
class NarrowTerminal {
  public:
    explicit NarrowTerminal(char const* columns) {
        constexpr int replace = 1;
        ::setenv("COLUMNS", columns, replace);
    }
    NarrowTerminal(NarrowTerminal const&) = delete;
    NarrowTerminal& operator=(NarrowTerminal const&) = delete;
    ~NarrowTerminal() { ::unsetenv("COLUMNS"); }
};

/// The widest line; the first one if several are equally wide.
[[nodiscard]] inline std::string widest_line(std::string const& text) {
    std::string widest;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        widest = width_of(line) > width_of(widest) ? line : widest;
    }
    return widest;
}

[[nodiscard]] inline ProgramRun run_program(std::vector<std::string> const& arguments) {
    std::vector<char const*> pointers{"keyswap"};
    for (std::string const& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    widen_terminal();
    // Resets the stream's format, which a previous command may have changed.
    std::cout.copyfmt(std::ostream(nullptr));
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    ExitCode const code = run(static_cast<int>(pointers.size()), pointers.data());
    return {
        code, ::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
}

/// Result of a command with --json; null if it does not succeed.
[[nodiscard]] inline Json json_of(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    auto const result = run_program(arguments);
    EXPECT_EQ(result.code, ExitCode::fine) << result.errors;
    return result.code == ExitCode::fine ? Json::parse(result.output) : Json();
}

/// Splits a line at spaces.
[[nodiscard]] inline std::vector<std::string> words_of(std::string const& line) {
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
}

/// As run_program(), for arguments without spaces.
[[nodiscard]] inline ProgramRun run_line(std::string const& line) {
    return run_program(words_of(line));
}

/// Exit status and combined output of a shell command.
struct ShellRun {
    int status = -1; ///< -1 if killed by a signal
    std::string output;
};

[[nodiscard]] inline ShellRun run_shell(std::string const& command) {
    widen_terminal();
    ShellRun run;
    std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::array<char, 4096> block{};
    while (std::size_t const size = std::fread(block.data(), 1, block.size(), pipe)) {
        run.output.append(block.data(), size);
    }
    int const status = ::pclose(pipe);
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return run;
}

/// Gives each test its own folder.
class FolderTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::string path(std::string const& name) const {
        return (folder_ / name).string();
    }
    /// Writes a file. \return its path
    std::string put(std::string const& name, std::string const& text) const {
        testing::put_text(folder_ / name, text);
        return path(name);
    }
    [[nodiscard]] std::string text(std::string const& name) const {
        return testing::text_of(folder_ / name);
    }
    /// Replaces "@" by the folder's path.
    [[nodiscard]] std::string with_folder(std::string line) const {
        std::string const folder = path("");
        for (std::size_t at = line.find('@'); at != std::string::npos; at = line.find('@', at)) {
            line.replace(at, 1, folder);
            at += folder.size();
        }
        return line;
    }
    /// Runs a line in which "@" is the folder: "sort --input @keys.bin".
    [[nodiscard]] ProgramRun run_line(std::string const& line) const {
        return tools::run_line(with_folder(line));
    }
    /// Names of all files in the folder, sorted.
    [[nodiscard]] std::vector<std::string> files() const { return folder_.files(); }

  private:
    testing::TemporaryFolder folder_;
};

} // namespace keyswap::tools
