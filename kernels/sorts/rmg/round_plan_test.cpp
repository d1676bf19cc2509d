#include "kernels/sorts/rmg/round_plan.hpp"

#include "kernels/device/gpu_test.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

/// Random parts of 40 buckets on g GPUs, ten times as many keys in the first of each ten.
struct Example {
    std::vector<FinalBucket> buckets;
    std::vector<OwnershipRecord> ownership;
    std::vector<std::uint64_t> chunk_counts;
    std::uint64_t capacity = 0;
};

Example make_example(std::uint32_t gpus, std::uint64_t seed) {
    gpu_test::TestRandom random{seed};
    Example example;
    example.chunk_counts.resize(gpus, 0);
    std::uint64_t begin = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
        FinalBucket bucket;
        std::uint64_t end = begin;
        for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
            std::uint64_t const count = random.next() % 3 == 0 ? 0 : random.next() % 100;
            bucket.parts.push_back({0, count});
            example.chunk_counts[gpu] += count;
            end += count;
        }
        GpuId const owner{static_cast<std::uint32_t>(i * gpus / 40)};
        bucket.placement = {{1, i}, begin, end, owner, owner, PlacementState::placed};
        if (end > begin) {
            example.buckets.push_back(bucket);
        }
        begin = end;
    }
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        OwnershipRecord record{
            GpuId{gpu},
            gpu == 0 ? 0 : example.ownership.back().base + example.ownership.back().count,
            0};
        for (FinalBucket const& bucket : example.buckets) {
            if (bucket.placement.first == record.gpu) {
                record.count += bucket.placement.end - bucket.placement.begin;
            }
        }
        example.ownership.push_back(record);
        example.capacity = std::max({example.capacity, record.count, example.chunk_counts[gpu]});
    }
    return example;
}

constexpr int shares[] = {1, 2, 3, 5, 5};

/// Every key is moved as plain arrays: scatter by layout, copy, then look where it arrived.
void expect_every_part_arrives(std::uint32_t gpus, std::uint64_t seed) {
    Example const example = make_example(gpus, seed);
    RoundPlan const plan = make_round_plan(
        example.buckets, example.ownership, example.chunk_counts, example.capacity, shares);
    // A key is its bucket and source; 0 is an empty place.
    using Place = std::vector<std::uint64_t>;
    std::vector<Place> sources(gpus, Place(example.capacity, 0));
    std::vector<Place> arrived(gpus, Place(example.capacity, 0));
    auto const key = [gpus](std::size_t bucket, std::uint32_t gpu) {
        return 1 + bucket * gpus + gpu;
    };
    for (std::size_t i = 0; i < example.buckets.size(); ++i) {
        for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
            for (std::uint64_t k = 0; k < example.buckets[i].parts[gpu].count; ++k) {
                std::uint64_t& place = sources[gpu].at(plan.layout_of(i, gpu) + k);
                ASSERT_EQ(place, 0U);
                place = key(i, gpu);
            }
        }
    }
    for (RoundCopy const& entry : plan.copies) {
        CopyRecord const& copy = entry.copy;
        for (std::uint64_t k = 0; k < copy.count; ++k) {
            std::uint64_t& place = arrived[copy.destination.value].at(copy.destination_offset + k);
            ASSERT_EQ(place, 0U);
            place = sources[copy.source.value].at(copy.source_offset + k);
        }
    }
    for (std::size_t i = 0; i < example.buckets.size(); ++i) {
        std::uint32_t const owner = example.buckets[i].placement.first.value;
        for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
            for (std::uint64_t k = 0; k < example.buckets[i].parts[gpu].count; ++k) {
                ASSERT_EQ(arrived[owner].at(plan.arrival_of(i, gpu) + k), key(i, gpu));
            }
        }
    }
}

TEST(RoundPlan, EveryPartArrivesInItsRoundsRangeOnItsOwner) {
    for (std::uint32_t const gpus : {1U, 2U, 3U, 4U, 8U, 40U}) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            expect_every_part_arrives(gpus, seed);
        }
    }
}

TEST(RoundPlan, NoResultOverwritesKeysThatHaveNotBeenSent) {
    for (std::uint32_t const gpus : {2U, 3U, 8U}) {
        for (std::uint64_t seed = 1; seed <= 50; ++seed) {
            Example const example = make_example(gpus, seed);
            RoundPlan const plan = make_round_plan(
                example.buckets, example.ownership, example.chunk_counts, example.capacity, shares);
            for (RoundCopy const& entry : plan.copies) {
                for (RoundRange const& range : plan.ranges[entry.copy.source.value]) {
                    bool const overwrites =
                        entry.copy.source_offset < range.end &&
                        range.begin < entry.copy.source_offset + entry.copy.count;
                    if (overwrites) {
                        ASSERT_LT(entry.round, range.rounds_sent_before);
                    }
                }
            }
        }
    }
}

TEST(RoundPlan, ARangeCoversEachOwnedKeyOnceInOrder) {
    Example const example = make_example(3, 7);
    RoundPlan const plan = make_round_plan(
        example.buckets, example.ownership, example.chunk_counts, example.capacity, shares);
    for (std::uint32_t gpu = 0; gpu < 3; ++gpu) {
        std::uint64_t at = 0;
        for (RoundRange const& range : plan.ranges[gpu]) {
            EXPECT_EQ(range.begin, at);
            at = range.end;
        }
        EXPECT_EQ(at, example.ownership[gpu].count);
    }
}

} // namespace
} // namespace keyswap::kernels
