#pragma once

/// \file For tests: the program run as from a shell, with what it prints and leaves in a folder.

#include "tools/command_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace keyswap::tools {

/// What a run of the program says and returns.
struct ProgramRun {
    ExitCode code;
    std::string output;
    std::string errors;
};

[[nodiscard]] inline ProgramRun run_program(std::vector<std::string> const& arguments) {
    std::vector<char const*> pointers{"keyswap"};
    for (std::string const& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    ExitCode const code = run(static_cast<int>(pointers.size()), pointers.data());
    return {
        code, ::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
}

/// A folder of its own for each test, removed with all that is in it.
class FolderTest : public ::testing::Test {
  protected:
    FolderTest() {
        std::string name = (std::filesystem::temp_directory_path() / "keyswap-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~FolderTest() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(std::string const& name) const {
        return (folder_ / name).string();
    }
    void put(std::string const& name, std::string const& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    [[nodiscard]] std::string text(std::string const& name) const {
        std::ifstream file(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    /// Names of all files in the folder, sorted.
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (auto const& entry : std::filesystem::directory_iterator(folder_)) {
            names.push_back(entry.path().filename().string());
        }
        std::ranges::sort(names);
        return names;
    }

  private:
    std::filesystem::path folder_;
};

} // namespace keyswap::tools
