#include "traces/format/atomic_file.hpp"

#include "traces/errors/input_limits.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace keyswap {
namespace {

using testing::put_text;

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
    EXPECT_EQ(testing::text_of(path), "old");
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(testing::text_of(path), "NEW text");
    EXPECT_EQ(folder_.files().size(), 1U);
}

TEST_F(AtomicFileTest, LeavesNothingBehindWithoutCommit) {
    {
        auto file = AtomicFile::create(folder_ / "first");
        ASSERT_TRUE(file && file->write(std::string("text")));
        auto second = AtomicFile::create(folder_ / "second");
        ASSERT_TRUE(second);
        *file = std::move(*second); // discards the first file
        ASSERT_TRUE(file->write(std::string("of the second")));
        ASSERT_TRUE(file->commit());
    }
    EXPECT_EQ(folder_.files().size(), 1U);
    EXPECT_EQ(testing::text_of(folder_ / "second"), "of the second");
}

TEST_F(AtomicFileTest, FollowsALinkToTheFileThatItReplaces) {
    put_text(folder_ / "target", "old");
    std::filesystem::create_symlink("target", folder_ / "link");
    auto file = AtomicFile::create(folder_ / "link");
    ASSERT_TRUE(file && file->write(std::string("new")) && file->commit());
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
    EXPECT_EQ(testing::text_of(folder_ / "target"), "new");
}

TEST_F(AtomicFileTest, SaysBeforeAnyWorkThatAPathCannotBeWritten) {
    auto const in_no_folder = AtomicFile::create(folder_ / "missing" / "out");
    ASSERT_FALSE(in_no_folder);
    EXPECT_NE(in_no_folder.error().message().find("missing"), std::string::npos);
    EXPECT_FALSE(AtomicFile::create(folder_.path()));
    EXPECT_FALSE(AtomicFile::create(""));
}

TEST_F(AtomicFileTest, KeepsTheModeOfTheFileThatItReplaces) {
    namespace fs = std::filesystem;
    put_text(folder_ / "secret", "old");
    fs::permissions(folder_ / "secret", fs::perms::owner_read | fs::perms::owner_write);
    ASSERT_TRUE(write_whole_file(folder_ / "secret", "new"));
    EXPECT_EQ(testing::text_of(folder_ / "secret"), "new");
    EXPECT_EQ(fs::status(folder_ / "secret").permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, HasNoNameBeforeItIsCommitted) {
    // Uses a bare file name, to test the default folder too. Skipped if the file system lacks
    // unnamed files.
    int const probe = ::open(folder_.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
    if (probe < 0) {
        GTEST_SKIP() << "this file system has no unnamed files";
    }
    ::close(probe);
    std::filesystem::path const before = std::filesystem::current_path();
    std::filesystem::current_path(folder_.path());
    auto file = AtomicFile::create("bare");
    auto const written = file ? file->write(std::string("text")) : Expected<void>();
    auto const files = folder_.files();
    std::filesystem::current_path(before);
    ASSERT_TRUE(file && written);
    EXPECT_TRUE(files.empty());
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(folder_.files(), std::vector<std::string>{"bare"});
}

TEST_F(AtomicFileTest, TakesTheLongestNameAndRefusesALongerOneAtOnce) {
    std::string const longest(255, 'n');
    put_text(folder_ / longest, "old");
    ASSERT_TRUE(write_whole_file(folder_ / longest, "new"));
    EXPECT_EQ(testing::text_of(folder_ / longest), "new");
    EXPECT_FALSE(AtomicFile::create(folder_ / (longest + "n")));
}

TEST_F(AtomicFileTest, ADashIsStandardOutput) {
    ::testing::internal::CaptureStdout();
    auto const written = write_whole_file("-", "text");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "text");
    EXPECT_TRUE(written);
    EXPECT_TRUE(is_standard_output("/dev/stdout"));
    EXPECT_FALSE(is_standard_output("./-"));
}

TEST_F(AtomicFileTest, WaitsForTheReaderOfAPipeAndNoLongerThanItMay) {
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    ASSERT_TRUE(set_limit(Limit::wait, 0).has_value());
    auto const alone = AtomicFile::create(folder_ / "pipe");
    ASSERT_FALSE(alone.has_value());
    EXPECT_EQ(alone.error().problem, "is a pipe that no process has read for 0 s");
    int const reader = ::open((folder_ / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_TRUE(AtomicFile::create(folder_ / "pipe").has_value());
    ::close(reader);
    reset_limits();
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
