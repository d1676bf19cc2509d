#include "traces/atomic_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace keyswap {
namespace {

/// A folder of its own for one test.
class AtomicFileTest : public testing::Test {
  protected:
    AtomicFileTest() {
        std::string name =
            (std::filesystem::temp_directory_path() / "keyswap-atomic-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
    }
    ~AtomicFileTest() override { std::filesystem::remove_all(folder_); }

    static std::string text_of(std::filesystem::path const& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    [[nodiscard]] std::ptrdiff_t file_count() const {
        return std::distance(std::filesystem::directory_iterator(folder_), {});
    }

    std::filesystem::path folder_;
};

TEST_F(AtomicFileTest, TakesItsNameOnCommitAndReplacesAnOlderFile) {
    auto const path = folder_ / "out";
    std::ofstream(path) << "old";
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_TRUE(file->seekable());
    EXPECT_EQ(file->path(), path);
    ASSERT_TRUE(file->write(std::string("new text")));
    ASSERT_TRUE(file->write_at(0, std::string("NEW")));
    EXPECT_EQ(text_of(path), "old");
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(text_of(path), "NEW text");
    EXPECT_EQ(file_count(), 1);
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
    EXPECT_EQ(file_count(), 1);
    EXPECT_EQ(text_of(folder_ / "second"), "of the second");
}

TEST_F(AtomicFileTest, FollowsALinkToTheFileThatItReplaces) {
    std::ofstream(folder_ / "target") << "old";
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
    EXPECT_FALSE(AtomicFile::create(folder_));
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
