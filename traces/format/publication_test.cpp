#include "traces/format/publication.hpp"

#include "traces/format/atomic_file.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <vector>

namespace keyswap {
namespace {

using testing::put_text;

class PublicationTest : public ::testing::Test {
  protected:
    /// Completes a file; an active publication names it later.
    void complete(std::string const& name, std::string const& text) {
        auto const written = write_whole_file(folder_ / name, text);
        ASSERT_TRUE(written) << written.error().message();
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (auto const& entry : std::filesystem::directory_iterator(folder_.path())) {
            all.push_back(entry.path().filename().string());
        }
        std::ranges::sort(all);
        return all;
    }

    testing::TemporaryFolder folder_;
};

TEST_F(PublicationTest, NamesAllFilesAtTheEnd) {
    Publication publication;
    complete("a", "1");
    complete("b", "2");
    EXPECT_TRUE(names().empty());
    ASSERT_TRUE(publication.publish());
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(testing::text_of(folder_ / "b"), "2");
}

TEST_F(PublicationTest, NamesNoneWithoutBeingAsked) {
    put_text(folder_ / "a", "old");
    {
        Publication const publication;
        complete("a", "new");
        complete("b", "2");
    }
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
    EXPECT_EQ(testing::text_of(folder_ / "a"), "old");
    EXPECT_EQ(Publication::active(), nullptr);
}

TEST_F(PublicationTest, KeepsAFileThatAppearedMeanwhile) {
    Publication publication;
    publication.set_existing(Existing::keep);
    complete("a", "ours");
    put_text(folder_ / "a", "theirs");
    auto const published = publication.publish();
    ASSERT_FALSE(published);
    EXPECT_NE(published.error().message().find("already exists"), std::string::npos);
    EXPECT_EQ(testing::text_of(folder_ / "a"), "theirs");
    EXPECT_EQ(names(), std::vector<std::string>{"a"}) << "nothing else is left";
    auto const again = AtomicFile::create(folder_ / "a");
    ASSERT_FALSE(again) << "it is refused before any work";
}

TEST_F(PublicationTest, ReplacesItOnRequest) {
    Publication publication;
    publication.set_existing(Existing::replace);
    complete("a", "ours");
    put_text(folder_ / "a", "theirs");
    ASSERT_TRUE(publication.publish());
    EXPECT_EQ(testing::text_of(folder_ / "a"), "ours");
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(PublicationTest, OfTwoWritersOneFails) {
    std::vector<StagedFile> writers;
    for (std::string const name : {".1", ".2"}) {
        put_text(folder_ / name, name);
        int const descriptor = ::open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC);
        writers.emplace_back(folder_ / "a", folder_ / "a", folder_ / name, Descriptor(descriptor));
    }
    EXPECT_TRUE(writers[0].place(Existing::keep, false));
    EXPECT_FALSE(writers[1].place(Existing::keep, false));
    writers.clear();
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
    EXPECT_EQ(testing::text_of(folder_ / "a"), ".1");
}

TEST_F(PublicationTest, FilesThatWereReplacedComeBackIfALaterOneFails) {
    put_text(folder_ / "a", "old");
    Publication publication;
    publication.set_existing(Existing::replace);
    complete("a", "new");
    complete("b", "new");
    complete("c", "new");
    std::filesystem::create_directory(folder_ / "c"); // a folder cannot be replaced by a file
    EXPECT_FALSE(publication.publish());
    EXPECT_EQ(testing::text_of(folder_ / "a"), "old");
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "c"}));
}

TEST(RenameFile, TakesNoNameThatIsTaken) {
    testing::TemporaryFolder const folder;
    put_text(folder / "from", "new");
    put_text(folder / "to", "old");
    EXPECT_EQ(rename_file(folder / "from", folder / "to", Existing::keep), EEXIST);
    EXPECT_EQ(testing::text_of(folder / "to"), "old");
    EXPECT_EQ(rename_file(folder / "from", folder / "to", Existing::replace), 0);
    EXPECT_EQ(testing::text_of(folder / "to"), "new");
    EXPECT_EQ(rename_file(folder / "to", folder / "free", Existing::keep), 0);
    EXPECT_EQ(testing::text_of(folder / "free"), "new");
}

} // namespace
} // namespace keyswap
