/// \file Decoding and re-encoding the repository's recorded runs reproduces their bytes.

#include "traces/format/open_bytes.hpp"
#include "traces/format/trace_line.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <sstream>
#include <string>

namespace keyswap {
namespace {

namespace fs = std::filesystem;

std::string decompressed_text(fs::path const& path) {
    auto const bytes = open_bytes(path);
    EXPECT_TRUE(bytes) << path;
    std::string text;
    std::array<char, 65'536> block{};
    while (bytes) {
        auto const count = (*bytes)->read(block);
        EXPECT_TRUE(count) << path;
        if (count.value_or(0) == 0) {
            break;
        }
        text.append(block.data(), *count);
    }
    return text;
}

/// Compares every line with its re-encoded form.
void expect_same_bytes(fs::path const& path) {
    std::istringstream lines(decompressed_text(path));
    int version = 1;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        auto const decoded = decode_line(line, version);
        ASSERT_TRUE(decoded) << path << ", line " << number << ": " << decoded.error().message();
        if (auto const* record = std::get_if<TraceRecord>(&*decoded)) {
            if (auto const* header = std::get_if<RunHeader>(record)) {
                version = header->version;
            }
        }
        ASSERT_EQ(encode_line(*decoded, version), line + '\n') << path << ", line " << number;
    }
    EXPECT_GT(number, 1U) << path;
}

TEST(RecordedBytes, AreWrittenAgainAsTheyWereRead) {
    std::size_t traces = 0;
    for (char const* const folder : {"traces/recorded", "proptests/recorded"}) {
        for (auto const& entry : fs::directory_iterator(fs::path(KEYSWAP_SOURCE_DIR) / folder)) {
            if (entry.path().filename().string().find(".trace") != std::string::npos) {
                expect_same_bytes(entry.path());
                ++traces;
            }
        }
    }
    EXPECT_GE(traces, 186U); // 181 from real machines, 5 of the reference
}

} // namespace
} // namespace keyswap
