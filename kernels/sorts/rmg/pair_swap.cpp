#include "kernels/sorts/rmg/pair_swap.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace keyswap::kernels {

namespace {

using GpuPair = std::pair<GpuId, GpuId>;

GpuPair pair_of(CopyRecord const& copy) {
    return {copy.source, copy.destination};
}

/// Smallest and largest image that a bucket may hold.
struct ImageSpan {
    std::uint64_t lowest = 0;
    std::uint64_t highest = 0;
};

ImageSpan image_span_of(BucketPrefix bucket, KeyShape shape) {
    int const below = shape.bits_below(bucket.pass);
    if (below >= 64) {
        return {0, ~std::uint64_t{0}};
    }
    std::uint64_t const lowest = bucket.prefix << below;
    return {lowest, lowest | ((std::uint64_t{1} << below) - 1)};
}

} // namespace

std::vector<CopyRecord> pair_copies(std::span<CopyRecord const> bucket_copies,
                                    std::uint32_t gpu_count) {
    std::map<GpuPair, CopyRecord> sums; // ascending by source, then destination
    for (CopyRecord const& copy : bucket_copies) {
        auto const [entry, is_new] = sums.try_emplace(pair_of(copy), copy);
        if (!is_new) {
            CopyRecord& sum = entry->second;
            // A source's buckets lie in their order, and a GPU owns neighbours.
            KEYSWAP_EXPECTS(sum.source_offset + sum.count == copy.source_offset);
            sum.count += copy.count;
        }
    }
    std::vector<std::uint64_t> filled(gpu_count, 0);
    std::vector<CopyRecord> pairs;
    for (auto const& [pair, sum] : sums) {
        CopyRecord& copy = pairs.emplace_back(sum);
        std::uint64_t& at = filled[copy.destination.value];
        copy.destination_offset = at;
        at += copy.count;
    }
    return rotated_copies(std::move(pairs), gpu_count);
}

std::vector<OwnedBucket> arrived_pieces(std::span<FinalBucket const> buckets,
                                        std::span<OwnershipRecord const> ownership,
                                        std::span<CopyRecord const> pairs) {
    std::map<GpuPair, CopyRecord> by_pair;
    for (CopyRecord const& pair : pairs) {
        by_pair.emplace(pair_of(pair), pair);
    }
    std::vector<OwnedBucket> pieces;
    for (FinalBucket const& bucket : buckets) {
        for (CopyRecord const& copy : bucket_copies({&bucket, 1}, ownership)) {
            CopyRecord const& pair = by_pair.at(pair_of(copy));
            pieces.push_back({copy.destination,
                              bucket.placement.bucket,
                              pair.destination_offset + (copy.source_offset - pair.source_offset),
                              copy.count});
        }
    }
    std::stable_sort(pieces.begin(), pieces.end(), [](OwnedBucket const& a, OwnedBucket const& b) {
        return a.gpu < b.gpu; // buckets ascend already, and the sources within each
    });
    return pieces;
}

std::vector<SortRangeRecord> whole_ranges(std::span<OwnedBucket const> owned, KeyShape shape) {
    std::vector<SortRangeRecord> ranges;
    for (auto begin = owned.begin(); begin != owned.end();) {
        auto const end = std::find_if(
            begin, owned.end(), [begin](OwnedBucket const& o) { return o.gpu != begin->gpu; });
        OwnedBucket const& last = *(end - 1);
        std::uint64_t const differing =
            image_span_of(begin->bucket, shape).lowest ^ image_span_of(last.bucket, shape).highest;
        ranges.push_back({begin->gpu,
                          0,
                          last.offset + last.count,
                          0,
                          static_cast<int>(std::bit_width(differing))});
        begin = end;
    }
    return ranges;
}

std::uint64_t keys_left_to_sort(std::span<FinalBucket const> buckets, KeyShape shape) {
    std::uint64_t keys = 0;
    for (FinalBucket const& bucket : buckets) {
        if (shape.bits_below(bucket.placement.bucket.pass) > 0) {
            keys += bucket.placement.end - bucket.placement.begin;
        }
    }
    return keys;
}

} // namespace keyswap::kernels
