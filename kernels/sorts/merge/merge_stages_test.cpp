#include "kernels/sorts/merge/merge_stages.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

/// P2P sort of small arrays on the CPU, with the stages and swaps under test.
std::vector<std::vector<int>> sorted_by_stages(std::vector<std::vector<int>> chunks) {
    std::vector<std::uint64_t> counts;
    for (auto& chunk : chunks) {
        std::ranges::sort(chunk);
        counts.push_back(chunk.size());
    }
    for (auto const& stage : merge_stages(static_cast<std::uint32_t>(chunks.size()))) {
        for (GroupMerge const& merge : stage) {
            std::vector<int> left;
            std::vector<int> right;
            for (std::uint32_t gpu = merge.first; gpu < merge.last; ++gpu) {
                auto& side = gpu < merge.middle ? left : right;
                side.insert(side.end(), chunks[gpu].begin(), chunks[gpu].end());
            }
            std::uint64_t count = 0;
            while (count < std::min(left.size(), right.size()) &&
                   left[left.size() - count - 1] > right[count]) {
                ++count;
            }
            for (ChunkSwap const& swap : chunk_swaps(merge, counts, count)) {
                for (std::uint64_t i = 0; i < swap.count; ++i) {
                    std::swap(chunks[swap.left][swap.left_offset + i],
                              chunks[swap.right][swap.right_offset + i]);
                }
            }
            for (std::uint32_t gpu = merge.first; gpu < merge.last; ++gpu) {
                std::ranges::sort(chunks[gpu]);
            }
        }
    }
    return chunks;
}

TEST(MergeStages, AreOneThreeAndSevenForTwoFourAndEightGpus) {
    EXPECT_EQ(merge_stages(1).size(), 0U);
    EXPECT_EQ(merge_stages(2).size(), 1U);
    EXPECT_EQ(merge_stages(4).size(), 3U);
    EXPECT_EQ(merge_stages(8).size(), 7U);
}

TEST(MergeStages, NeverHaveOneGpuInTwoMergesOfAStage) {
    for (std::uint32_t gpus = 1; gpus <= 64; ++gpus) {
        for (auto const& stage : merge_stages(gpus)) {
            std::vector<int> used(gpus, 0);
            for (GroupMerge const& merge : stage) {
                ASSERT_LT(merge.first, merge.middle);
                ASSERT_LT(merge.middle, merge.last);
                for (std::uint32_t gpu = merge.first; gpu < merge.last; ++gpu) {
                    EXPECT_EQ(used[gpu]++, 0);
                }
            }
        }
    }
}

TEST(MergeStages, SortAnyNumberOfGpusWithAShortOrEmptyLastChunk) {
    for (std::size_t gpus = 1; gpus <= 9; ++gpus) {
        for (std::size_t const keys : {std::size_t{0}, std::size_t{1}, gpus - 1, 5 * gpus - 3}) {
            std::size_t const chunk_size = (keys + gpus - 1) / gpus;
            std::vector<std::vector<int>> chunks(gpus);
            std::vector<int> all;
            for (std::size_t i = 0; i < keys; ++i) {
                auto const key = static_cast<int>((i * 7919 + 13) % 11);
                chunks[i / chunk_size].push_back(key);
                all.push_back(key);
            }
            std::vector<int> result;
            for (auto const& chunk : sorted_by_stages(chunks)) {
                result.insert(result.end(), chunk.begin(), chunk.end());
            }
            std::ranges::sort(all);
            EXPECT_EQ(result, all) << keys << " keys on " << gpus << " GPUs";
        }
    }
}

} // namespace
} // namespace keyswap::kernels
