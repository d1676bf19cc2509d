#pragma once

/// \file Files that the house rules apply to.

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace keyswap::testing {

/// Regular files below a folder, sorted, without build outputs and third-party code. Concurrent
/// tests create and remove folders in the source tree; vanished ones are skipped.
/// \throws std::runtime_error if the folder itself is missing
inline std::vector<std::filesystem::path> source_files(std::filesystem::path const& folder) {
    namespace fs = std::filesystem;
    if (!fs::is_directory(folder)) {
        throw std::runtime_error(folder.string() + " is no folder");
    }
    std::vector<fs::path> files;
    std::vector<fs::path> waiting{folder};
    while (!waiting.empty()) {
        fs::path const next = waiting.back();
        waiting.pop_back();
        std::error_code gone;
        for (fs::directory_iterator it(next, gone), end; !gone && it != end; it.increment(gone)) {
            std::error_code ignored;
            std::string const name = it->path().filename().string();
            bool const is_foreign =
                name == "vendor" || name == "node_modules" || name == "__pycache__";
            if (it->is_directory(ignored) && !it->is_symlink(ignored) && !is_foreign) {
                waiting.push_back(it->path());
            } else if (it->is_regular_file(ignored)) {
                files.push_back(it->path());
            }
        }
    }
    std::ranges::sort(files);
    return files;
}

} // namespace keyswap::testing
