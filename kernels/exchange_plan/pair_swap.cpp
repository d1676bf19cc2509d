#include "kernels/exchange_plan/pair_swap.hpp"

#include "kernels/exchange_plan/pair_table.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::kernels {

std::vector<CopyRecord> pair_copies(std::span<CopyRecord const> bucket_copies,
                                    std::uint32_t gpu_count) {
    PairTable sums{gpu_count};
    for (CopyRecord const& copy : bucket_copies) {
        CopyRecord& sum = sums.at(copy);
        if (sum.count == 0) {
            sum = copy;
            continue;
        }
        // Each source stores its buckets in order, and a GPU owns adjacent buckets.
        KEYSWAP_EXPECTS(sum.source_offset + sum.count == copy.source_offset);
        sum.count += copy.count;
    }
    std::vector<std::uint64_t> filled(gpu_count, 0);
    std::vector<CopyRecord> pairs;
    for (CopyRecord const& sum : sums.copies()) {
        if (sum.count == 0) {
            continue;
        }
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
    PairTable by_pair{ownership.size(), pairs};
    std::vector<OwnedBucket> pieces;
    for (FinalBucket const& bucket : buckets) {
        for (CopyRecord const& copy : bucket_copies({&bucket, 1}, ownership)) {
            pieces.push_back({copy.destination,
                              bucket.placement.bucket,
                              by_pair.arrival_of(copy),
                              copy.count,
                              bucket.images});
        }
    }
    std::stable_sort(pieces.begin(), pieces.end(), [](OwnedBucket const& a, OwnedBucket const& b) {
        return a.gpu < b.gpu; // buckets already ascend, as do the sources within each
    });
    return pieces;
}

std::vector<SortRangeRecord> whole_ranges(std::span<OwnedBucket const> owned) {
    std::vector<SortRangeRecord> ranges;
    for (auto begin = owned.begin(); begin != owned.end();) {
        auto const end = std::find_if(
            begin, owned.end(), [begin](OwnedBucket const& o) { return o.gpu != begin->gpu; });
        OwnedBucket const& last = *(end - 1);
        ImageRange const images{begin->images.lowest, last.images.highest};
        ranges.push_back({begin->gpu, 0, last.offset + last.count, 0, images.end_bit()});
        begin = end;
    }
    return ranges;
}

bool use_pair_swap(std::span<FinalBucket const> buckets, bool to_host) {
    std::uint64_t key_count = 0;
    std::uint64_t unsorted = 0;
    for (FinalBucket const& bucket : buckets) {
        std::uint64_t const keys = bucket.count();
        key_count += keys;
        unsorted += bucket.images.is_one_value() ? 0 : keys;
    }
    return !to_host && unsorted > key_count / 2;
}

} // namespace keyswap::kernels
