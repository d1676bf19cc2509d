/// \file The hierarchical form of a partition's positions equals the definition for every division
/// into subproblems. Source: GPU Multisplit, equations (1) to (4).

#include "model/partition/partition_positions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace keyswap::model {
namespace {

std::vector<std::uint32_t> any_labels(std::uint32_t buckets) {
    return *rc::gen::container<std::vector<std::uint32_t>>(
        rc::gen::inRange<std::uint32_t>(0, buckets));
}

TEST(PartitionPositions, EveryFactorisationGivesThoseOfTheDefinition) {
    EXPECT_TRUE(rc::check([] {
        auto const buckets = *rc::gen::inRange<std::uint32_t>(1, 40);
        auto const labels = any_labels(buckets);
        auto const factors =
            *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 6));
        std::vector<std::size_t> sizes;
        std::size_t size = 1;
        for (std::size_t level = 0; level < std::min<std::size_t>(factors.size(), 6); ++level) {
            size *= factors[level];
            sizes.insert(sizes.begin(), size);
        }
        RC_ASSERT(partition_positions_by_levels(labels, buckets, sizes) ==
                  partition_positions(labels, buckets));
    }));
}

TEST(PartitionPositions, OrderByBucketAndKeepTheOrderOfEqualOnes) {
    EXPECT_TRUE(rc::check([] {
        auto const buckets = *rc::gen::inRange<std::uint32_t>(1, 40);
        auto const labels = any_labels(buckets);
        auto const positions = partition_positions(labels, buckets);
        std::vector<std::size_t> at(labels.size(), labels.size());
        for (std::size_t i = 0; i < labels.size(); ++i) {
            RC_ASSERT(positions[i] < labels.size());
            RC_ASSERT(at[positions[i]] == labels.size());
            at[positions[i]] = i;
        }
        for (std::size_t p = 1; p < at.size(); ++p) {
            RC_ASSERT((labels[at[p - 1]] < labels[at[p]] ||
                       (labels[at[p - 1]] == labels[at[p]] && at[p - 1] < at[p])));
        }
    }));
}

TEST(PartitionPositions, TheScannedTableStartsEveryTilesShareOfABucket) {
    EXPECT_TRUE(rc::check([] {
        auto const buckets = *rc::gen::inRange<std::uint32_t>(1, 40);
        auto const labels = any_labels(buckets);
        auto const tile = *rc::gen::inRange<std::size_t>(1, 50);
        auto const table = scanned_table(labels, buckets, tile);
        auto const positions = partition_positions(labels, buckets);
        std::size_t const tiles = (labels.size() + tile - 1) / tile;
        std::vector<bool> seen(table.size(), false);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            std::size_t const entry = labels[i] * tiles + i / tile;
            if (!seen[entry]) {
                seen[entry] = true;
                RC_ASSERT(table[entry] == positions[i]);
            }
        }
    }));
}

} // namespace
} // namespace keyswap::model
