#include "tools/text/progress.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <string>
#include <thread>
#include <vector>

namespace keyswap::tools {
namespace {

using namespace std::chrono_literals;

/// A pseudo-terminal whose output the test reads.
class Terminal {
  public:
    explicit Terminal(unsigned short columns) {
        winsize size{};
        size.ws_col = columns;
        size.ws_row = 24;
        opened_ = ::openpty(&screen_, &program_, nullptr, nullptr, &size) == 0;
    }
    ~Terminal() {
        ::close(screen_);
        ::close(program_);
    }
    Terminal(Terminal const&) = delete;
    Terminal& operator=(Terminal const&) = delete;

    [[nodiscard]] bool opened() const { return opened_; }
    [[nodiscard]] int descriptor() const { return program_; }

    /// Output within `patience`, up to and including `until` if it occurs.
    std::string read(std::string const& until, std::chrono::milliseconds patience) {
        std::string text;
        pollfd waiting{screen_, POLLIN, 0};
        while (text.find(until) == std::string::npos &&
               ::poll(&waiting, 1, static_cast<int>(patience.count())) > 0) {
            std::array<char, 4096> part{};
            auto const size = ::read(screen_, part.data(), part.size());
            if (size <= 0) {
                break;
            }
            text.append(part.data(), static_cast<std::size_t>(size));
        }
        return text;
    }
    std::string read_all() { return read("\x04 never written", 50ms); }

  private:
    int screen_ = -1;
    int program_ = -1;
    bool opened_ = false;
};

class ProgressBar : public ::testing::Test {
  protected:
    ProgressBar() {
        ::setenv("TERM", "xterm", 1);
        EXPECT_TRUE(terminal_.opened());
    }
    ProgressDisplay at_once() { return {terminal_.descriptor(), 0ms, 1ms}; }

    Terminal terminal_{60};
};

TEST_F(ProgressBar, IsDrawnOnATerminalAndErasedAtTheEnd) {
    {
        Progress progress("checking", 8, at_once());
        progress.advance(4);
        auto const text = terminal_.read("50%", 10s);
        EXPECT_NE(text.find("checking [####"), std::string::npos) << text;
        EXPECT_NE(text.find("50%"), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << "the bar does not leave its line";
    }
    auto const text = terminal_.read_all();
    EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
}

TEST_F(ProgressBar, IsNotDrawnForWorkUnderTwoSeconds) {
    {
        Progress progress("checking", 8, {.descriptor = terminal_.descriptor()});
        progress.advance(8);
    }
    EXPECT_EQ(terminal_.read_all(), "");
    EXPECT_EQ(ProgressDisplay{}.delay, 2s);
}

TEST_F(ProgressBar, IsNotDrawnOnATerminalThatCannotGoBack) {
    ::setenv("TERM", "dumb", 1);
    {
        Progress progress("checking", 8, at_once());
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_EQ(terminal_.read_all(), "");
}

TEST_F(ProgressBar, IsNotDrawnIntoAPipe) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
    {
        Progress progress("checking", 8, {ends[1], 0ms, 1ms});
        std::this_thread::sleep_for(20ms);
    }
    char letter = 0;
    EXPECT_EQ(::read(ends[0], &letter, 1), -1) << "nothing was written";
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_F(ProgressBar, LearnsTheSizeLater) {
    Progress progress("checking", 0, at_once());
    progress.advance(1);
    EXPECT_EQ(terminal_.read("checking", 10s).find('%'), std::string::npos);
    progress.set_total(4);
    EXPECT_NE(terminal_.read("25%", 10s).find("25%"), std::string::npos);
}

TEST_F(ProgressBar, CountsWhatAllThreadsDid) {
    Progress progress("checking", 4000, at_once());
    {
        constexpr int thread_count = 4;
        std::vector<std::jthread> threads;
        threads.reserve(thread_count);
        for (int i = 0; i < thread_count; ++i) {
            threads.emplace_back([&progress] {
                for (int step = 0; step < 1000; ++step) {
                    progress.advance(1);
                }
            });
        }
    }
    EXPECT_NE(terminal_.read("100%", 10s).find("100%"), std::string::npos);
}

TEST(ProgressLine, SaysHowMuchIsDoneAndHowLongTheRestTakes) {
    // A quarter took 3 s, so the rest takes 9 s; the estimate is rounded up to the second.
    EXPECT_EQ(progress_line("checking", 25, 100, 3s, 40),
              "checking [###----------]  25%  10 s left");
    EXPECT_EQ(progress_line("checking", 100, 100, 3s, 30), "checking [##############] 100%");
}

TEST(ProgressLine, SaysBytesAndTheirRate) {
    EXPECT_EQ(progress_line("sorting", 2'000'000'000, 8'000'000'000, 4s, 60, true),
              "sorting [##--------]  25%  2 GB of 8 GB, 500 MB/s  13 s left");
}

TEST(ProgressLine, SaysTheTimeThatHasPassedWhereTheSizeIsNotKnown) {
    EXPECT_EQ(progress_line("counting", 7, 0, 65s, 80), "counting  65 s");
}

TEST(ProgressLine, FitsIntoEveryWidth) {
    for (std::size_t width = 1; width < 100; ++width) {
        EXPECT_LE(progress_line("checking", 1, 3, 2500ms, width).size(), width);
    }
}

TEST(ProgressLine, StaysAtAHundredWhenMoreIsDoneThanWasExpected) {
    EXPECT_NE(progress_line("checking", 300, 100, 3s, 60).find("100%"), std::string::npos);
}

} // namespace
} // namespace keyswap::tools
