#include "traces/errors/printable_text.hpp"

#include "traces/errors/input_error.hpp"

#include <gtest/gtest.h>

namespace keyswap {
namespace {

TEST(PrintableText, LeavesOrdinaryTextAsItIs) {
    EXPECT_EQ(printable_text(""), "");
    EXPECT_EQ(printable_text("cpu0 > cpu1: 43.0 GB/s (\"x\\y\")"),
              "cpu0 > cpu1: 43.0 GB/s (\"x\\y\")");
    EXPECT_EQ(printable_text("Schlüssel 鍵 \U0001F511"), "Schlüssel 鍵 \U0001F511");
}

TEST(PrintableText, EscapesWhatATerminalWouldObey) {
    EXPECT_EQ(printable_text("a\nb\r\tc"), "a\\nb\\r\\tc");
    EXPECT_EQ(printable_text("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
    EXPECT_EQ(printable_text(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable_text("\u009b"), "\\u009b"); // the eight-bit form of ESC [
    EXPECT_EQ(printable_text("\u202etxt.exe\u2028"), "\\u202etxt.exe\\u2028");
}

TEST(PrintableText, EscapesEveryByteThatIsNoUtf8) {
    EXPECT_EQ(printable_text("\xff\x80"), "\\xff\\x80");
    EXPECT_EQ(printable_text("\xc0\x8a"), "\\xc0\\x8a");          // a line feed in two bytes
    EXPECT_EQ(printable_text("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
    EXPECT_EQ(printable_text("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
    EXPECT_EQ(printable_text("\xc3\n"), "\\xc3\\n"); // the second byte is decoded anew
    EXPECT_EQ(printable_text("\xe9\x8d"), "\\xe9\\x8d");
}

TEST(InputErrorTest, IsOneLineWhateverAFileSays) {
    InputError const error{"a\nb", "the name \"\x1b[1m1 of 1 trace\n\"", "rename it\r"};
    EXPECT_EQ(error.message(), "a\\nb: the name \"\\x1b[1m1 of 1 trace\\n\" (rename it\\r)");
}

} // namespace
} // namespace keyswap
