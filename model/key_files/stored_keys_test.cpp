#include "model/key_files/stored_keys.hpp"

#include "model/key_files/stored_source.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::KeyFolder;
using Keys = std::vector<std::uint32_t>;

KeyFileOptions raw_u32() {
    KeyFileOptions options;
    options.key_type = KeyType::u32;
    return options;
}

Expected<Keys> read(StoredKeys const& stored, std::uint64_t first, std::size_t count) {
    Keys keys(count);
    auto const done = stored.read(first, std::as_writable_bytes(std::span(keys)));
    return done ? Expected<Keys>(keys) : tl::unexpected(done.error());
}

std::string problem_of(std::vector<std::filesystem::path> const& paths) {
    auto const stored = StoredKeys::open(paths, raw_u32());
    return stored ? "" : stored.error().message();
}

TEST(StoredKeys, OfSeveralFilesAndFormatsAreOneArray) {
    KeyFolder const folder;
    std::vector<std::filesystem::path> const paths{folder.put("a.raw", Keys{1, 2, 3}),
                                                   folder.put("b.raw", Keys{}),
                                                   folder.put("c.csv", std::string("4\n5\n"))};
    auto const stored = StoredKeys::open(paths, raw_u32());
    ASSERT_TRUE(stored) << stored.error().message();
    EXPECT_EQ(stored->key_count(), 5U);
    EXPECT_EQ(stored->file_begins(), (std::vector<std::uint64_t>{0, 3, 3}));
    EXPECT_EQ(read(*stored, 0, 5).value(), (Keys{1, 2, 3, 4, 5}));
    EXPECT_EQ(read(*stored, 2, 2).value(), (Keys{3, 4}));
    EXPECT_EQ(read(*stored, 4, 1).value(), (Keys{5}));
}

TEST(StoredKeys, NameTheFileThatCannotBeUsed) {
    KeyFolder const folder;
    auto const good = folder.put("good.raw", Keys{1, 2});
    EXPECT_NE(problem_of({good, folder / "missing.raw"}).find("missing.raw"), std::string::npos);
    auto const odd = folder.put("odd.raw", std::string("12345"));
    EXPECT_NE(problem_of({good, odd}).find("odd.raw"), std::string::npos);
    auto const text = folder.put("text.csv", std::string("1\nx\n"));
    EXPECT_NE(problem_of({good, text}).find("text.csv"), std::string::npos);
    EXPECT_EQ(problem_of({good, good}), "");
}

TEST(StoredKeys, RefuseFilesOfTwoTypes) {
    KeyFolder const folder;
    std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }";
    header.resize(117, ' ');
    header += '\n';
    std::string const npy =
        std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header + "abcd";
    auto const signed_keys = folder.put("signed.npy", npy);
    KeyFileOptions options;
    auto const alone = StoredKeys::open(signed_keys, options);
    ASSERT_TRUE(alone) << alone.error().message();
    EXPECT_EQ(alone->key_type(), KeyType::i32);
    EXPECT_EQ(read(*alone, 0, 1).value(), (Keys{0x64636261}));
    auto const both = problem_of({folder.put("good.raw", Keys{1}), signed_keys});
    EXPECT_NE(both.find("signed.npy"), std::string::npos) << both;
}

TEST(StoredKeys, NoticeThatAFileBecameShorter) {
    KeyFolder const folder;
    auto const path = folder.put("keys.raw", Keys{1, 2, 3, 4});
    auto const stored = StoredKeys::open(path, raw_u32());
    ASSERT_TRUE(stored);
    std::filesystem::resize_file(path, 8);
    EXPECT_EQ(read(*stored, 0, 2).value(), (Keys{1, 2}));
    auto const rest = read(*stored, 0, 4);
    ASSERT_FALSE(rest);
    EXPECT_NE(rest.error().message().find("became shorter"), std::string::npos);
}

/// Keys 1 to 4 on one GPU, counted by their first digit.
std::vector<BucketHistogram> count(StoredSource& source) {
    BucketPrefix const all{};
    return source.histograms(Chunks(4, 1), DigitLayout(32, 8), std::span(&all, 1));
}

TEST(StoredKeys, NoticeThatAFileWasWrittenAgain) {
    KeyFolder const folder;
    auto const path = folder.put("keys.raw", Keys{1, 2, 3, 4});
    std::vector<std::filesystem::path> const paths{folder.put("other.raw", Keys{}), path};
    auto stored = StoredKeys::open(paths, raw_u32());
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->unchanged());
    StoredSource source(std::move(*stored), Direction::ascending, ZeroOrder::total, {});
    EXPECT_EQ(count(source).size(), 1U);
    folder.put("keys.raw", Keys{5, 6, 7, 8});
    std::filesystem::last_write_time(
        path, std::filesystem::last_write_time(path) + std::chrono::hours(1));
    auto const counted =
        plan_stored_keys([&] { return Expected<std::size_t>(count(source).size()); });
    ASSERT_FALSE(counted);
    EXPECT_NE(counted.error().message().find("keys.raw: changed while it was being read"),
              std::string::npos)
        << counted.error().message();
}

TEST(StoredSource, RefusesCountsOfKeysThatCannotBeRead) {
    KeyFolder const folder;
    auto const path = folder.put("keys.raw", Keys{1, 2, 3, 4});
    StoredSource source(
        StoredKeys::open(path, raw_u32()).value(), Direction::ascending, ZeroOrder::total, {});
    std::filesystem::resize_file(path, 8);
    EXPECT_THROW((void)count(source), UnreadableKeys);
    std::uint64_t const last = 3;
    EXPECT_THROW((void)source.images_at(std::span(&last, 1)), UnreadableKeys);
}

} // namespace
} // namespace keyswap::model
