// Commands that read standard input in place of a file.

#include "tools/options/standard_input.hpp"
#include "tools/testing/output_cases.hpp"
#include "traces/format/byte_sink.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace keyswap::tools {
namespace {

/// Makes standard input a pipe that delivers a text.
class StandardInputFrom {
  public:
    explicit StandardInputFrom(std::string const& text) : saved_(::dup(STDIN_FILENO)) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
        ::close(ends[1]);
        ::dup2(ends[0], STDIN_FILENO);
        ::close(ends[0]);
    }
    StandardInputFrom(StandardInputFrom const&) = delete;
    StandardInputFrom& operator=(StandardInputFrom const&) = delete;
    ~StandardInputFrom() {
        ::dup2(saved_, STDIN_FILENO);
        ::close(saved_);
    }

  private:
    int saved_ = -1;
};

TEST_F(CommandOutputs, ADashIsStandardInput) {
    for (auto const& [name, words] : std::vector<std::pair<std::string, Words>>{
             {"keys.csv", {"sort", "-", "--format", "csv", "--type", "u32", "--gpu-count", "2"}},
             {"keys.csv", {"plan", "-", "--format", "csv", "--type", "u32", "--gpu-count", "2"}},
             {"sorted.csv", {"check", path("keys.csv"), "-", "--format", "csv", "--type", "u32"}},
             {"run.trace", {"verify", "-"}},
             {"runs.csv", {"validate", "-", "--platform", "dgx-a100"}},
             {"topo.txt", {"topology", "import", "-", "--gpu", "A100"}},
             {"run.trace", {"report", "-", "--matrix", "-"}}}) {
        StandardInputFrom const piped(text(name));
        auto const outcome = run_program(words);
        EXPECT_EQ(outcome.code, ExitCode::fine) << words[0] << outcome.errors;
    }
    StandardInputFrom const piped("no trace\n");
    auto const outcome = run_line("verify -");
    EXPECT_EQ(outcome.code, ExitCode::could_not_run);
    EXPECT_NE(outcome.errors.find("standard input"), std::string::npos) << outcome.errors;
}

TEST_F(CommandOutputs, CompressedKeysComeThroughStandardInputToo) {
    for (std::string const ending : {".gz", ".zst"}) {
        auto sink = create_bytes(path("sorted" + ending));
        ASSERT_TRUE(sink && (*sink)->write(text("sorted.csv")) && (*sink)->finish());
        StandardInputFrom const piped(text("sorted" + ending));
        auto const outcome = run_line("check @keys.csv - --format csv --type u32");
        EXPECT_EQ(outcome.code, ExitCode::fine) << ending << outcome.errors;
        EXPECT_TRUE(outcome.output.starts_with("check: standard input against ")) << outcome.output;
    }
}

/// Used twice, it would be compared with itself; closed, it would look like an empty file.
TEST_F(CommandOutputs, StandardInputIsOneFileAndHasToBeThere) {
    StandardInputFrom const piped(text("sorted.csv"));
    auto const twice = run_line("check - - --format csv --type u32");
    EXPECT_EQ(twice.code, ExitCode::could_not_run);
    EXPECT_NE(twice.errors.find("'-': is named 2 times, but standard input can be read only once"),
              std::string::npos)
        << twice.errors;
    // Tests the function alone: in this process, the output would get descriptor 0.
    ::close(STDIN_FILENO);
    forget_standard_input();
    auto const closed = readable_path("-");
    ASSERT_FALSE(closed.has_value());
    EXPECT_EQ(closed.error().subject + " " + closed.error().problem, "standard input is closed");
}

} // namespace
} // namespace keyswap::tools
