#include "traces/records/phase.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace keyswap {
namespace {

TEST(Phase, IsFoundByItsText) {
    for (Phase const phase : phases()) {
        EXPECT_EQ(phase_of(to_string(phase)), phase) << to_string(phase);
    }
}

TEST(Phase, EveryTextIsAnother) {
    std::set<std::string_view> texts;
    for (Phase const phase : phases()) {
        EXPECT_TRUE(texts.insert(to_string(phase)).second) << to_string(phase);
    }
    EXPECT_EQ(texts.size(), static_cast<std::size_t>(Phase::cpu_sort) + 1) << "of the last phase";
}

TEST(Phase, WordsOfOtherSortsAreNone) {
    EXPECT_EQ(phase_of("splitter search"), std::nullopt);
    EXPECT_EQ(phase_of(""), std::nullopt);
    EXPECT_EQ(phase_of("Key swap"), std::nullopt);
}

TEST(PhaseName, KeepsTheWordsOfOtherSorts) {
    PhaseName const own = PhaseName::of("splitter search");
    EXPECT_EQ(own.phase(), std::nullopt);
    EXPECT_EQ(own.text(), "splitter search");
    EXPECT_EQ(PhaseName().text(), "");
}

TEST(PhaseName, OfAPhasesTextIsThatPhase) {
    for (Phase const phase : phases()) {
        EXPECT_EQ(PhaseName::of(std::string(to_string(phase))), PhaseName(phase));
        EXPECT_EQ(PhaseName(phase).text(), to_string(phase));
    }
}

} // namespace
} // namespace keyswap
