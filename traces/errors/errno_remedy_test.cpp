#include "traces/errors/errno_remedy.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace keyswap {
namespace {

TEST(ErrnoRemedy, NamesTheResourceThatRanOut) {
    EXPECT_NE(errno_remedy(ENOSPC, "").find("space"), std::string::npos);
    EXPECT_NE(errno_remedy(EFBIG, "").find("ulimit -f"), std::string::npos);
    EXPECT_NE(errno_remedy(EMFILE, "").find("ulimit -n"), std::string::npos);
}

TEST(ErrnoRemedy, LeavesOtherErrorsToTheCaller) {
    EXPECT_EQ(errno_remedy(EACCES, "check the path"), "check the path");
}

} // namespace
} // namespace keyswap
