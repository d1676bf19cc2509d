#pragma once

/// \file Small buckets for tests of segments.

#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/exchange_plan/swap_plan.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace keyswap::kernels::gpu_test {

// Keys of 16 bits and digits of 8: a bucket of pass 1 has 256 images.
inline constexpr KeyShape digits_of_eight{16, 8};
inline constexpr int bits_below_first = 8;

inline FinalBucket
bucket_of(BucketPrefix prefix, GpuRange gpus, std::vector<std::uint64_t> const& parts) {
    FinalBucket bucket;
    bucket.placement.bucket = prefix;
    bucket.placement.first = GpuId{gpus.first};
    bucket.placement.last = GpuId{gpus.last};
    bucket.placement.state = gpus.first == gpus.last ? PlacementState::placed : PlacementState::cut;
    bucket.images = images_of_digits(prefix, digits_of_eight);
    for (std::uint64_t const count : parts) {
        bucket.parts.push_back({0, count});
    }
    return bucket;
}

/// Adjacent buckets; each source's parts are consecutive from offset 0 on.
struct SegmentExample {
    std::vector<FinalBucket> buckets;
    std::vector<OwnershipRecord> ownership;
    std::vector<std::uint64_t> chunk_counts;

    SegmentExample(std::vector<FinalBucket> list, PlacementRule rule) : buckets(std::move(list)) {
        chunk_counts.resize(rule.gpu_count, 0);
        std::uint64_t begin = 0;
        for (FinalBucket& bucket : buckets) {
            bucket.placement.begin = begin;
            for (std::size_t gpu = 0; gpu < bucket.parts.size(); ++gpu) {
                bucket.parts[gpu].offset = chunk_counts[gpu];
                chunk_counts[gpu] += bucket.parts[gpu].count;
                begin += bucket.parts[gpu].count;
            }
            bucket.placement.end = begin;
        }
        ownership = ownership_of(buckets, rule, begin);
    }
    [[nodiscard]] RoundPlan rounds(std::uint64_t capacity) const {
        static constexpr int sixteenths[] = {4, 12};
        return make_round_plan(buckets, ownership, chunk_counts, capacity, sixteenths);
    }
};

} // namespace keyswap::kernels::gpu_test
