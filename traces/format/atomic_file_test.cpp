#include "traces/atomic_file.hpp"

#include "traces/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace keyswap {
namespace {

using testing::put_text;
using testing::text_of;

class AtomicFileTest : public ::testing::Test {
  protected:
    testing::TemporaryFolder folder_;
};

TEST_F(AtomicFileTest, TakesItsNameOnCommitAndReplacesAnOlderFile) {
    auto const path = folder_ / "out";
    put_text(path, "old");
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_TRUE(file->seekable());
    EXPECT_EQ(file->path(), path);
    ASSERT_TRUE(file->write(std::string("new text")));
    ASSERT_TRUE(file->write_at(0, std::string("NEW")));
    EXPECT_EQ(text_of(path), "old");
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(text_of(path), "NEW text");
    EXPECT_EQ(folder_.files().size(), 1U);
}

TEST_F(AtomicFileTest, LeavesNothingBehindWithoutCommit) {
    {
        auto file = AtomicFile::create(folder_ / "first");
        ASSERT_TRUE(file && file->write(std::string("text")));
        auto second = AtomicFile::create(folder_ / "second");
        ASSERT_TRUE(second);
        *file = std::move(*second); // abandons the first
        ASSERT_TRUE(file->write(std::string("of the second")));
        ASSERT_TRUE(file->commit());
    }
    EXPECT_EQ(folder_.files().size(), 1U);
    EXPECT_EQ(text_of(folder_ / "second"), "of the second");
}

TEST_F(AtomicFileTest, FollowsALinkToTheFileThatItReplaces) {
    put_text(folder_ / "target", "old");
    std::filesystem::create_symlink("target", folder_ / "link");
    auto file = AtomicFile::create(folder_ / "link");
    ASSERT_TRUE(file && file->write(std::string("new")) && file->commit());
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
    EXPECT_EQ(text_of(folder_ / "target"), "new");
}

TEST_F(AtomicFileTest, SaysBeforeAnyWorkThatAPathCannotBeWritten) {
    auto const in_no_folder = AtomicFile::create(folder_ / "missing" / "out");
    ASSERT_FALSE(in_no_folder);
    EXPECT_NE(in_no_folder.error().message().find("missing"), std::string::npos);
    EXPECT_FALSE(AtomicFile::create(folder_.path()));
    EXPECT_FALSE(AtomicFile::create(""));
}

TEST_F(AtomicFileTest, WritesDevicesDirectly) {
    auto file = AtomicFile::create("/dev/null");
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->seekable());
    EXPECT_TRUE(file->write(std::string("text")));
    EXPECT_TRUE(file->commit());
    auto full = AtomicFile::create("/dev/full");
    ASSERT_TRUE(full);
    auto const written = full->write(std::string("text"));
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().message().find("/dev/full"), std::string::npos);
}

} // namespace
} // namespace keyswap
