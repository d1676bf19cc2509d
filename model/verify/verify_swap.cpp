/// \file Ownership, balance and copies of the key swap.

#include "model/verify/verify_parts.hpp"

#include "model/sorts/rmg/key_swap.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace keyswap::conformance {

namespace {

std::string copy_text(CopyRecord const& copy) {
    return "keys " + range_text(copy.source_offset, copy.source_offset + copy.count) + " of GPU " +
           std::to_string(copy.source.value) + " to " +
           range_text(copy.destination_offset, copy.destination_offset + copy.count) + " of GPU " +
           std::to_string(copy.destination.value) +
           (copy.stage == 0 ? "" : " in stage " + std::to_string(copy.stage));
}

/// The bucket whose keys lie at an offset of a source before the swap.
std::optional<BucketPrefix>
bucket_at(model::Plan const& plan, GpuId source, std::uint64_t source_offset) {
    std::uint64_t begin = 0;
    for (model::PlannedBucket const& bucket : plan.buckets) {
        std::uint64_t const size = model::part_size(plan, bucket, source);
        if (source_offset < begin + size) {
            return bucket.placement.bucket;
        }
        begin += size;
    }
    return std::nullopt;
}

/// Where in the output a destination's offset lies.
std::string output_place(model::Plan const& plan, CopyRecord const& copy) {
    std::uint64_t const begin =
        plan.ownership[copy.destination.value].base + copy.destination_offset;
    return "keys " + range_text(begin, begin + copy.count) + " of the output";
}

} // namespace

void compare_copies(std::vector<CopyRecord> const& expected,
                    std::vector<CopyRecord> const& recorded,
                    model::Plan const& plan,
                    Report& report) {
    std::vector<CopyRecord> missing;
    std::vector<CopyRecord> surplus;
    std::ranges::set_difference(expected, recorded, std::back_inserter(missing), precedes);
    std::ranges::set_difference(recorded, expected, std::back_inserter(surplus), precedes);
    // A copy that was changed is missing and surplus: the two are told as one where they match.
    for (CopyRecord const& copy : missing) {
        auto const twin = std::ranges::find_if(surplus, [&copy](CopyRecord const& other) {
            int const same = int{other.source == copy.source} +
                             int{other.destination == copy.destination} +
                             int{other.source_offset == copy.source_offset} +
                             int{other.destination_offset == copy.destination_offset} +
                             int{other.count == copy.count};
            return same >= 3;
        });
        Difference difference{Verdict::wrong_plan,
                              Check::copies,
                              std::nullopt,
                              bucket_at(plan, copy.source, copy.source_offset),
                              copy.source,
                              copy_text(copy),
                              "no such copy",
                              "From " + output_place(plan, copy) +
                                  " the right keys are missing: old memory stands there."};
        if (twin != surplus.end()) {
            difference.recorded = copy_text(*twin);
            difference.consequence =
                "Wrong or missing afterwards: " + output_place(plan, copy) + ".";
            surplus.erase(twin);
        } else {
            difference.verdict = Verdict::lost_or_doubled_keys;
        }
        add_difference(report, difference);
    }
    for (CopyRecord const& copy : surplus) {
        add_difference(report,
                       {Verdict::lost_or_doubled_keys,
                        Check::copies,
                        std::nullopt,
                        bucket_at(plan, copy.source, copy.source_offset),
                        copy.source,
                        "no such copy",
                        copy_text(copy),
                        "It writes over " + output_place(plan, copy) + "."});
    }
}

void verify_ownership(RecordedRun const& run,
                      std::vector<OwnershipRecord> const& expected,
                      Report& report) {
    mark_checked(report, Check::ownership);
    std::map<GpuId, std::vector<OwnershipRecord>> recorded;
    for (OwnershipRecord const& record : run.ownership) {
        recorded[record.gpu].push_back(record);
    }
    auto const text = [](OwnershipRecord const& owner) {
        return "keys " + range_text(owner.base, owner.base + owner.count) + " of the output";
    };
    for (OwnershipRecord const& owner : expected) {
        auto const found = recorded.find(owner.gpu);
        Difference difference{Verdict::wrong_plan,
                              Check::ownership,
                              std::nullopt,
                              std::nullopt,
                              owner.gpu,
                              text(owner),
                              "nothing",
                              "Its sorted keys are copied back to the wrong place of the output."};
        if (found == recorded.end()) {
            if (owner.count > 0) {
                add_difference(report, difference);
            }
            continue;
        }
        // Where a GPU that owns nothing would begin says nothing.
        OwnershipRecord const& first = found->second.front();
        bool const same = owner.count == 0 ? first.count == 0 : first == owner;
        if (!same || found->second.size() > 1) {
            difference.recorded = found->second.size() > 1 ? "two ranges" : text(first);
            add_difference(report, difference);
        }
        recorded.erase(found);
    }
    for (auto const& [gpu, records] : recorded) {
        add_difference(report,
                       {Verdict::wrong_plan,
                        Check::ownership,
                        std::nullopt,
                        std::nullopt,
                        gpu,
                        "no such GPU",
                        text(records.front()),
                        "The run has " + std::to_string(expected.size()) + " GPUs."});
    }
}

void verify_balance(RecordedRun const& run, model::Plan const& plan, Report& report) {
    mark_checked(report, Check::balance);
    std::uint64_t const bound = model::owned_max(plan);
    for (OwnershipRecord const& owner : run.ownership) {
        if (owner.count > bound) {
            add_difference(report,
                           {Verdict::imbalance,
                            Check::balance,
                            std::nullopt,
                            std::nullopt,
                            owner.gpu,
                            "at most " + keys_text(bound) + " (C + 2E)",
                            keys_text(owner.count),
                            "The GPU's memory overflows, or it ends long after the others."});
        }
    }
}

void verify_copies(RecordedRun const& run, model::Plan const& plan, Report& report) {
    mark_checked(report, Check::copies);
    std::vector<CopyRecord> const recorded = merged_copies(run.copies);
    switch (layout_of(run, plan)) {
    case SwapLayout::by_bucket:
        compare_copies(merged_copies(model::merged_copies(plan)), recorded, plan, report);
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

} // namespace keyswap::conformance
