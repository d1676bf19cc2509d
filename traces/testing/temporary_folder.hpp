#pragma once

/// \file For tests of every folder: a folder of files that goes with the test.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace keyswap::testing {

inline std::string text_of(std::filesystem::path const& path) {
    std::ifstream file(path, std::ios::binary);
    // Not by iterators, which throw where a process ends while its file below /proc is read.
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline void put_text(std::filesystem::path const& path, std::string const& text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// A folder of its own for one test, removed afterwards with all that is in it.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "keyswap-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    TemporaryFolder(TemporaryFolder const&) = delete;
    TemporaryFolder& operator=(TemporaryFolder const&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(std::string const& name) const {
        return path_ / name;
    }
    /// Names of all files in the folder, sorted.
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (auto const& entry : std::filesystem::directory_iterator(path_)) {
            names.push_back(entry.path().filename().string());
        }
        std::ranges::sort(names);
        return names;
    }

  private:
    std::filesystem::path path_;
};

} // namespace keyswap::testing
