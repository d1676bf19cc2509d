#include "kernels/primitives/merge/merge_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::kernels {
namespace {

using Keys = std::vector<int>;

std::uint64_t taken(std::uint64_t count, Keys const& first, Keys const& second) {
    return count_from_first(
        count,
        first.size(),
        second.size(),
        [&](std::uint64_t i) { return first.at(i); },
        [&](std::uint64_t i) { return second.at(i); });
}

TEST(MergePath, CutsWhereAStableMergeCuts) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Keys first(mix_bits(seed) % 9);
        Keys second(mix_bits(seed + 1000) % 9);
        for (Keys* const run : {&first, &second}) {
            for (std::size_t i = 0; i < run->size(); ++i) {
                (*run)[i] = static_cast<int>(mix_bits(seed * 64 + i + run->size()) % 5);
            }
            std::ranges::sort(*run);
        }
        // The origin of keys in std::merge: equal keys of the first run come first.
        std::uint64_t of_first = 0;
        for (std::uint64_t count = 0; count <= first.size() + second.size(); ++count) {
            ASSERT_EQ(taken(count, first, second), of_first) << "seed " << seed;
            std::uint64_t const of_second = count - of_first;
            bool const next_is_first =
                of_first < first.size() &&
                (of_second == second.size() || first[of_first] <= second[of_second]);
            of_first += next_is_first ? 1 : 0;
        }
    }
}

TEST(MergePath, AnEmptyRunGivesNothing) {
    EXPECT_EQ(taken(3, {1, 2, 3}, {}), 3U);
    EXPECT_EQ(taken(3, {}, {1, 2, 3}), 0U);
    EXPECT_EQ(taken(0, {}, {}), 0U);
}

TEST(MergePath, PairsCoverAllRunsAndTheLastMayBeAlone) {
    // 23 keys in runs of 4: 4+4, 4+4, 4+3; in runs of 8: 8+8, 7 alone; in runs of 16: 16+7.
    EXPECT_EQ(run_pair(0, 4, 23), (RunPair{0, 4, 4}));
    EXPECT_EQ(run_pair(2, 4, 23), (RunPair{16, 4, 3}));
    EXPECT_EQ(run_pair(1, 8, 23), (RunPair{16, 7, 0}));
    EXPECT_EQ(run_pair(0, 16, 23), (RunPair{0, 16, 7}));
}

} // namespace
} // namespace keyswap::kernels
