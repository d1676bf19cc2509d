#include "kernels/exchange_plan/segment_levels.hpp"

#include "kernels/exchange_plan/fast_tuning.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace keyswap::kernels {
namespace {

constexpr ElementShape u32{4, 0};
constexpr ElementShape u64{8, 0};
constexpr std::uint32_t leaf = 4096;
constexpr std::uint64_t plenty = std::uint64_t{1} << 28;

TEST(LevelDigits, TwoDigitsLeaveDenseKeysToBeCountedUnlessAChildIsTooLarge) {
    LevelDigits digits(u32, leaf, {LevelMethod::digits, true});
    EXPECT_EQ(digits.bits_of(0, plenty, 32), 8);
    EXPECT_EQ(digits.bits_of(1, plenty >> 8, 24), 9);
    digits.check_child_size(std::uint64_t{narrow_stretch_keys} << 9);
    EXPECT_TRUE(digits.is_dense());
    digits.check_child_size((std::uint64_t{narrow_stretch_keys} + 1) << 9);
    EXPECT_FALSE(digits.is_dense());
    EXPECT_EQ(digits.bits_of(1, 5000, 24), 1); // 5,000 keys make two leaves
}

TEST(LevelDigits, CountsValuesOf32BitKeysAloneOnceFifteenBitsAreLeft) {
    LevelDigits const keys(u32, leaf, {LevelMethod::digits, false});
    EXPECT_TRUE(keys.is_counted(leaf + 1, counting_bits));
    EXPECT_FALSE(keys.is_counted(leaf + 1, counting_bits + 1));
    EXPECT_FALSE(keys.is_counted(leaf, counting_bits));
    EXPECT_FALSE(LevelDigits(u64, leaf, {LevelMethod::digits, false}).is_counted(plenty, 1));
    EXPECT_FALSE(LevelDigits(u32, leaf, {LevelMethod::splitters, false}).is_counted(plenty, 1));
}

TEST(LevelDigits, KeysThatCrowdTakeAWideDigitOrWhatIsLeftUntilTheyAreCounted) {
    LevelDigits const digits(u32, leaf, {LevelMethod::digits, false});
    EXPECT_EQ(digits.bits_of(0, leaf * 20, 32), bits_of_level(leaf * 20, leaf));
    EXPECT_EQ(digits.bits_of(0, leaf * 20, 17), 5); // more than the two uncounted bits
    EXPECT_EQ(digits.bits_of(0, plenty, 26), 9);
    EXPECT_EQ(digits.bits_of(0, plenty, 4), 4);
}

TEST(LevelDigits, TheFirstDigitOfCrowdedKeysLetsTwoLevelsReachWhatIsCounted) {
    LevelDigits const digits(u32, leaf, {.method = LevelMethod::digits, .crowded = true});
    std::uint64_t const few = plenty >> 4;
    EXPECT_LT(bits_of_level(few, leaf), 8);
    EXPECT_EQ(digits.bits_of(0, few, 32), 8);
    EXPECT_EQ(digits.bits_of(1, few, 24), 9);
    EXPECT_EQ(digits.bits_of(1, leaf * 2, 24), bits_of_level(leaf * 2, leaf));
}

TEST(LevelDigits, TheFirstDigitOfWhatArrivedLeavesItCountedOrBringsItTogether) {
    LevelDigits const digits(u32, leaf, {LevelMethod::digits, false});
    EXPECT_EQ(digits.bits_of_arrived(plenty, 24), 9);
    EXPECT_EQ(digits.bits_of_arrived(10, 16), 1);
    EXPECT_EQ(digits.bits_of_arrived(leaf, 32), 1);
    EXPECT_EQ(digits.bits_of_arrived(plenty, 32), digits.bits_of(0, plenty, 32));
}

/// Records the bits for which the choice asks for the fullest stretch, and the answer.
struct Choice {
    std::vector<int> asked;
    std::optional<LocalLevels> levels;
};
Choice choice_of(ElementShape shape, Stability ties, std::uint64_t count, std::uint64_t fullest) {
    Choice choice;
    choice.levels =
        single_gpu_levels(*find_digit_row(shape, ties), count, leaf, FastTuning{}, [&](int bits) {
            choice.asked.push_back(bits);
            return fullest;
        });
    return choice;
}

TEST(SingleGpuLevels, FewKeysAndTooManyAreLeftToCubUnasked) {
    EXPECT_FALSE(choice_of(u64, Stability::unstable, 1000, 0).levels);
    EXPECT_FALSE(choice_of(u64, Stability::unstable, std::uint64_t{1} << 32, 0).levels);
    EXPECT_TRUE(choice_of(u64, Stability::unstable, 1000, 0).asked.empty());
}

TEST(SingleGpuLevels, CrowdedKeysTakeSplittersOrCubByTheRow) {
    EXPECT_EQ(choice_of(u64, Stability::unstable, plenty, 0).levels->method, LevelMethod::digits);
    EXPECT_EQ(choice_of(u64, Stability::unstable, plenty, 8 * leaf).levels->method,
              LevelMethod::digits);
    EXPECT_EQ(choice_of(u64, Stability::unstable, plenty, 8 * leaf + 1).levels->method,
              LevelMethod::splitters);
    EXPECT_FALSE(choice_of({8, 8}, Stability::stable, plenty, 8 * leaf + 1).levels);
    EXPECT_EQ(choice_of(u64, Stability::unstable, plenty, 0).asked,
              std::vector<int>{64 - bits_to_leaves(plenty, leaf)});
}

TEST(SingleGpuLevels, CubSortsPairsOf32BitKeysThatNeedAnotherLevel) {
    auto const levels_if = [](ElementShape shape, std::uint64_t first_child) {
        return single_gpu_levels(
                   *find_digit_row(shape, Stability::stable),
                   plenty,
                   leaf,
                   FastTuning{},
                   [&](int bits) { return bits == shape.key_bytes * 8 - 8 ? first_child : 0; })
            .has_value();
    };
    EXPECT_TRUE(levels_if({4, 4}, plenty / crowded_child_part));
    EXPECT_FALSE(levels_if({4, 4}, plenty / crowded_child_part + 1));
    EXPECT_TRUE(levels_if({8, 8}, plenty / 2)); // CUB's passes take longer than a level
}

TEST(SingleGpuLevels, DenseKeysOf32BitsAreCountedUnlessAStretchHasTooMany) {
    std::uint64_t const dense = std::uint64_t{5120} << 17;
    EXPECT_TRUE(choice_of(u32, Stability::unstable, dense, counted_keys_max).levels->dense);
    EXPECT_FALSE(choice_of(u32, Stability::unstable, dense, counted_keys_max + 1).levels->dense);
}

TEST(SingleGpuLevels, OneReadingCountsForTwoLevelsUnlessKeysCrowd) {
    std::uint64_t const dense = std::uint64_t{5120} << 17;
    for (std::uint64_t const count : {plenty, dense}) {
        EXPECT_TRUE(choice_of(u32, Stability::unstable, count, 8 * leaf).levels->counts_ahead);
    }
    Choice const crowded = choice_of(u32, Stability::unstable, plenty, 8 * leaf + 1);
    EXPECT_EQ(crowded.levels->method, LevelMethod::digits);
    EXPECT_TRUE(crowded.levels->crowded);
    EXPECT_FALSE(crowded.levels->counts_ahead);
    EXPECT_TRUE(choice_of(u64, Stability::unstable, plenty, 8 * leaf).levels->counts_ahead);
    EXPECT_FALSE(choice_of(u32, Stability::unstable, plenty / 2 - 1, 0).levels->counts_ahead);
}

} // namespace
} // namespace keyswap::kernels
