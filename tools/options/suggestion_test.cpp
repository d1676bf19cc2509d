#include "tools/options/suggestion.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

TEST(Suggestion, EqualWordsHaveDistanceZero) {
    EXPECT_EQ(edit_distance("sort", "sort"), 0);
}

TEST(Suggestion, EachKindOfSlipCountsOnce) {
    EXPECT_EQ(edit_distance("sort", "sorts"), 1); // one letter more
    EXPECT_EQ(edit_distance("sort", "srt"), 1);   // one letter less
    EXPECT_EQ(edit_distance("sort", "sork"), 1);  // another letter
    EXPECT_EQ(edit_distance("sort", "sotr"), 1);  // two neighbours swapped
}

TEST(Suggestion, AgainstAnEmptyWordEveryLetterCounts) {
    EXPECT_EQ(edit_distance("", "check"), 5);
    EXPECT_EQ(edit_distance("check", ""), 5);
}

TEST(Suggestion, TheNearestKnownWordIsSuggested) {
    EXPECT_EQ(nearest_word("--inptu", {"--output", "--input", "--gpus"}), "--input");
}

TEST(Suggestion, AWordUnlikeAllKnownOnesGetsNoSuggestion) {
    EXPECT_EQ(nearest_word("verify", {"sort", "plan", "check"}), std::nullopt);
}

} // namespace
} // namespace keyswap::tools
