#include "traces/format/pipe_copy.hpp"

#include "traces/format/open_bytes.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace keyswap {
namespace {

/// All bytes of a source, in reads of at most `most` bytes.
std::string all_of(ByteSource& source, std::size_t most) {
    std::string text;
    std::string block(most, '\0');
    while (true) {
        auto const count = source.read(block);
        EXPECT_TRUE(count) << count.error().message();
        if (!count || *count == 0) {
            return text;
        }
        text.append(block, 0, *count);
    }
}

class PipeCopyTest : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(::pipe(ends_.data()), 0); }
    void TearDown() override {
        ::close(ends_[0]);
        forget_pipes();
    }
    /// The path that a shell gives to a process substitution.
    [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }
    void fill(std::string const& text) {
        ASSERT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
        ::close(ends_[1]);
    }
    [[nodiscard]] std::unique_ptr<ByteSource> open() const {
        auto source = open_raw_bytes(path());
        EXPECT_TRUE(source) << source.error().message();
        return source ? std::move(*source) : nullptr;
    }

    std::array<int, 2> ends_{};
};

TEST_F(PipeCopyTest, GivesTheSameBytesEachTime) {
    fill("three keys");
    EXPECT_EQ(all_of(*open(), 4), "three keys");
    EXPECT_EQ(all_of(*open(), 100), "three keys");
    EXPECT_EQ(all_of(*open(), 1), "three keys");
}

TEST_F(PipeCopyTest, AReaderThatStoppedEarlyTakesNothingFromTheNext) {
    fill("three keys");
    {
        auto const first = open();
        std::string block(5, '\0');
        ASSERT_EQ(*first->read(block), 5U);
    }
    EXPECT_EQ(all_of(*open(), 3), "three keys");
}

TEST_F(PipeCopyTest, TwoReadersInTurnBothGetAll) {
    fill("0123456789");
    auto const one = open();
    auto const two = open();
    std::array<std::string, 2> texts;
    std::string block(3, '\0');
    for (bool more = true; more;) {
        more = false;
        for (std::size_t const i : {0U, 1U}) {
            auto const count = *(i == 0 ? one : two)->read(block);
            texts.at(i).append(block, 0, count);
            more = more || count > 0;
        }
    }
    EXPECT_EQ(texts[0], "0123456789");
    EXPECT_EQ(texts[1], "0123456789");
}

TEST_F(PipeCopyTest, OtherPipesAreOtherBytes) {
    fill("first");
    EXPECT_EQ(all_of(*open(), 9), "first");
    std::array<int, 2> other{};
    ASSERT_EQ(::pipe(other.data()), 0);
    ASSERT_EQ(::write(other[1], "second", 6), 6);
    ::close(other[1]);
    auto source = open_raw_bytes("/dev/fd/" + std::to_string(other[0]));
    ASSERT_TRUE(source);
    EXPECT_EQ(all_of(**source, 9), "second");
    ::close(other[0]);
}

TEST(PipeCopy, ANamedPipeIsOneToo) {
    testing::TemporaryFolder const folder;
    auto const path = folder / "fifo";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::jthread const writer([&path] { testing::put_text(path, "written once"); });
    for (int i = 0; i < 2; ++i) {
        auto source = open_raw_bytes(path);
        ASSERT_TRUE(source) << source.error().message();
        EXPECT_EQ(all_of(**source, 5), "written once");
    }
    forget_pipes();
}

} // namespace
} // namespace keyswap
