/// \file Checks ownership, balance and copies of the key swap.

#include "model/verify/record_text.hpp"
#include "model/verify/sorts/sort_checks.hpp"

#include "model/sorts/rmg/key_swap.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace keyswap::model::verify {

namespace {

std::string copy_text(CopyRecord const& copy) {
    return "keys " + range_text(copy.source_offset, copy.source_offset + copy.count) + " of GPU " +
           std::to_string(copy.source.value) + " to " +
           range_text(copy.destination_offset, copy.destination_offset + copy.count) + " of GPU " +
           std::to_string(copy.destination.value) +
           (copy.stage == 0 ? "" : " in stage " + std::to_string(copy.stage));
}

/// The bucket at an offset of a source's memory before the swap.
std::optional<BucketPrefix> bucket_at(Plan const& plan, GpuId source, std::uint64_t source_offset) {
    std::uint64_t begin = 0;
    for (PlannedBucket const& bucket : plan.buckets) {
        std::uint64_t const size = part_size(plan, bucket, source);
        if (source_offset < begin + size) {
            return bucket.placement.bucket;
        }
        begin += size;
    }
    return std::nullopt;
}

/// The range of the output that a copy fills.
std::string output_place(Plan const& plan, CopyRecord const& copy) {
    std::uint64_t const begin =
        plan.ownership[copy.destination.value].base + copy.destination_offset;
    return "keys " + range_text(begin, begin + copy.count) + " of the output";
}

} // namespace

void compare_copies(std::vector<CopyRecord> const& expected,
                    std::vector<CopyRecord> const& recorded,
                    Plan const& plan,
                    Report& report) {
    std::vector<CopyRecord> missing;
    std::vector<CopyRecord> surplus;
    std::ranges::set_difference(expected, recorded, std::back_inserter(missing), precedes);
    std::ranges::set_difference(recorded, expected, std::back_inserter(surplus), precedes);
    // A modified copy is both missing and surplus: report matching ones as a single difference.
    for (CopyRecord const& copy : missing) {
        auto const twin = std::ranges::find_if(surplus, [&copy](CopyRecord const& other) {
            int const same = int{other.source == copy.source} +
                             int{other.destination == copy.destination} +
                             int{other.source_offset == copy.source_offset} +
                             int{other.destination_offset == copy.destination_offset} +
                             int{other.count == copy.count};
            return same >= 3;
        });
        Difference difference = differ(Check::copies)
                                    .in(bucket_at(plan, copy.source, copy.source_offset))
                                    .on(copy.source)
                                    .expect(copy_text(copy))
                                    .found("no such copy")
                                    .implies("From " + output_place(plan, copy) +
                                             " the right keys are missing: no copy writes them.");
        if (twin != surplus.end()) {
            difference.recorded = copy_text(*twin);
            difference.consequence =
                "Wrong or missing afterwards: " + output_place(plan, copy) + ".";
            surplus.erase(twin);
        } else {
            difference.verdict = Verdict::lost_or_duplicated_keys;
        }
        report.add(difference);
    }
    for (CopyRecord const& copy : surplus) {
        report.differ(Check::copies, Verdict::lost_or_duplicated_keys)
            .in(bucket_at(plan, copy.source, copy.source_offset))
            .on(copy.source)
            .expect("no such copy")
            .found(copy_text(copy))
            .implies("It overwrites " + output_place(plan, copy) + ".");
    }
}

void verify_ownership(RecordedRun const& run,
                      std::vector<OwnershipRecord> const& expected,
                      Report& report) {
    report.mark_checked(Check::ownership);
    std::map<GpuId, std::vector<OwnershipRecord>> recorded;
    for (OwnershipRecord const& record : run.ownership) {
        recorded[record.gpu].push_back(record);
    }
    auto const text = [](OwnershipRecord const& owner) {
        return "keys " + range_text(owner.base, owner.base + owner.count) + " of the output";
    };
    for (OwnershipRecord const& owner : expected) {
        auto const found = recorded.find(owner.gpu);
        Difference difference =
            differ(Check::ownership)
                .on(owner.gpu)
                .expect(text(owner))
                .found("nothing")
                .implies("Its sorted keys are copied back to the wrong place of the output.");
        if (found == recorded.end()) {
            if (owner.count > 0) {
                report.add(difference);
            }
            continue;
        }
        // The base of an empty range is unspecified.
        OwnershipRecord const& first = found->second.front();
        bool const same = owner.count == 0 ? first.count == 0 : first == owner;
        if (!same || found->second.size() > 1) {
            report.add(difference.found(found->second.size() > 1 ? "two ranges" : text(first)));
        }
        recorded.erase(found);
    }
    for (auto const& [gpu, records] : recorded) {
        report.differ(Check::ownership)
            .on(gpu)
            .expect("no such GPU")
            .found(text(records.front()))
            .implies("The run has " + std::to_string(expected.size()) + " GPUs.");
    }
}

void verify_balance(RecordedRun const& run, Plan const& plan, Report& report) {
    report.mark_checked(Check::balance);
    std::uint64_t const bound = owned_max(plan);
    for (OwnershipRecord const& owner : run.ownership) {
        if (owner.count > bound) {
            report.differ(Check::balance, Verdict::imbalance)
                .on(owner.gpu)
                .expect("at most " + keys_text(bound) + " (C + 2E)")
                .found(keys_text(owner.count))
                .implies("The GPU's memory overflows, or it ends long after the others.");
        }
    }
}

void verify_copies(RecordedRun const& run, Plan const& plan, Report& report) {
    report.mark_checked(Check::copies);
    std::vector<CopyRecord> const recorded = merged_copies(run.copies);
    switch (layout_of(run, plan)) {
    case SwapLayout::by_bucket:
        compare_copies(merged_copies(merged_copies(plan)), recorded, plan, report);
        return;
    case SwapLayout::by_source:
        compare_copies(copies_by_pair(plan), recorded, plan, report);
        return;
    case SwapLayout::by_round:
        run.header.version == 1 ? verify_round_sums(recorded, plan, report)
                                : verify_rounds(recorded, plan, report);
        return;
    }
}

} // namespace keyswap::model::verify
