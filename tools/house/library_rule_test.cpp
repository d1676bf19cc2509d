// Rules for libraries: errors are passed on by KEYSWAP_TRY; they name the wrong setting by
// setting(), which spells it as an option (traces/errors/error_subject.hpp).

#include "tools/house/source_files.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {
namespace {

namespace library_fs = std::filesystem;

using Places = std::vector<std::string>;

/// Commands that messages quote, with their options.
std::regex const quoted_command(R"('(keyswap|xz) [^']*')");

/// Lines of product code below a folder that match a pattern outside quoted commands, as
/// "file:line".
Places places_of(library_fs::path const& folder, std::regex const& pattern) {
    Places places;
    for (library_fs::path const& path : testing::source_files(folder)) {
        std::string const file = path.lexically_relative(folder).string();
        std::string const ending = path.extension().string();
        bool const is_code =
            ending == ".cpp" || ending == ".hpp" || ending == ".cu" || ending == ".cuh";
        bool is_product = true;
        for (std::string_view const part : {"_test.", "_prop.", "_bench.", "testing/", "fuzz/"}) {
            is_product = is_product && file.find(part) == std::string::npos;
        }
        if (!is_code || !is_product || file.ends_with("errors/try.hpp")) { // the macros themselves
            continue;
        }
        std::istringstream lines(testing::text_of(path));
        std::size_t number = 1;
        for (std::string line; std::getline(lines, line); ++number) {
            if (std::regex_search(std::regex_replace(line, quoted_command, ""), pattern)) {
                places.push_back(file + ":" + std::to_string(number));
            }
        }
    }
    return places;
}

std::regex const error_passed_on(R"(return tl::unexpected\((std::move\()?\w+\)?\.error\(\)\)?\);)");
/// An option in a literal, other than zstd's --long.
std::regex const option_literal(R"(^(?!\s*//).*"[^"]*--(?!long\b)[a-z])");

TEST(LibraryRule, ErrorsArePassedOnByTheMacros) {
    for (char const* const folder : {"traces", "model", "simulator", "kernels", "tools"}) {
        EXPECT_EQ(places_of(library_fs::path(KEYSWAP_SOURCE_DIR) / folder, error_passed_on),
                  Places{})
            << folder;
    }
}

TEST(LibraryRule, LibrariesNameSettingsAndNotOptions) {
    for (char const* const folder : {"traces", "model", "simulator", "kernels"}) {
        EXPECT_EQ(places_of(library_fs::path(KEYSWAP_SOURCE_DIR) / folder, option_literal),
                  Places{})
            << folder;
    }
}

TEST(LibraryRule, FindsPlantedLines) {
    testing::TemporaryFolder const folder;
    testing::put_text(folder / "a.cpp",
                      "if (!x) {\n    return tl::unexpected(x.error());\n}\n"
                      "return tl::unexpected(std::move(x.error()));\nf(\"--keys\");\n"
                      "f(\"give --keys\");\nf(\"see 'keyswap sort --keys 9'\");\n// \"--keys\"\n");
    testing::put_text(folder / "a_test.cpp", "f(\"--keys\");\n");
    EXPECT_EQ(places_of(folder.path(), error_passed_on), (Places{"a.cpp:2", "a.cpp:4"}));
    EXPECT_EQ(places_of(folder.path(), option_literal), (Places{"a.cpp:5", "a.cpp:6"}));
}

} // namespace
} // namespace keyswap::tools
