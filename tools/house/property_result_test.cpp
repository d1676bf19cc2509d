// Every property's result is checked. rc::check returns whether the property holds; if the result
// is dropped, the test passes regardless. So rc::check must be inside EXPECT_TRUE or ASSERT_TRUE,
// or its result must be stored or returned. (RC_GTEST_PROP does not need this; clang-tidy also
// reports dropped results, but not everyone has it.)

#include "tools/house/source_files.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {
namespace {

namespace fs = std::filesystem;

using Sentences = std::vector<std::string>;

/// The text without comments, literals and white space, which shows the use of a call regardless of
/// line breaks.
std::string condensed(std::string_view text) {
    std::string kept;
    std::size_t i = 0;
    auto const skip_past = [&](std::string_view end, std::size_t from) {
        i = std::min(text.find(end, from), text.size() - end.size()) + end.size();
    };
    while (i < text.size()) {
        std::string_view const rest = text.substr(i);
        if (rest.starts_with("//")) {
            skip_past("\n", i);
        } else if (rest.starts_with("/*")) {
            skip_past("*/", i + 2);
        } else if (rest.starts_with("R\"(")) {
            skip_past(")\"", i + 3);
        } else if (rest.starts_with("'\"'")) {
            i += 3;
        } else if (rest.starts_with('"')) {
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != '"') {
                end += text[end] == '\\' ? 2 : 1;
            }
            i = end + 1;
        } else {
            if (std::isspace(static_cast<unsigned char>(text[i])) == 0) {
                kept += text[i];
            }
            ++i;
        }
    }
    return kept;
}

bool uses_result(std::string_view before_call) {
    constexpr std::array users{"EXPECT_TRUE(", "ASSERT_TRUE(", "=", "return"};
    return std::ranges::any_of(users,
                               [&](std::string_view user) { return before_call.ends_with(user); });
}

/// One sentence per file below `root` that drops the result of rc::check, or that calls it without
/// its namespace, where this test would miss it.
Sentences dropped_properties(fs::path const& root) {
    Sentences found;
    for (std::string const folder :
         {"traces", "model", "simulator", "kernels", "proptests", "tools"}) {
        for (fs::path const& path : testing::source_files(root / folder)) {
            std::string const extension = path.extension().string();
            if (extension != ".cpp" && extension != ".hpp") {
                continue;
            }
            std::string const file = path.lexically_relative(root).string();
            std::string const text = condensed(testing::text_of(path));
            constexpr std::string_view call = "rc::check(";
            for (auto at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
                bool const global = at >= 2 && text.compare(at - 2, 2, "::") == 0;
                if (!uses_result(std::string_view(text).substr(0, global ? at - 2 : at))) {
                    found.push_back(file + " drops the result of a property");
                }
            }
            for (char const* const use : {"usingrc::check;", "usingnamespacerc;"}) {
                if (text.find(use) != std::string::npos) {
                    found.push_back(file + " calls properties without their namespace");
                }
            }
        }
    }
    return found;
}

class PlantedProperty : public ::testing::Test {
  protected:
    PlantedProperty() {
        for (char const* const name :
             {"traces", "model", "simulator", "kernels", "proptests", "tools"}) {
            fs::create_directories(folder_ / name);
        }
    }

    [[nodiscard]] Sentences found_in(std::string const& text) const {
        testing::put_text(folder_ / "proptests" / "a_prop.cpp", text);
        return dropped_properties(folder_.path());
    }

    testing::TemporaryFolder folder_;
};

std::string const dropped = "proptests/a_prop.cpp drops the result of a property";

TEST(PropertyResults, AreUsedInEveryFile) {
    EXPECT_EQ(dropped_properties(KEYSWAP_SOURCE_DIR), Sentences{});
}

TEST_F(PlantedProperty, IsFoundWhereItsResultIsDropped) {
    EXPECT_EQ(found_in("TEST(A, B) {\n    rc::check(\"x\", [] { RC_ASSERT(false); });\n}\n"),
              Sentences{dropped});
    EXPECT_EQ(found_in("TEST(A, B) { ::rc::check([] {}); }"), Sentences{dropped});
    EXPECT_EQ(found_in("void f() { if (true) rc::check([] {}); }"), Sentences{dropped});
    EXPECT_EQ(found_in("void f() { (void)rc::check([] {}); }"), Sentences{dropped});
    EXPECT_EQ(found_in("EXPECT_TRUE(\n    rc::check(\"a\", [] {}));\nrc::check(\"b\", [] {});\n"),
              Sentences{dropped});
}

TEST_F(PlantedProperty, IsFoundWhereItsNamespaceIsLeftOut) {
    Sentences const hidden{"proptests/a_prop.cpp calls properties without their namespace"};
    EXPECT_EQ(found_in("using rc::check;\n"), hidden);
    EXPECT_EQ(found_in("using namespace rc;\n"), hidden);
}

TEST_F(PlantedProperty, IsRightWhereItsResultIsUsed) {
    EXPECT_EQ(found_in("EXPECT_TRUE(\n    rc::check(\"a\", [] {}));"), Sentences{});
    EXPECT_EQ(found_in("ASSERT_TRUE(::rc::check([] {}));"), Sentences{});
    EXPECT_EQ(found_in("bool const holds =\n    rc::check([] {});"), Sentences{});
    EXPECT_EQ(found_in("return rc::check([] {});"), Sentences{});
    EXPECT_EQ(found_in("// rc::check([] {});\n/* rc::check(1) */"), Sentences{});
}

} // namespace
} // namespace keyswap::tools
