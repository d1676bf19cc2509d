// Ranges sorted in sequence: each result arrives at its own destination.

#include "kernels/range_sorter.hpp"

#include "kernels/device/gpu_test.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <utility>
#include <vector>

namespace keyswap::kernels {
namespace {

using Pair = std::pair<std::uint64_t, std::uint64_t>;

SortOptions pair_options(std::vector<int> devices) {
    SortOptions options;
    options.key_type = KeyType::u64;
    options.value_type = ValueType::bits64;
    options.stability = Stability::stable;
    options.devices = std::move(devices);
    return options;
}

/// Arrays split into ranges.
struct Ranges {
    std::vector<std::uint64_t> counts;
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> values;

    Ranges(std::vector<std::uint64_t> sizes, std::uint64_t different_keys)
        : counts(std::move(sizes)), keys(std::accumulate(counts.begin(), counts.end(), 0ULL)),
          values(keys.size()) {
        gpu_test::TestRandom random(7);
        std::ranges::generate(keys, [&] { return random.next() % different_keys; });
        std::iota(values.begin(), values.end(), 0);
    }

    /// All pairs, sorted within their ranges.
    [[nodiscard]] std::vector<Pair> sorted() const {
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            pairs.emplace_back(keys[i], values[i]);
        }
        std::size_t begin = 0;
        for (std::uint64_t const count : counts) {
            std::stable_sort(pairs.begin() + static_cast<std::ptrdiff_t>(begin),
                             pairs.begin() + static_cast<std::ptrdiff_t>(begin + count),
                             [](Pair left, Pair right) { return left.first < right.first; });
            begin += count;
        }
        return pairs;
    }
};

/// Sorts all ranges to other arrays or in place, and checks that at most three are in flight.
std::vector<Pair> sort(RangeSorter& sorter, Ranges ranges, bool in_place) {
    std::vector<std::uint64_t> keys(ranges.keys.size());
    std::vector<std::uint64_t> values(ranges.keys.size());
    std::size_t given = 0;
    std::size_t finished = 0;
    std::uint64_t begin = 0;
    auto const result = sorter.sort(
        [&]() -> std::optional<HostRange> {
            if (given == ranges.counts.size()) {
                return std::nullopt;
            }
            std::uint64_t const count = ranges.counts[given];
            auto const piece = [&](std::uint64_t first, std::uint64_t some) {
                return HostPiece{
                    {ranges.keys.data() + begin + first, ranges.values.data() + begin + first},
                    some};
            };
            // Ranges with other destinations have three pieces.
            HostRange range{
                {piece(0, count / 3), piece(count / 3, 0), piece(count / 3, count - count / 3)},
                {keys.data() + begin, values.data() + begin}};
            if (in_place) {
                range = {{piece(0, count)},
                         {ranges.keys.data() + begin, ranges.values.data() + begin}};
            }
            EXPECT_EQ(range.count(), count);
            begin += count;
            ++given;
            EXPECT_LE(given - finished, 3U);
            return range;
        },
        [&] { ++finished; });
    EXPECT_TRUE(result) << result.error().message;
    EXPECT_EQ(finished, ranges.counts.size());
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        pairs.emplace_back((in_place ? ranges.keys : keys)[i],
                           (in_place ? ranges.values : values)[i]);
    }
    return pairs;
}

void expect_each_sorted(std::vector<int> const& devices) {
    auto sorter = RangeSorter::create(pair_options(devices), 9'000);
    ASSERT_TRUE(sorter) << sorter.error().message;
    for (std::uint64_t const different : {1ULL, 2ULL, 1'000ULL, ~0ULL}) {
        for (auto const& counts : {std::vector<std::uint64_t>{},
                                   {1},
                                   {9'000},
                                   {9'000, 9'000},
                                   {8'999, 1, 0, 3, 9'000, 5'000, 2},
                                   {7'000, 8'000, 9'000, 6'000, 5'000, 4'000, 3'000, 2'000}}) {
            Ranges const ranges(counts, different);
            EXPECT_EQ(sort(*sorter, ranges, false), ranges.sorted());
            EXPECT_EQ(sort(*sorter, ranges, true), ranges.sorted());
        }
    }
}

TEST(RangeSorter, SortsEachRangeToItsPlace) {
    if (auto const missing = gpu_test::missing_gpus(1); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    expect_each_sorted({0});
    expect_each_sorted({0, 0});
}

TEST(RangeSorter, SortsEachRangeOnTwoGpus) {
    if (auto const missing = gpu_test::missing_gpus(2); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    expect_each_sorted({0, 1});
}

/// Distributes pairs among ranges of keys, and compares each block with a stable sort by range.
void expect_distributed(std::vector<int> const& devices, Direction direction) {
    SortOptions options = pair_options(devices);
    options.direction = direction;
    auto sorter = RangeSorter::create(options, 2'000);
    ASSERT_TRUE(sorter) << sorter.error().message;
    std::vector<KeyImage> const splitters{{0, 10}, {0, 11}, {0, 900}, {0, ~1ULL}};
    for (std::uint64_t const count : {0ULL, 1ULL, 1'999ULL, 30'001ULL}) {
        for (std::uint64_t const different : {1ULL, 12ULL, 1'000ULL, ~0ULL}) {
            Ranges const pairs({count}, different);
            std::vector<std::uint64_t> keys(count);
            std::vector<std::uint64_t> values(count);
            auto const blocks =
                sorter->distribute({{pairs.keys.data(), pairs.values.data()}, count},
                                   {keys.data(), values.data()},
                                   {static_cast<std::uint32_t>(splitters.size() + 1),
                                    SplitterBuckets{splitters, {}, Tie::left}});
            ASSERT_TRUE(blocks && *blocks) << blocks.error().message;
            auto const range_of = [&](std::uint64_t key) {
                std::uint64_t const image = direction == Direction::ascending ? key : ~key;
                return static_cast<std::size_t>(
                    std::ranges::lower_bound(splitters, KeyImage{0, image}) - splitters.begin());
            };
            std::uint64_t at = 0;
            for (auto const& counts : (*blocks)->counts) {
                std::uint64_t const size = std::min((*blocks)->block_size, count - at);
                ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), 0ULL), size);
                std::vector<Pair> block;
                std::vector<std::uint64_t> expected(counts.size());
                for (std::uint64_t i = at; i < at + size; ++i) {
                    block.emplace_back(pairs.keys[i], pairs.values[i]);
                    ++expected[range_of(pairs.keys[i])];
                }
                EXPECT_EQ(counts, expected);
                std::ranges::stable_sort(
                    block, {}, [&](Pair pair) { return range_of(pair.first); });
                for (std::uint64_t i = 0; i < size; ++i) {
                    ASSERT_EQ(Pair(keys[at + i], values[at + i]), block[i]);
                }
                at += size;
            }
            EXPECT_EQ(at, count);
        }
    }
}

TEST(RangeSorter, DistributesBlocksAmongRanges) {
    if (auto const missing = gpu_test::missing_gpus(1); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        expect_distributed({0}, direction);
        expect_distributed({0, 0, 0}, direction);
    }
}

TEST(RangeSorter, DistributesBlocksOnTwoGpus) {
    if (auto const missing = gpu_test::missing_gpus(2); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    expect_distributed({0, 1}, Direction::ascending);
}

TEST(RangeSorter, LeavesManyRangesToOthers) {
    if (auto const missing = gpu_test::missing_gpus(1); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    auto sorter = RangeSorter::create(pair_options({0}), 100);
    ASSERT_TRUE(sorter) << sorter.error().message;
    auto const blocks = sorter->distribute({}, {}, {distribution_buckets_max + 1, PrimeBuckets{}});
    ASSERT_TRUE(blocks);
    EXPECT_FALSE(blocks->has_value());
}

TEST(RangeSorter, HoldsAsManyKeysAsItsMemoryAllows) {
    if (auto const missing = gpu_test::missing_gpus(1); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    SortOptions const options = pair_options({0});
    std::uint64_t const bytes = workspace_size(options, 1)->bytes_per_gpu() + 1'000'000;
    std::uint64_t const most = range_keys_that_fit(options, bytes).value();
    EXPECT_LE(RangeSorter::create(options, most)->bytes_per_gpu(), bytes);
    EXPECT_GT(RangeSorter::create(options, most + 1)->bytes_per_gpu(), bytes);
}

TEST(RangeSorter, RefusesSortsOfHostMemoryAlone) {
    if (auto const missing = gpu_test::missing_gpus(1); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    SortOptions options;
    options.choice = choose("het-merge", {}).value();
    auto const sorter = RangeSorter::create(options, 10);
    ASSERT_FALSE(sorter);
    EXPECT_EQ(sorter.error().code, SortErrorCode::invalid_option);
}

} // namespace
} // namespace keyswap::kernels
