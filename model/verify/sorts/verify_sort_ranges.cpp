/// \file Checks that the calls of the bucket sort sort every GPU's keys.

#include "model/verify/record_text.hpp"
#include "model/verify/sorts/sort_checks.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/sort_groups.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <span>

namespace keyswap::model::verify {

namespace {

/// A bucket, or one GPU's part of a cut bucket, in the GPU's memory after the swap; or several
/// buckets whose pieces are interleaved.
struct OwnedBucket {
    BucketPrefix bucket; ///< the first, if several
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    ImageInterval images;
};

std::map<GpuId, std::vector<OwnedBucket>> owned_buckets(Plan const& plan) {
    std::map<GpuId, std::vector<OwnedBucket>> owned;
    for (PlannedBucket const& bucket : plan.buckets) {
        for (OwnedPart const& part : owned_parts(plan.chunks, bucket.placement)) {
            std::uint64_t const base = plan.ownership[part.gpu.value].base;
            if (part.range.size() > 0) {
                owned[part.gpu].push_back({bucket.placement.bucket,
                                           part.range.begin - base,
                                           part.range.end - base,
                                           images_of(plan, bucket)});
            }
        }
    }
    return owned;
}

/// As above, for layout by_source: on a GPU with several sources all buckets are sorted together.
std::map<GpuId, std::vector<OwnedBucket>> owned_by_source(Plan const& plan) {
    auto owned = owned_buckets(plan);
    std::map<GpuId, std::size_t> sources;
    for (CopyRecord const& copy : copies_by_pair(plan)) {
        ++sources[copy.destination];
    }
    for (auto& [gpu, buckets] : owned) {
        if (sources[gpu] > 1) {
            buckets.front().end = buckets.back().end;
            buckets.front().images.highest = buckets.back().images.highest;
            buckets.resize(1);
        }
    }
    return owned;
}

bool holds_one_value(OwnedBucket const& bucket) {
    return bucket.images.single_valued();
}

/// Buckets ascend on a GPU. A stable sort on bits [0, e) suffices if all keys agree from bit e on;
/// a range of single-valued buckets is already sorted.
void verify_bits(DigitLayout const& layout,
                 SortRangeRecord const& range,
                 std::span<OwnedBucket const> buckets,
                 Report& report) {
    int const needed = group_end_bit(buckets.front().images, buckets.back().images);
    Difference difference = differ(Check::sort_ranges).on(range.gpu).in(buckets.front().bucket);
    difference.recorded = sort_text(range);
    bool const possible = range.begin_bit >= 0 && range.begin_bit <= range.end_bit &&
                          range.end_bit <= layout.key_bits();
    if (!possible) {
        difference.expected =
            "bits within [0, " + std::to_string(layout.key_bits()) + ") in ascending order";
        report.add(
            difference.implies("The call fails, or sorts by bits that the keys do not have."));
        return;
    }
    bool const in_order_already = std::ranges::all_of(buckets, holds_one_value);
    bool const sorts_nothing = range.begin_bit == range.end_bit;
    if (in_order_already && (sorts_nothing || range.end_bit >= needed)) {
        return;
    }
    if (range.begin_bit > 0 || range.end_bit < needed) {
        difference.expected =
            "at least bits [0, " + std::to_string(in_order_already ? 0 : needed) + ") or more";
        report.add(difference.implies(
            buckets.size() > 1 && range.end_bit < needed
                ? "Keys of its " + std::to_string(buckets.size()) +
                      " buckets are mixed: the output is out of order there."
                : "Keys that differ only in the other bits remain out of order."));
    }
}

/// The buckets in a range; reports a range that splits a bucket.
std::span<OwnedBucket const>
buckets_of(SortRangeRecord const& range, std::span<OwnedBucket const> owned, Report& report) {
    std::uint64_t const end = range.offset + range.count;
    auto const first = std::ranges::find_if(
        owned, [&range](OwnedBucket const& bucket) { return bucket.end > range.offset; });
    auto const last = std::find_if(
        first, owned.end(), [end](OwnedBucket const& bucket) { return bucket.begin >= end; });
    auto const cut_at = [&](OwnedBucket const& bucket, std::uint64_t offset) {
        if (offset > bucket.begin && offset < bucket.end && !holds_one_value(bucket)) {
            report.differ(Check::sort_ranges)
                .on(range.gpu)
                .in(bucket.bucket)
                .expect("one call for its keys " + range_text(bucket.begin, bucket.end))
                .found(sort_text(range))
                .implies("The bucket is sorted in pieces, which are not merged.");
        }
    };
    if (first != last) {
        cut_at(*first, range.offset);
        cut_at(*(last - 1), end);
    }
    return {first, last};
}

void verify_gpu(Plan const& plan,
                OwnershipRecord const& owner,
                std::vector<SortRangeRecord> ranges,
                std::span<OwnedBucket const> owned,
                Report& report) {
    std::ranges::sort(ranges, {}, &SortRangeRecord::offset);
    std::uint64_t at = 0;
    for (SortRangeRecord const& range : ranges) {
        bool const inside = range.count <= owner.count && range.offset <= owner.count - range.count;
        if (!inside || range.offset != at) {
            Difference difference = differ(Check::sort_ranges).on(owner.gpu);
            difference.expected =
                "a range from offset " + std::to_string(at) + " within " + keys_text(owner.count);
            report.add(difference.found(sort_text(range))
                           .implies(!inside ? "It sorts keys that are not the GPU's."
                                    : range.offset > at
                                        ? "Keys before it are never sorted."
                                        : "Two calls sort the same keys at the same time."));
            if (!inside) {
                return;
            }
        }
        at = std::max(at, range.offset + range.count);
        auto const buckets = buckets_of(range, owned, report);
        if (!buckets.empty()) {
            verify_bits(plan.layout, range, buckets, report);
        }
    }
    if (at < owner.count) {
        auto const bucket = std::ranges::find_if(
            owned, [at](OwnedBucket const& candidate) { return candidate.end > at; });
        report.differ(Check::sort_ranges)
            .on(owner.gpu)
            .in(bucket->bucket)
            .expect("ranges that cover " + keys_text(owner.count))
            .found("only " + std::to_string(at))
            .implies("The rest of the GPU's keys is never sorted.");
    }
}

} // namespace

void verify_sort_ranges(RecordedRun const& run, Plan const& plan, Report& report) {
    report.mark_checked(Check::sort_ranges);
    std::map<GpuId, std::vector<SortRangeRecord>> ranges;
    for (SortRangeRecord const& range : run.sort_ranges) {
        if (range.count > 0) {
            ranges[range.gpu].push_back(range);
        }
    }
    auto const owned =
        layout_of(run, plan) == SwapLayout::by_source ? owned_by_source(plan) : owned_buckets(plan);
    for (OwnershipRecord const& owner : plan.ownership) {
        auto const found = owned.find(owner.gpu);
        verify_gpu(plan,
                   owner,
                   std::move(ranges[owner.gpu]),
                   found == owned.end() ? std::span<OwnedBucket const>() : found->second,
                   report);
    }
}

} // namespace keyswap::model::verify
