#include "model/sorts/rmg/replay.hpp"

#include "model/sorts/rmg/digit_scatter.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "model/testing/plain_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tbb/global_control.h>

namespace keyswap::model {
namespace {

/// Stores all records in memory.
class Recorder final : public TraceSink {
  public:
    void write(TraceRecord const& record) override { records.push_back(record); }
    std::vector<TraceRecord> records;
};

/// A small deterministic sequence with repetitions, independent of the model's distributions.
std::vector<std::uint64_t> scrambled(std::size_t count, std::uint64_t distinct, int shift) {
    std::vector<std::uint64_t> images(count);
    for (std::size_t i = 0; i < count; ++i) {
        images[i] = (mix_bits(i) % distinct) << shift;
    }
    return images;
}

Plan plan_of(std::vector<std::uint64_t> const& images, std::uint32_t gpu_count, KeyType type) {
    SortConfig config;
    config.key_count = images.size();
    config.gpu_count = gpu_count;
    config.key_type = type;
    PlainSource source(images);
    return plan_rmg_sort(config, source);
}

template <class Image>
std::vector<Image> narrowed(std::vector<std::uint64_t> const& images) {
    std::vector<Image> keys;
    std::ranges::transform(images, std::back_inserter(keys), [](std::uint64_t image) {
        return static_cast<Image>(image);
    });
    return keys;
}

template <class Image>
std::vector<Image>
replayed(std::vector<std::uint64_t> const& images, std::uint32_t gpu_count, KeyType type) {
    Plan const plan = plan_of(images, gpu_count, type);
    std::vector<Image> keys = narrowed<Image>(images);
    std::vector<Image> scratch(keys.size());
    auto const violation = replay_rmg_sort(
        plan, KeyArrays<Image, NoValue>{keys, {}}, KeyArrays<Image, NoValue>{scratch, {}}, nullptr);
    EXPECT_FALSE(violation.has_value()) << describe(*violation);
    return keys;
}

template <class Image>
std::vector<Image> sorted(std::vector<std::uint64_t> const& images) {
    std::vector<Image> keys = narrowed<Image>(images);
    std::ranges::sort(keys);
    return keys;
}

TEST(Replay, SortsThirtyTwoBitKeysOnAnyNumberOfGpus) {
    auto const images = scrambled(5000, 1ULL << 32, 0);
    for (std::uint32_t gpu_count : {1U, 2U, 3U, 8U, 13U}) {
        EXPECT_EQ(replayed<std::uint32_t>(images, gpu_count, KeyType::u32),
                  sorted<std::uint32_t>(images));
    }
}

TEST(Replay, SortsSixtyFourBitKeys) {
    auto const images = scrambled(5000, ~0ULL, 0);
    EXPECT_EQ(replayed<std::uint64_t>(images, 5, KeyType::u64), sorted<std::uint64_t>(images));
}

TEST(Replay, SortsFewValuesInTheHighBitsAndInTheLowBits) {
    for (int const shift : {0, 16, 24, 28}) {
        auto const images = scrambled(3000, 10, shift);
        EXPECT_EQ(replayed<std::uint32_t>(images, 4, KeyType::u32), sorted<std::uint32_t>(images));
    }
}

TEST(Replay, KeepsValuesWithTheirKeysAndEqualKeysInInputOrder) {
    auto const images = scrambled(4000, 300, 12);
    Plan const plan = plan_of(images, 4, KeyType::u32);
    auto keys = narrowed<std::uint32_t>(images);
    std::vector<std::uint32_t> values(keys.size());
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        values[i] = i;
    }
    std::vector<std::uint32_t> key_scratch(keys.size());
    std::vector<std::uint32_t> value_scratch(keys.size());
    using Arrays = KeyArrays<std::uint32_t, std::uint32_t>;
    ASSERT_FALSE(
        replay_rmg_sort(plan, Arrays{keys, values}, Arrays{key_scratch, value_scratch}, nullptr));
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(keys[i], images[values[i]]);
        ASSERT_TRUE(i == 0 || keys[i - 1] < keys[i] || values[i - 1] < values[i]);
    }
}

TEST(Replay, BlocksOfALargeRegionAreScatteredInOrder) {
    std::size_t const several_blocks = 3 * BlockHistograms::block_size_min + 17;
    auto const images = scrambled(several_blocks, 1ULL << 32, 0);
    EXPECT_EQ(replayed<std::uint32_t>(images, 2, KeyType::u32), sorted<std::uint32_t>(images));
}

TEST(Replay, KeysThatAreNotThePlannedOnesAreAViolationWithItsPlace) {
    auto const images = scrambled(1000, 1ULL << 32, 0);
    Plan const plan = plan_of(images, 4, KeyType::u32);
    auto keys = narrowed<std::uint32_t>(images);
    keys[600] ^= 0x80000000U; // GPU 2's chunk is [500, 750)
    std::vector<std::uint32_t> scratch(keys.size());
    auto const violation = replay_rmg_sort(plan,
                                           KeyArrays<std::uint32_t, NoValue>{keys, {}},
                                           KeyArrays<std::uint32_t, NoValue>{scratch, {}},
                                           nullptr);
    ASSERT_TRUE(violation.has_value());
    EXPECT_EQ(violation->property, "histogram");
    EXPECT_EQ(violation->gpu, GpuId{2});
    EXPECT_EQ(violation->pass, 1);
}

TEST(Replay, DigestsOfABucketAddUpToTheSameBeforeAndAfterTheSwap) {
    auto const images = scrambled(2000, 50, 20);
    Plan const plan = plan_of(images, 4, KeyType::u32);
    auto keys = narrowed<std::uint32_t>(images);
    std::vector<std::uint32_t> scratch(keys.size());
    Recorder recorder;
    ASSERT_FALSE(replay_rmg_sort(plan,
                                 KeyArrays<std::uint32_t, NoValue>{keys, {}},
                                 KeyArrays<std::uint32_t, NoValue>{scratch, {}},
                                 &recorder));
    std::map<BucketPrefix, MultisetDigest> before;
    std::map<BucketPrefix, MultisetDigest> after;
    for (TraceRecord const& record : recorder.records) {
        auto const& digest = std::get<DigestRecord>(record);
        (digest.stage == DigestStage::before_swap ? before : after)[digest.bucket] += digest.digest;
    }
    EXPECT_EQ(before.size(), plan.buckets.size());
    EXPECT_EQ(before, after);
}

TEST(Replay, TheSameBytesForAnyThreadCount) {
    auto const images = scrambled(2 * BlockHistograms::block_size_min, 1000, 10);
    auto const many = replayed<std::uint32_t>(images, 4, KeyType::u32);
    tbb::global_control const one(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(replayed<std::uint32_t>(images, 4, KeyType::u32), many);
}

} // namespace
} // namespace keyswap::model
