#include "tools/text/wrapped_output.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace keyswap::tools {
namespace {

TEST(WrappedOutput, BreaksLinesHoweverTheyAreWritten) {
    std::ostringstream out;
    {
        WrappedOutput const fitted(out, 9);
        out << "one "
            << "two" << ' ' << 3.0 << " four\n";
        EXPECT_EQ(out.str(), "one two 3\n  four\n");
        out << "left over" << std::flush << " here";
        EXPECT_EQ(out.str(), "one two 3\n  four\n");
    }
    EXPECT_EQ(out.str(), "one two 3\n  four\nleft over\n  here");
    out << "; no longer broken between words\n";
    EXPECT_TRUE(out.str().ends_with("; no longer broken between words\n"));
}

TEST(WrappedOutput, KeepsTheFailureOfTheStream) {
    std::ostringstream out;
    {
        WrappedOutput const fitted(out, 9);
        out.setstate(std::ios_base::failbit);
    }
    EXPECT_TRUE(out.fail());
}

} // namespace
} // namespace keyswap::tools
