#include "traces/format/open_bytes.hpp"

#include "traces/errors/input_limits.hpp"
#include "traces/errors/try.hpp"

#include "traces/format/byte_sink.hpp"
#include "traces/format/trace_names.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace keyswap {
namespace {

Expected<std::string> all_of(Expected<std::unique_ptr<ByteSource>> source) {
    if (!source) {
        return tl::unexpected(source.error());
    }
    std::string text;
    char block[7]; // shorter than the content
    while (true) {
        KEYSWAP_TRY(auto const count, (*source)->read(block));
        if (count == 0) {
            return text;
        }
        text.append(block, count);
    }
}

/// Writes a text to a file with the extension `ending` and returns the bytes of the file.
std::string compressed(std::string const& text, std::string const& ending) {
    auto const path = std::filesystem::temp_directory_path() /
                      ("keyswap-bytes-" + std::to_string(::getpid()) + ending);
    auto sink = create_bytes(path);
    EXPECT_TRUE(sink && (*sink)->write(text) && (*sink)->finish());
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::filesystem::remove(path);
    return bytes;
}

TEST(ByteSources, ReadCompressedPiecesInARowAsOneText) {
    for (std::string const ending : {".gz", ".zst"}) {
        std::string const two = compressed("first text, ", ending) + compressed("second", ending);
        EXPECT_EQ(all_of(decompressed(bytes_of(two), "two")).value(), "first text, second");
    }
}

TEST(ByteSources, NoticeCompressedBytesThatEndTooSoon) {
    for (std::string const ending : {".gz", ".zst"}) {
        std::string const whole = compressed("some text that is cut off", ending);
        auto const text =
            all_of(decompressed(bytes_of(whole.substr(0, whole.size() - 6)), "cut.trace"));
        ASSERT_FALSE(text) << ending;
        EXPECT_NE(text.error().message().find("cut.trace"), std::string::npos);
    }
}

TEST(ByteSources, PassOverZerosAfterGzip) {
    std::string const member = compressed("some text", ".gz");
    std::string const zeros(70'000, '\0');
    EXPECT_EQ(all_of(decompressed(bytes_of(member + zeros), "a")).value(), "some text");
    EXPECT_EQ(all_of(decompressed(bytes_of(member + zeros + member), "a")).value(),
              "some textsome text");
}

TEST(ByteSources, RefuseBytesAfterCompressedOnes) {
    for (std::string const ending : {".gz", ".zst"}) {
        std::string const whole = compressed("some text", ending);
        auto const text = all_of(decompressed(bytes_of(whole + "rubbish after it"), "a"));
        ASSERT_FALSE(text) << ending;
        EXPECT_NE(text.error().message().find("has bytes after its"), std::string::npos)
            << text.error().message();
    }
}

TEST(ByteSources, PassOverSkippableFrames) {
    using namespace std::string_literals;
    std::string const frame = "\x5a\x2a\x4d\x18\x02\0\0\0ab"s;
    std::string const zstd = compressed("some text", ".zst");
    EXPECT_EQ(all_of(decompressed(bytes_of(frame + zstd + frame + zstd + frame), "a")).value(),
              "some textsome text");
    EXPECT_EQ(compression_of(frame), Compression::none);
    EXPECT_EQ(compression_of(frame, Compression::zstd), Compression::zstd);
    EXPECT_EQ(compression_of(frame + zstd), Compression::zstd);
}

TEST(ByteSources, RefuseAFolder) {
    auto const folder = open_bytes(std::filesystem::temp_directory_path());
    ASSERT_FALSE(folder);
    EXPECT_NE(folder.error().message().find("is a folder"), std::string::npos);
}

TEST(TraceNames, UnknownOnesAreRefusedWithTheKnownOnes) {
    auto const state = parse_placement_state("lost");
    ASSERT_FALSE(state);
    EXPECT_NE(state.error().message().find("spanning"), std::string::npos);
    EXPECT_FALSE(parse_digest_stage("before_breakfast", 2));
}

TEST(TraceNames, AStageOfVersion2IsUnknownInVersion1) {
    EXPECT_EQ(parse_digest_stage("after_step", 2).value(), DigestStage::after_step);
    auto const refused = parse_digest_stage("after_step", 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().remedy,
              "did you mean 'after_swap'? Known: before_swap, after_swap, after_sort");
}

TEST(ByteSource, IsPeekedIntoWithoutLosingItsBeginning) {
    for (std::size_t const size : {std::size_t{0}, std::size_t{3}, std::size_t{99}}) {
        auto peeked = peek_bytes(bytes_of("abcdef"), size);
        ASSERT_TRUE(peeked.has_value());
        EXPECT_EQ(peeked->beginning, std::string("abcdef").substr(0, size));
        EXPECT_EQ(read_text(*peeked->all, "a").value(), "abcdef");
    }
}

TEST(ByteSources, WaitForTheWriterOfAPipeAndNoLongerThanTheyMay) {
    auto const path =
        std::filesystem::temp_directory_path() / ("keyswap-pipe-" + std::to_string(::getpid()));
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    ASSERT_TRUE(set_limit(Limit::wait, 0).has_value());
    auto const alone = open_raw_bytes(path);
    ASSERT_FALSE(alone.has_value());
    EXPECT_EQ(alone.error().problem, "is a pipe that no process has written to for 0 s");

    int const writer = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::write(writer, "seven", 5), 5);
    auto pipe = open_raw_bytes(path);
    ::close(writer);
    EXPECT_EQ(all_of(std::move(pipe)).value(), "seven");
    reset_limits();
    std::filesystem::remove(path);
}

TEST(ByteSource, RefusesATextThatIsLargerThanItMayBe) {
    auto const text = [](std::uint64_t memory_bytes) {
        EXPECT_TRUE(set_limit(Limit::memory, memory_bytes).has_value());
        auto read = read_text(*bytes_of(std::string(100, 'x')), "a.csv");
        reset_limits();
        return read;
    };
    EXPECT_EQ(text(1600).value().size(), 100U);
    auto const refused = text(1599);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().message().find("a.csv: has more than 99 bytes of text"),
              std::string::npos);
    EXPECT_NE(refused.error().remedy.find("--memory-limit"), std::string::npos);
}

} // namespace
} // namespace keyswap
