#include "model/sorts/rmg/sort_groups.hpp"

#include "model/buckets/parts_per_million.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "traces/errors/contracts.hpp"

#include <bit>
#include <span>

namespace keyswap::model {

namespace {

/// A bucket, or one GPU's part of a cut bucket, in the GPU's memory after the swap.
struct LocalBucket {
    int pass = 0;
    ImageInterval images;
    std::uint64_t count = 0;
};

std::vector<std::vector<LocalBucket>> buckets_by_gpu(Plan const& plan) {
    std::vector<std::vector<LocalBucket>> by_gpu(plan.config.gpu_count);
    for (PlannedBucket const& bucket : plan.buckets) {
        for (OwnedPart const& part : owned_parts(plan.chunks, bucket.placement)) {
            if (part.range.size() > 0) {
                by_gpu[part.gpu.value].push_back(
                    {bucket.placement.bucket.pass, images_of(plan, bucket), part.range.size()});
            }
        }
    }
    return by_gpu;
}

/// Fuses adjacent buckets of one pass while their joint size is below the limit: joint * 1e6 <
/// C * ppm, which for integers is joint < ceil(C * ppm / 1e6). Single-valued buckets are already
/// sorted.
std::vector<SortGroup>
fused_groups(GpuId gpu, std::span<LocalBucket const> buckets, std::uint64_t joint_size_limit) {
    std::vector<SortGroup> groups;
    LocalBucket first;
    std::uint64_t offset = 0;
    for (LocalBucket const& bucket : buckets) {
        bool const fuses = !groups.empty() && first.pass == bucket.pass &&
                           groups.back().count + bucket.count < joint_size_limit;
        if (fuses) {
            SortGroup& group = groups.back();
            group.count += bucket.count;
            group.bucket_count += 1;
            if (group.end_bit > 0 || !bucket.images.single_valued()) {
                group.end_bit = group_end_bit(first.images, bucket.images);
            }
        } else {
            first = bucket;
            int const end_bit = group_end_bit(bucket.images, bucket.images);
            groups.push_back({gpu, offset, bucket.count, end_bit, 1, GroupExtent::buckets});
        }
        offset += bucket.count;
    }
    return groups;
}

/// All of a GPU's keys as one group, sorted on all bits that can differ among them.
SortGroup whole_range_group(GpuId gpu, std::span<LocalBucket const> buckets) {
    std::uint64_t count = 0;
    for (LocalBucket const& bucket : buckets) {
        count += bucket.count;
    }
    return {gpu,
            0,
            count,
            group_end_bit(buckets.front().images, buckets.back().images),
            static_cast<std::uint32_t>(buckets.size()),
            GroupExtent::whole_range};
}

/// ceil(C * ppm / 1e6).
std::uint64_t fuse_limit(Plan const& plan) {
    std::uint64_t const floor = parts_per_million(plan.chunks.size(), plan.config.fuse_ppm);
    bool const exact = plan.chunks.size() % 1'000'000 * plan.config.fuse_ppm % 1'000'000 == 0;
    return exact ? floor : floor + 1;
}

} // namespace

int group_end_bit(ImageInterval const& first, ImageInterval const& last) {
    uint128 const difference = first.lowest ^ last.highest;
    auto const high = static_cast<std::uint64_t>(difference >> 64);
    return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                     : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(difference)));
}

std::vector<SortGroup> plan_sort_groups(Plan const& plan) {
    std::uint64_t const limit = fuse_limit(plan);
    std::vector<SortGroup> all;
    std::vector<std::vector<LocalBucket>> const by_gpu = buckets_by_gpu(plan);
    for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
        std::vector<SortGroup> const groups = fused_groups(GpuId{gpu}, by_gpu[gpu], limit);
        if (groups.size() > sort_group_count_max) {
            all.push_back(whole_range_group(GpuId{gpu}, by_gpu[gpu]));
        } else {
            all.insert(all.end(), groups.begin(), groups.end());
        }
    }
    return all;
}

} // namespace keyswap::model
