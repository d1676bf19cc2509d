/// \file Ownership, balance and copies of the key swap.

#include "proptests/verify_parts.hpp"

#include "model/key_swap.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace keyswap::conformance {

namespace {

using Pair = std::pair<GpuId, GpuId>; ///< source, destination

auto by_pair_and_source_offset(CopyRecord const& copy) {
    return std::tuple(
        copy.source, copy.destination, copy.source_offset, copy.destination_offset, copy.count);
}

/// Copies of one pair that continue each other at both ends are one; copies without keys are none.
std::vector<CopyRecord> merged(std::vector<CopyRecord> copies) {
    std::erase_if(copies, [](CopyRecord const& copy) { return copy.count == 0; });
    std::ranges::sort(copies, {}, by_pair_and_source_offset);
    std::vector<CopyRecord> result;
    for (CopyRecord const& copy : copies) {
        bool const joins =
            !result.empty() && result.back().source == copy.source &&
            result.back().destination == copy.destination &&
            result.back().source_offset + result.back().count == copy.source_offset &&
            result.back().destination_offset + result.back().count == copy.destination_offset;
        if (joins) {
            result.back().count += copy.count;
        } else {
            result.push_back(copy);
        }
    }
    return result;
}

std::string copy_text(CopyRecord const& copy) {
    return "keys " + range_text(copy.source_offset, copy.source_offset + copy.count) + " of GPU " +
           std::to_string(copy.source.value) + " to " +
           range_text(copy.destination_offset, copy.destination_offset + copy.count) + " of GPU " +
           std::to_string(copy.destination.value);
}

/// The bucket whose keys lie at an offset of a source before the swap.
std::optional<BucketPrefix>
bucket_at(model::Plan const& plan, GpuId source, std::uint64_t source_offset) {
    if (source.value >= plan.config.gpu_count) {
        return std::nullopt;
    }
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
    if (copy.destination.value >= plan.ownership.size()) {
        return "no place of the output";
    }
    std::uint64_t const begin =
        plan.ownership[copy.destination.value].base + copy.destination_offset;
    return "keys " + range_text(begin, begin + copy.count) + " of the output";
}

/// Every copy that only one of the two sides has.
void compare_copies(std::vector<CopyRecord> const& expected,
                    std::vector<CopyRecord> const& recorded,
                    model::Plan const& plan,
                    Report& report) {
    auto const less = [](CopyRecord const& a, CopyRecord const& b) {
        return by_pair_and_source_offset(a) < by_pair_and_source_offset(b);
    };
    std::vector<CopyRecord> missing;
    std::vector<CopyRecord> surplus;
    std::ranges::set_difference(expected, recorded, std::back_inserter(missing), less);
    std::ranges::set_difference(recorded, expected, std::back_inserter(surplus), less);
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

/// A stretch of a GPU's memory.
struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t count = 0;
};

/// Says where stretches leave a gap or overlap; nothing where they follow each other from `begin`.
std::optional<std::string> gap_or_overlap(std::vector<Stretch> stretches, std::uint64_t begin) {
    std::ranges::sort(stretches, {}, &Stretch::begin);
    std::uint64_t at = begin;
    for (Stretch const& stretch : stretches) {
        if (stretch.begin != at) {
            return std::string(stretch.begin > at ? "a gap" : "an overlap") + " at offset " +
                   std::to_string(std::min(at, stretch.begin));
        }
        at += stretch.count;
    }
    return std::nullopt;
}

/// Sent from, or arriving at, each GPU.
void verify_tiling(std::map<GpuId, std::vector<Stretch>> const& stretches,
                   bool arriving,
                   Report& report) {
    for (auto const& [gpu, of_gpu] : stretches) {
        // Arrivals fill what the GPU owns from its beginning; a chunk may lie anywhere.
        std::uint64_t const begin =
            arriving ? 0 : std::ranges::min_element(of_gpu, {}, &Stretch::begin)->begin;
        if (auto const problem = gap_or_overlap(of_gpu, begin)) {
            add_difference(report,
                           {Verdict::lost_or_doubled_keys,
                            Check::copies,
                            std::nullopt,
                            std::nullopt,
                            gpu,
                            arriving ? "arrivals without gap or overlap"
                                     : "a chunk that is sent without gap or overlap",
                            *problem,
                            arriving ? "Keys are written over, or old memory is sorted."
                                     : "Keys are sent twice, and others never."});
        }
    }
}

void verify_own_layout(std::vector<CopyRecord> const& expected,
                       std::vector<CopyRecord> const& recorded,
                       model::Plan const& plan,
                       Report& report) {
    std::map<Pair, std::pair<std::uint64_t, std::uint64_t>> counts; ///< expected, recorded
    for (CopyRecord const& copy : expected) {
        counts[{copy.source, copy.destination}].first += copy.count;
    }
    std::map<GpuId, std::vector<Stretch>> sent;
    std::map<GpuId, std::vector<Stretch>> arrived;
    for (CopyRecord const& copy : recorded) {
        counts[{copy.source, copy.destination}].second += copy.count;
        sent[copy.source].push_back({copy.source_offset, copy.count});
        arrived[copy.destination].push_back({copy.destination_offset, copy.count});
    }
    for (auto const& [pair, keys] : counts) {
        if (keys.first != keys.second) {
            std::string const destination = std::to_string(pair.second.value);
            add_difference(report,
                           {Verdict::lost_or_doubled_keys,
                            Check::copies,
                            std::nullopt,
                            std::nullopt,
                            pair.first,
                            keys_text(keys.first) + " to GPU " + destination,
                            keys_text(keys.second),
                            keys.second < keys.first ? "Keys are lost on the way."
                                                     : "Keys arrive that are not due there."});
        }
    }
    if (plan.config.key_count > 0) {
        verify_tiling(sent, false, report);
        verify_tiling(arrived, true, report);
    }
}

} // namespace

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
    std::uint64_t const bound = plan.chunks.size() + 2 * plan.tolerance;
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
    std::vector<CopyRecord> const expected = merged(model::merged_copies(plan));
    std::vector<CopyRecord> const recorded = merged(run.copies);
    bool const own_layout = run.header.variant == "fast" && plan.passes.size() == 1;
    if (own_layout && expected != recorded) {
        verify_own_layout(expected, recorded, plan, report);
    } else {
        compare_copies(expected, recorded, plan, report);
    }
}

} // namespace keyswap::conformance
