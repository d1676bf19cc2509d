#include "tools/options/trace_folder.hpp"

#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace keyswap::tools {

namespace {

namespace fs = std::filesystem;

bool is_named_as_trace(fs::path path) {
    constexpr std::array compressed{".gz", ".zst"};
    constexpr std::array endings{".trace", ".jsonl", ".ndjson"};
    if (std::ranges::count(compressed, path.extension().string()) > 0) {
        path = path.stem();
    }
    return std::ranges::count(endings, path.extension().string()) > 0;
}

Expected<std::vector<std::string>> traces_below(std::string const& folder) {
    std::vector<std::string> traces;
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code gone; // a dangling link is not a file
        if (entry->is_regular_file(gone) && is_named_as_trace(entry->path())) {
            traces.push_back(entry->path().string());
        }
    }
    if (error) {
        return input_error(printable_text(folder),
                           "cannot be read: " + error.message(),
                           "check that all folders below it are readable");
    }
    if (traces.empty()) {
        return input_error(
            printable_text(folder),
            "is a folder without traces",
            "they are named *.trace or *.jsonl, also .gz or .zst; name others one by "
            "one");
    }
    std::ranges::sort(traces);
    return traces;
}

} // namespace

Expected<std::vector<std::string>> expand_folders(std::vector<std::string> const& paths) {
    std::vector<std::string> expanded;
    for (std::string const& path : paths) {
        std::error_code unknown;
        if (!fs::is_directory(path, unknown)) {
            expanded.push_back(path);
            continue;
        }
        KEYSWAP_TRY(auto const traces, traces_below(path));
        expanded.insert(expanded.end(), traces.begin(), traces.end());
    }
    return expanded;
}

} // namespace keyswap::tools
