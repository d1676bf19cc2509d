/// \file A shuffle of stable partitions equals the stable partition of the whole input by owner and
/// bucket, for any number of GPUs.

#include "model/partition/shuffle.hpp"
#include "model/partition/stable_partition.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace keyswap::model {
namespace {

using Words = std::vector<std::uint32_t>;
using Arrays = KeyArrays<std::uint32_t, NoValue>;

TEST(Shuffle, EqualsTheStablePartitionByOwnerAndBucket) {
    EXPECT_TRUE(rc::check([] {
        auto const buckets = *rc::gen::inRange<std::uint32_t>(1, 20);
        auto const gpu_count = *rc::gen::inRange<std::uint32_t>(1, 6);
        auto const labels = *rc::gen::container<Words>(rc::gen::inRange<std::uint32_t>(0, buckets));
        auto owners = even_owners(buckets, gpu_count);
        if (*rc::gen::arbitrary<bool>()) {
            std::ranges::generate(
                owners, [&] { return GpuId{*rc::gen::inRange<std::uint32_t>(0, gpu_count)}; });
        }
        Words keys(labels.size()); // each key is its index
        for (std::uint32_t i = 0; i < keys.size(); ++i) {
            keys[i] = i;
        }
        Words split(keys.size());
        Words output(keys.size());
        Words expected(keys.size());
        Chunks const chunks(keys.size(), gpu_count);
        std::vector<std::vector<std::uint64_t>> counts;
        for (GpuId gpu{0}; gpu.value < gpu_count; ++gpu.value) {
            auto const range = chunks.of(gpu);
            counts.push_back(stable_partition(
                std::span<std::uint32_t const>(labels).subspan(range.begin, range.size()),
                buckets,
                Arrays{keys, {}}.part(range.begin, range.size()),
                Arrays{split, {}}.part(range.begin, range.size())));
        }
        Shuffle const shuffle = plan_shuffle(counts, owners);
        exchange(shuffle, chunks, Arrays{split, {}}, Arrays{output, {}});
        auto const ranks = output_ranks(owners);
        Words ranked;
        for (std::uint32_t const label : labels) {
            ranked.push_back(ranks[label]);
        }
        stable_partition(ranked, buckets, Arrays{keys, {}}, Arrays{expected, {}});
        RC_ASSERT(output == expected);
        for (PlacementRecord const& placed : shuffle.placements) {
            RC_ASSERT(labels[output[placed.begin]] == placed.bucket.prefix);
            RC_ASSERT(labels[output[placed.end - 1]] == placed.bucket.prefix);
        }
    }));
}

} // namespace
} // namespace keyswap::model
