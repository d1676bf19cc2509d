#include "tools/report/bars.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

/// 64 keys on two GPUs, one key per column: buckets of 16 keys, 32 (spanning) and 16.
RunView small_view() {
    RunView view;
    view.header.key_count = 64;
    view.header.gpus = {0, 1};
    view.passes = {{1,
                    {{{1, 0}, 0, 16, GpuId{0}, GpuId{0}, PlacementState::placed},
                     {{1, 1}, 16, 48, GpuId{0}, GpuId{1}, PlacementState::spanning},
                     {{1, 2}, 48, 64, GpuId{1}, GpuId{1}, PlacementState::placed}}},
                   {2, {{{2, 256}, 16, 48, GpuId{0}, GpuId{1}, PlacementState::cut}}}};
    view.ownership = {{GpuId{0}, 0, 48}, {GpuId{1}, 48, 16}};
    return view;
}

std::string times(std::size_t count, std::string const& letter) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += letter;
    }
    return text;
}

TEST(Bars, DrawNothingWhereNoTerminalIs) {
    EXPECT_EQ(bar_style({false, false, "xterm", "en_US.UTF-8"}), BarStyle::none);
    EXPECT_EQ(bucket_bars(small_view(), BarStyle::none), "");
    EXPECT_EQ(balance_bars(small_view(), BarStyle::none), "");
}

TEST(Bars, ArePlainWhereTheTerminalOrNoColorAsks) {
    EXPECT_EQ(bar_style({true, false, "xterm", "en_US.UTF-8"}), BarStyle::unicode);
    EXPECT_EQ(bar_style({true, false, "xterm", "C.utf8"}), BarStyle::unicode);
    EXPECT_EQ(bar_style({true, true, "xterm", "en_US.UTF-8"}), BarStyle::ascii);
    EXPECT_EQ(bar_style({true, false, "dumb", "en_US.UTF-8"}), BarStyle::ascii);
    EXPECT_EQ(bar_style({true, false, "xterm", "C"}), BarStyle::ascii);
}

TEST(Bars, ShowOwnersAndWhatSpansByPass) {
    std::string const text = bucket_bars(small_view(), BarStyle::ascii);
    EXPECT_NE(text.find("pass 1  |" + times(16, "0") + times(32, "#") + times(16, "1") + "|\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("pass 2  |" + times(16, " ") + times(32, "#") + times(16, " ") + "|\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("borders |" + times(32, " ") + "^" + times(31, " ") + "|\n"),
              std::string::npos)
        << text;
    for (char const letter : text) {
        EXPECT_LT(static_cast<unsigned char>(letter), 0x80) << "ASCII only";
    }
    EXPECT_NE(bucket_bars(small_view(), BarStyle::unicode).find(times(32, "█")), std::string::npos);
}

TEST(Bars, ANarrowSpanningBucketKeepsAColumn) {
    RunView view = small_view();
    view.header.key_count = 64'000;
    view.passes = {{1,
                    {{{1, 0}, 0, 32'000, GpuId{0}, GpuId{0}, PlacementState::placed},
                     {{1, 1}, 32'000, 32'001, GpuId{0}, GpuId{1}, PlacementState::spanning},
                     {{1, 2}, 32'001, 64'000, GpuId{1}, GpuId{1}, PlacementState::placed}}}};
    EXPECT_NE(bucket_bars(view, BarStyle::ascii).find("0#1"), std::string::npos);
}

TEST(Bars, BalanceIsAgainstAnEvenShare) {
    // The longest bar, 48 columns, is for GPU 0's 48 keys; GPU 1's 16 keys are a third of it.
    EXPECT_EQ(balance_bars(small_view(), BarStyle::ascii),
              "GPU 0   |" + times(48, "#") + " 150.00 % of a chunk\n" + "GPU 1   |" +
                  times(16, "#") + " 50.00 % of a chunk\n");
}

TEST(Bars, PhasesLieWhereTheyBeginAndKeepAColumn) {
    EXPECT_EQ(phase_bar(0.0, 1.0, 8, BarStyle::ascii), times(8, "#"));
    EXPECT_EQ(phase_bar(0.25, 0.5, 8, BarStyle::ascii), "  ####");
    EXPECT_EQ(phase_bar(0.75, 1.0, 8, BarStyle::ascii), "      ##");
    EXPECT_EQ(phase_bar(1.0, 1e-6, 8, BarStyle::ascii), "       |");
    EXPECT_EQ(phase_bar(0.5, 0.0, 8, BarStyle::ascii), "    ");
    EXPECT_EQ(phase_bar(0.5, 0.5, 8, BarStyle::none), "");
    EXPECT_EQ(phase_bar(0.5, 0.5, 0, BarStyle::ascii), "");
}

} // namespace
} // namespace keyswap::tools
