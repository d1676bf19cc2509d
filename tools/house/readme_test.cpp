// READMEs match the tree: each folder's README has a sentence for each of its rooms, and fits on
// two screens.

#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

namespace readme_fs = std::filesystem;

constexpr long readme_lines_max = 80;

/// One sentence for every room that the README of its folder does not mention, and for a README
/// that is too long.
std::vector<std::string> readme_faults(readme_fs::path const& folder) {
    std::string const readme = testing::text_of(folder / "README.md");
    std::string const name = folder.filename().string();
    std::vector<std::string> found;
    for (auto const& entry : readme_fs::directory_iterator(folder)) {
        std::string const room = entry.path().filename().string();
        if (entry.is_directory() && room.front() != '.' &&
            readme.find('`' + room + "/`") == std::string::npos) {
            found.push_back(name + "/README.md has no sentence for " + room + "/");
        }
    }
    std::ranges::sort(found);
    if (std::ranges::count(readme, '\n') > readme_lines_max) {
        found.push_back(name + "/README.md has more than 80 lines");
    }
    return found;
}

TEST(Readmes, NameEveryRoomAndAreShort) {
    for (char const* const folder :
         {"traces", "model", "simulator", "kernels", "proptests", "tools"}) {
        EXPECT_EQ(readme_faults(readme_fs::path(KEYSWAP_SOURCE_DIR) / folder),
                  std::vector<std::string>{});
    }
}

TEST(Readmes, ARoomWithoutASentenceAndALongOneAreFound) {
    testing::TemporaryFolder const root;
    readme_fs::create_directories(root / "model/keys");
    readme_fs::create_directories(root / "model/plan");
    testing::put_text(root / "model/README.md", "| `keys/` | Keys. |\n" + std::string(80, '\n'));
    EXPECT_EQ(readme_faults(root / "model"),
              (std::vector<std::string>{"model/README.md has no sentence for plan/",
                                        "model/README.md has more than 80 lines"}));
}

} // namespace
} // namespace keyswap::tools
