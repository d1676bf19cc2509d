#include "traces/errors/known_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace keyswap {
namespace {

TEST(KnownNames, EqualWordsHaveDistanceZero) {
    EXPECT_EQ(edit_distance("sort", "sort"), 0);
}

TEST(KnownNames, EachKindOfSlipCountsOnce) {
    EXPECT_EQ(edit_distance("sort", "sorts"), 1); // insertion
    EXPECT_EQ(edit_distance("sort", "srt"), 1);   // deletion
    EXPECT_EQ(edit_distance("sort", "sork"), 1);  // substitution
    EXPECT_EQ(edit_distance("sort", "sotr"), 1);  // transposition
}

TEST(KnownNames, AgainstAnEmptyWordEveryLetterCounts) {
    EXPECT_EQ(edit_distance("", "check"), 5);
    EXPECT_EQ(edit_distance("check", ""), 5);
}

TEST(KnownNames, TheNearestKnownWordIsSuggested) {
    std::vector<std::string> const options{"--output", "--input", "--gpus"};
    EXPECT_EQ(nearest_word("--inptu", options), "--input");
}

TEST(KnownNames, CaseIsIgnoredAndABeginningOrAPartIsEnough) {
    std::vector<std::string> const platforms{"ac922", "dgx-a100", "gb200-nvl72"};
    EXPECT_EQ(nearest_word("DGX-A100", platforms), "dgx-a100");
    EXPECT_EQ(nearest_word("gb200", platforms), "gb200-nvl72");
    EXPECT_EQ(nearest_word("NVL72", platforms), "gb200-nvl72");
    EXPECT_EQ(nearest_word("my-ac922-server", platforms), "ac922");
    std::vector<std::string> const orders{"ascending", "descending"};
    EXPECT_EQ(nearest_word("desc", orders), "descending");
    EXPECT_EQ(nearest_word("d", orders), std::nullopt);
}

TEST(KnownNames, AWordUnlikeAllKnownOnesGetsNoSuggestion) {
    std::vector<std::string> const commands{"sort", "plan", "check"};
    EXPECT_EQ(nearest_word("verify", commands), std::nullopt);
}

TEST(KnownNames, AnErrorNamesTheOneThatWasMeantAndAll) {
    KnownNames known;
    known.add("uniform");
    known.add("normal");
    EXPECT_EQ(known.not_known("distribution", "unifrom").value().message(),
              "distribution: 'unifrom' is not known (did you mean 'uniform'? Known: uniform, "
              "normal)");
    EXPECT_EQ(known.not_known("distribution", "primes").value().message(),
              "distribution: 'primes' is not known (known: uniform, normal)");
    EXPECT_EQ(known.remedy("norml", "choose one of ", " or a file"),
              "did you mean 'normal'? Choose one of uniform, normal or a file");
}

TEST(KnownNames, OfNothingNothingIsMeant) {
    EXPECT_EQ(KnownNames().list(), "");
    EXPECT_EQ(KnownNames().remedy("a"), "known: ");
}

} // namespace
} // namespace keyswap
