#pragma once

/// \file For tests of every folder: a temporary folder, and reading and writing whole files.

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
    // Not istreambuf_iterator: it throws if a process exits while its file in /proc is read.
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline void put_text(std::filesystem::path const& path, std::string const& text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// A unique folder below the system's temporary one; the destructor removes it with its content.
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
