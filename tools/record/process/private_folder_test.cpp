#include "tools/record/process/private_folder.hpp"

#include "traces/testing/temporary_folder.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <utility>

namespace keyswap::conformance {
namespace {

namespace fs = std::filesystem;
using testing::put_text;
using testing::TemporaryFolder;

std::ptrdiff_t open_descriptors() {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

TEST(PrivateFolder, GoesWithAllThatIsInItAndTheParentThatWasMadeForIt) {
    TemporaryFolder const folder;
    {
        auto const made = PrivateFolder::make(folder / "new");
        ASSERT_TRUE(made.has_value());
        fs::create_directories(made->path() / "a/b");
        put_text(made->path() / "a/b/c", "text");
        fs::permissions(made->path() / "a/b", fs::perms::owner_read);
        fs::permissions(made->path() / "a", fs::perms::none);
    }
    EXPECT_TRUE(folder.files().empty());
}

TEST(PrivateFolder, LeavesAParentThatWasThereOrHoldsSomethingElse) {
    TemporaryFolder const folder;
    fs::create_directory(folder / "old");
    ASSERT_TRUE(PrivateFolder::make(folder / "old").has_value());
    EXPECT_TRUE(fs::is_empty(folder / "old"));
    {
        auto const made = PrivateFolder::make(folder / "new");
        ASSERT_TRUE(made.has_value());
        put_text(folder / "new" / "mine", "");
    }
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"new", "old"}));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "new"), fs::directory_iterator()), 1);
}

TEST(PrivateFolder, StaysWhereItIsKeptAndBelongsToOneAlone) {
    TemporaryFolder const folder;
    fs::path kept;
    {
        auto first = PrivateFolder::make(folder.path());
        auto second = PrivateFolder::make(folder.path());
        ASSERT_TRUE(first.has_value() && second.has_value());
        EXPECT_NE(first->path(), second->path());
        PrivateFolder moved = std::move(*first);
        moved.keep();
        kept = moved.path();
    }
    EXPECT_TRUE(fs::is_directory(kept));
    EXPECT_EQ(folder.files().size(), 1U);
}

TEST(UnquotedPath, NamesTheFolderWithoutCharactersThatShellsRead) {
    TemporaryFolder const folder;
    for (std::string const name : {"plain-1_Z.a", "o'brien", "a b", "$(x)", "\n", "{input}", "é"}) {
        fs::path const path = folder / name;
        fs::create_directory(path);
        put_text(path / "file", name);
        fs::path link_folder;
        {
            auto const plain = UnquotedPath::of(path);
            ASSERT_TRUE(plain.has_value());
            EXPECT_EQ(plain->path().string().find_first_not_of(
                          "/._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                      std::string::npos);
            EXPECT_EQ(testing::text_of(plain->path() / "file"), name);
            link_folder = plain->link_folder();
            EXPECT_EQ(link_folder.empty(), name.starts_with("plain"));
        }
        EXPECT_TRUE(link_folder.empty() || !fs::exists(link_folder));
        EXPECT_TRUE(fs::exists(path / "file"));
    }
}

TEST(RegularFiles, ComeBackAsTheyWereWrittenAndAreNeverWrittenOver) {
    TemporaryFolder const folder;
    std::vector<std::byte> bytes;
    for (std::size_t const size : {0U, 1U, 5000U, 1'000'000U}) {
        for (std::size_t i = bytes.size(); i < size; ++i) {
            bytes.push_back(static_cast<std::byte>(i * 7));
        }
        fs::path const path = folder / std::to_string(size);
        ASSERT_TRUE(write_new_file(path, bytes).has_value());
        EXPECT_EQ(regular_file_size(path).value(), size);
        EXPECT_EQ(read_regular_file(path, size).value(), bytes);
        auto const again = write_new_file(path, bytes);
        ASSERT_FALSE(again.has_value());
        EXPECT_EQ(again.error().problem, "cannot be made: File exists");
        auto const longer = read_regular_file(path, size + 1);
        ASSERT_FALSE(longer.has_value());
        EXPECT_EQ(longer.error().problem, "cannot be read whole: Input/output error");
    }
}

TEST(RegularFiles, AreNoLinksPipesFoldersOrDevices) {
    TemporaryFolder const folder;
    put_text(folder / "file", "text");
    fs::create_symlink(folder / "file", folder / "link");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    for (fs::path const& path :
         {folder / "link", folder / "pipe", folder.path(), fs::path("/dev/null")}) {
        EXPECT_EQ(regular_file_size(path).error().problem, "is not a regular file") << path;
        EXPECT_EQ(read_regular_file(path, 4).error().problem, "is not a regular file") << path;
    }
    EXPECT_EQ(regular_file_size(folder / "none").error().problem, "was not written");
}

TEST(RegularFiles, AreClosedWhetherTheyCouldBeReadOrNot) {
    TemporaryFolder const folder;
    put_text(folder / "file", "text");
    std::ptrdiff_t const before = open_descriptors();
    for (fs::path const& path : {folder / "file", folder.path(), folder / "none"}) {
        static_cast<void>(regular_file_size(path));
        static_cast<void>(read_regular_file(path, 4));
        static_cast<void>(read_regular_file(path, 9));
        static_cast<void>(write_new_file(path, {}));
    }
    static_cast<void>(write_new_file(folder / "new", {}));
    EXPECT_EQ(open_descriptors(), before);
}

} // namespace
} // namespace keyswap::conformance
