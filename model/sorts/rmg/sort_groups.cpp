#include "model/sort_groups.hpp"

#include "model/key_swap.hpp"
#include "model/parts_per_million.hpp"
#include "traces/contracts.hpp"

#include <bit>
#include <span>

namespace keyswap::model {

namespace {

/// A bucket, or a cut bucket's part, as it lies on its GPU after the swap.
struct LocalBucket {
    BucketPrefix bucket;
    std::uint64_t count = 0;
};

std::vector<std::vector<LocalBucket>> buckets_by_gpu(Plan const& plan) {
    std::vector<std::vector<LocalBucket>> by_gpu(plan.config.gpu_count);
    for (PlannedBucket const& bucket : plan.buckets) {
        for (OwnedPart const& part : owned_parts(plan.chunks, bucket.placement)) {
            if (part.range.size() > 0) {
                by_gpu[part.gpu.value].push_back({bucket.placement.bucket, part.range.size()});
            }
        }
    }
    return by_gpu;
}

/// Fuses neighbours of one pass while their joint size stays below the threshold: joint * 1e6 <
/// C * ppm, which for whole numbers is joint < ceil(C * ppm / 1e6).
std::vector<SortGroup> fused_groups(DigitLayout const& layout,
                                    GpuId gpu,
                                    std::span<LocalBucket const> buckets,
                                    std::uint64_t joint_size_limit) {
    std::vector<SortGroup> groups;
    BucketPrefix first{};
    std::uint64_t offset = 0;
    for (LocalBucket const& bucket : buckets) {
        bool const fuses = !groups.empty() && first.pass == bucket.bucket.pass &&
                           groups.back().count + bucket.count < joint_size_limit;
        if (fuses) {
            SortGroup& group = groups.back();
            group.count += bucket.count;
            group.bucket_count += 1;
            group.end_bit = group_end_bit(layout, first, bucket.bucket);
        } else {
            first = bucket.bucket;
            groups.push_back({gpu, offset, bucket.count, group_end_bit(layout, first, first), 1});
        }
        offset += bucket.count;
    }
    return groups;
}

/// All of a GPU's keys as one group, on the bits in which its lowest and highest can differ.
SortGroup
whole_range_group(DigitLayout const& layout, GpuId gpu, std::span<LocalBucket const> buckets) {
    std::uint64_t count = 0;
    for (LocalBucket const& bucket : buckets) {
        count += bucket.count;
    }
    std::uint64_t const lowest = layout.lowest_image(buckets.front().bucket);
    std::uint64_t const highest = layout.highest_image(buckets.back().bucket);
    return {gpu,
            0,
            count,
            static_cast<int>(std::bit_width(lowest ^ highest)),
            static_cast<std::uint32_t>(buckets.size())};
}

/// ceil(C * ppm / 1e6).
std::uint64_t fuse_limit(Plan const& plan) {
    std::uint64_t const floor = parts_per_million(plan.chunks.size(), plan.config.fuse_ppm);
    bool const exact = plan.chunks.size() % 1'000'000 * plan.config.fuse_ppm % 1'000'000 == 0;
    return exact ? floor : floor + 1;
}

} // namespace

int group_end_bit(DigitLayout const& layout, BucketPrefix first, BucketPrefix last) {
    KEYSWAP_EXPECTS(first.pass == last.pass);
    if (first.pass == layout.pass_count()) {
        return 0;
    }
    return layout.bits_below(first.pass) +
           static_cast<int>(std::bit_width(first.prefix ^ last.prefix));
}

std::vector<SortGroup> plan_sort_groups(Plan const& plan) {
    std::uint64_t const limit = fuse_limit(plan);
    std::vector<SortGroup> all;
    std::vector<std::vector<LocalBucket>> const by_gpu = buckets_by_gpu(plan);
    for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
        std::vector<SortGroup> const groups =
            fused_groups(plan.layout, GpuId{gpu}, by_gpu[gpu], limit);
        if (groups.size() > sort_group_count_max) {
            all.push_back(whole_range_group(plan.layout, GpuId{gpu}, by_gpu[gpu]));
        } else {
            all.insert(all.end(), groups.begin(), groups.end());
        }
    }
    return all;
}

} // namespace keyswap::model
