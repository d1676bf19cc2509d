#include "tools/text/text_width.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace keyswap::tools {
namespace {

/// Sets the environment variable COLUMNS for one test.
class Columns {
  public:
    explicit Columns(char const* text) {
        char const* const before = std::getenv("COLUMNS");
        before_ = before == nullptr ? "" : before;
        ::setenv("COLUMNS", text, 1);
    }
    Columns(Columns const&) = delete;
    Columns& operator=(Columns const&) = delete;
    ~Columns() {
        before_.empty() ? ::unsetenv("COLUMNS") : ::setenv("COLUMNS", before_.c_str(), 1);
    }

  private:
    std::string before_;
};

constexpr int no_terminal = -1;

TEST(TextWidth, IsWhatColumnsSaysAnd80IfNothingIsKnown) {
    EXPECT_EQ((Columns("120"), terminal_columns(no_terminal)), 120U);
    EXPECT_EQ((Columns("wide"), terminal_columns(no_terminal)), 80U);
    EXPECT_EQ((Columns("0"), terminal_columns(no_terminal)), 80U);
    EXPECT_EQ((Columns("3"), terminal_columns(no_terminal)), 40U);
    EXPECT_EQ((Columns("-5"), terminal_columns(no_terminal)), 80U);
}

TEST(TextWidth, CountsLettersNotBytes) {
    EXPECT_EQ(width_of("abc"), 3U);
    EXPECT_EQ(width_of("█▏é"), 3U);
}

TEST(TextWidth, BreaksBetweenWordsAndGoesOnDeeper) {
    EXPECT_EQ(wrapped("one two three\n", 9), "one two\n  three\n");
    EXPECT_EQ(wrapped("  one two three", 10), "  one two\n    three");
    EXPECT_EQ(wrapped("# one two three\nshort\n", 11), "# one two\n#   three\nshort\n");
    EXPECT_EQ(wrapped("a  b", 4), "a  b");
    EXPECT_EQ(wrapped("", 10), "");
    EXPECT_EQ(wrapped("\n\n", 10), "\n\n");
}

TEST(TextWidth, KeepsALongWordWhole) {
    EXPECT_EQ(wrapped("see /a/very/long/path now", 8), "see\n  /a/very/long/path\n  now");
}

TEST(TextWidth, HangsAParagraph) {
    EXPECT_EQ(wrapped_after("--a  ", 5, "one two three", 12), "--a  one two\n     three");
}

} // namespace
} // namespace keyswap::tools
