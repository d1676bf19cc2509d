#include "kernels/exchange_plan/round_plan.hpp"

#include "kernels/device/gpu_test.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

/// Random parts of 40 buckets on g GPUs; the first of every ten buckets has ten times as many keys.
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

constexpr int shares[] = {1, 2, 3, 3, 3, 4};

/// Moves every key in plain arrays: scatters by layout, copies, then checks the arrivals.
void expect_every_part_arrives(std::uint32_t gpus, std::uint64_t seed) {
    Example const example = make_example(gpus, seed);
    RoundPlan const plan = make_round_plan(
        example.buckets, example.ownership, example.chunk_counts, example.capacity, shares);
    // A key is its bucket and source; 0 marks an unused position.
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
    for (CopyRecord const& copy : plan.copies) {
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

/// Simulates one GPU's two buffers during the sorts of all rounds; it sends each round as late as
/// the plan permits. Every round must find its keys intact.
class LateGpu {
  public:
    LateGpu(Example const& example, RoundPlan const& plan, std::uint32_t gpu)
        : example_(example), plan_(plan), gpu_(gpu), arrivals_(example.capacity, 0),
          chunk_(example.capacity, 0) {
        for (std::size_t i = 0; i < example.buckets.size(); ++i) {
            fill(chunk_, plan.layout_of(i, gpu), i, gpu);
            for (std::uint32_t source = 0; source < plan.gpu_count; ++source) {
                if (is_mine(i) && source != gpu) {
                    fill(arrivals_, plan.arrival_of(i, source), i, source);
                }
            }
        }
        for (CopyRecord const& copy : plan.copies) {
            bool const is_own = copy.source == GpuId{gpu} && copy.destination == GpuId{gpu};
            if (is_own && own_part(static_cast<std::uint32_t>(copy.stage)) == KeyBuffer::input) {
                std::copy_n(chunk_.begin() + at(copy.source_offset),
                            copy.count,
                            arrivals_.begin() + at(copy.destination_offset));
            }
        }
    }

    /// True if all rounds sort, and send, their original keys.
    [[nodiscard]] bool sorts_what_it_should() {
        std::uint32_t sent = 0;
        bool holds = true;
        for (std::uint32_t round = 0; round < plan_.rounds; ++round) {
            RoundRange const& range = plan_.ranges[gpu_][round];
            for (; sent < range.rounds_sent_before; ++sent) {
                holds = holds && can_send(sent);
            }
            // The step writes part of its output before it has read all of its input.
            std::fill(
                chunk_.begin() + at(range.begin), chunk_.begin() + at(range.end), overwritten);
            for (std::size_t i = range.first_bucket; i < range.end_bucket; ++i) {
                for (std::uint32_t source = 0; source < plan_.gpu_count; ++source) {
                    bool const stayed = source == gpu_ && range.own_part == KeyBuffer::output;
                    holds =
                        holds && (stayed ? has(chunk_, plan_.layout_of(i, source), i, source)
                                         : has(arrivals_, plan_.arrival_of(i, source), i, source));
                }
            }
        }
        for (; sent < plan_.rounds; ++sent) {
            holds = holds && can_send(sent);
        }
        return holds;
    }

  private:
    static constexpr std::uint64_t overwritten = ~std::uint64_t{0};
    using Place = std::vector<std::uint64_t>;

    static std::ptrdiff_t at(std::uint64_t offset) { return static_cast<std::ptrdiff_t>(offset); }
    [[nodiscard]] std::uint64_t key(std::size_t bucket, std::uint32_t source) const {
        return 1 + bucket * plan_.gpu_count + source;
    }
    [[nodiscard]] bool is_mine(std::size_t bucket) const {
        return example_.buckets[bucket].placement.first == GpuId{gpu_};
    }
    [[nodiscard]] KeyBuffer own_part(std::uint32_t round) const {
        return plan_.ranges[gpu_][round].own_part;
    }
    void fill(Place& place, std::uint64_t offset, std::size_t bucket, std::uint32_t source) const {
        std::fill_n(place.begin() + at(offset),
                    example_.buckets[bucket].parts[source].count,
                    key(bucket, source));
    }
    [[nodiscard]] bool
    has(Place const& place, std::uint64_t offset, std::size_t bucket, std::uint32_t source) const {
        auto const begin = place.begin() + at(offset);
        return std::all_of(begin,
                           begin + at(example_.buckets[bucket].parts[source].count),
                           [&](std::uint64_t each) { return each == key(bucket, source); });
    }
    [[nodiscard]] bool can_send(std::uint32_t round) const {
        for (std::size_t i = 0; i < example_.buckets.size(); ++i) {
            std::uint32_t const owner = example_.buckets[i].placement.first.value;
            RoundRange const& range = plan_.ranges[owner][round];
            bool const is_sent = owner != gpu_ && range.first_bucket <= i && i < range.end_bucket;
            if (is_sent && !has(chunk_, plan_.layout_of(i, gpu_), i, gpu_)) {
                return false;
            }
        }
        return true;
    }

    Example const& example_;
    RoundPlan const& plan_;
    std::uint32_t gpu_;
    Place arrivals_; ///< buffer 0 after all arrivals
    Place chunk_;    ///< buffer 1
};

TEST(RoundPlan, NoResultOverwritesWhatIsStillToBeReadOrSent) {
    std::size_t stayed = 0;
    for (std::uint32_t const gpus : {1U, 2U, 3U, 8U}) {
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            Example example = make_example(gpus, seed);
            example.capacity += seed % 4 == 0 ? seed : 0; // a sorter for more keys
            RoundPlan const plan = make_round_plan(
                example.buckets, example.ownership, example.chunk_counts, example.capacity, shares);
            for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
                ASSERT_TRUE(LateGpu(example, plan, gpu).sorts_what_it_should())
                    << gpus << " GPUs, GPU " << gpu << ", seed " << seed;
                stayed += static_cast<std::size_t>(
                    std::ranges::count(plan.ranges[gpu], KeyBuffer::output, &RoundRange::own_part));
            }
        }
    }
    EXPECT_GT(stayed, 1'000U);
}

/// Buckets with the same number of keys on every GPU.
Example even_example(std::uint32_t gpus, std::uint64_t buckets_per_gpu, std::uint64_t keys) {
    Example example;
    std::uint64_t const owned = buckets_per_gpu * keys * gpus;
    for (std::uint64_t i = 0; i < buckets_per_gpu * gpus; ++i) {
        FinalBucket bucket;
        GpuId const owner{static_cast<std::uint32_t>(i / buckets_per_gpu)};
        bucket.parts.assign(gpus, {0, keys});
        bucket.placement = {
            {1, i}, i * keys * gpus, (i + 1) * keys * gpus, owner, owner, PlacementState::placed};
        example.buckets.push_back(std::move(bucket));
    }
    for (GpuId gpu{0}; gpu.value < gpus; ++gpu.value) {
        example.ownership.push_back({gpu, gpu.value * owned, owned});
        example.chunk_counts.push_back(owned);
    }
    example.capacity = owned;
    return example;
}

TEST(RoundPlan, OfEvenKeysOnlyTheLastRoundsOwnPartMoves) {
    constexpr std::uint64_t many = std::uint64_t{1} << 26;
    for (BucketSort const sort : {BucketSort::levels, BucketSort::counting}) {
        for (std::uint32_t const gpus : {2U, 4U, 8U}) {
            Example const example = even_example(gpus, 128, 10);
            auto const of_sort =
                round_shares({.keys_per_gpu = many, .element_bytes = 16, .sort = sort});
            RoundPlan const plan = make_round_plan(example.buckets,
                                                   example.ownership,
                                                   example.chunk_counts,
                                                   example.capacity,
                                                   of_sort);
            for (std::vector<RoundRange> const& ranges : plan.ranges) {
                std::uint32_t round = 0;
                for (RoundRange const& range : ranges) {
                    bool const is_last = ++round == plan.rounds;
                    EXPECT_EQ(range.own_part, is_last ? KeyBuffer::input : KeyBuffer::output);
                    // A round never waits for later sends.
                    EXPECT_LE(range.rounds_sent_before, round);
                }
            }
        }
    }
}

TEST(RoundPlan, HasOneRoundOrThreeOfFewKeys) {
    auto const rounds = [](std::uint64_t bytes, bool to_host) {
        return round_shares({.keys_per_gpu = bytes / 8, .element_bytes = 8, .to_host = to_host})
            .size();
    };
    std::uint64_t const one = std::uint64_t{1} << 28;
    std::uint64_t const three = std::uint64_t{1} << 30;
    EXPECT_EQ(rounds(one - 8, false), 1U);
    EXPECT_EQ(rounds(one, false), 3U);
    EXPECT_EQ(rounds(three - 8, false), 3U);
    EXPECT_EQ(rounds(three, false), 6U);
    EXPECT_EQ(rounds(one - 8, true), 6U);
    EXPECT_EQ(round_shares({.keys_per_gpu = 7, .rounds_min = 8}).size(), 1U);
    EXPECT_EQ(round_shares({.keys_per_gpu = 8, .rounds_min = 8}).size(), 6U);
}

TEST(RoundPlan, AnOwnPartStaysUpToTheVeryKeyAtWhichTheResultEnds) {
    // Two rounds of one bucket each; GPU 0 sends nothing and keeps everything: first round 1, then
    // round 0.
    Example example = even_example(1, 2, 8);
    constexpr int halves[] = {8, 8};
    auto const own_part = [&](std::uint64_t capacity) {
        RoundPlan const plan = make_round_plan(
            example.buckets, example.ownership, example.chunk_counts, capacity, halves);
        return plan.ranges[0][0].own_part;
    };
    EXPECT_EQ(own_part(16), KeyBuffer::output); // part at [8, 16), result in [0, 8)
    example.buckets[0].parts[0].count = 9;
    example.buckets[0].placement.end = 9;
    example.buckets[1].parts[0].count = 7;
    example.buckets[1].placement.begin = 9;
    EXPECT_EQ(own_part(16), KeyBuffer::input); // part at [7, 16), result in [0, 9)
    EXPECT_EQ(own_part(17), KeyBuffer::input);
    EXPECT_EQ(own_part(18), KeyBuffer::output);
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

TEST(RoundPlan, TakesOneRoundWhereAScatterCannotTellSoManyRangesApart) {
    auto const six = round_shares({.keys_per_gpu = std::uint64_t{1} << 28});
    ASSERT_EQ(six.size(), 6U);
    EXPECT_EQ(shares_by_ranges(six, 2, 8).size(), 6U);
    EXPECT_EQ(shares_by_ranges(six, 36, 8).size(), 6U);
    EXPECT_EQ(shares_by_ranges(six, 37, 8).size(), 1U); // 256 + 37 * 7 = 515 ranges, but 512 fit
}

} // namespace
} // namespace keyswap::kernels
