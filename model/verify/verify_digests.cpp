/// \file Digests of buckets before and after the swap, and after the sort.

#include "model/verify/verify_parts.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "traces/format/trace_names.hpp"

#include <array>
#include <map>
#include <tuple>

namespace keyswap::conformance {

namespace {

using Place = std::pair<BucketPrefix, GpuId>;
using Digests = std::map<Place, MultisetDigest>;

MultisetDigest times(std::uint64_t count, MultisetDigest const& one) {
    return {count, count * one.low, count * one.high};
}

/// A stage's records by place. Two of one place are reported.
Digests recorded_digests(RecordedRun const& run, DigestStage stage, Report& report) {
    Digests digests;
    for (DigestRecord const& record : run.digests) {
        if (record.stage != stage) {
            continue;
        }
        if (!digests.emplace(Place{record.bucket, record.gpu}, record.digest).second) {
            add_difference(report,
                           {Verdict::lost_or_doubled_keys,
                            check_of(stage),
                            std::nullopt,
                            record.bucket,
                            record.gpu,
                            "one digest",
                            "two",
                            "The bucket lies on the GPU twice, or two buckets are taken for one."});
        }
    }
    return digests;
}

MultisetDigest total(Digests const& digests) {
    MultisetDigest sum;
    for (auto const& [place, digest] : digests) {
        sum += digest;
    }
    return sum;
}

std::string consequence_of(DigestStage stage, bool all_there) {
    switch (stage) {
    case DigestStage::before_swap:
        return all_there ? "The scatter put keys into the parts of other buckets."
                         : "The scatter lost, doubled or changed keys.";
    case DigestStage::after_swap:
        return all_there ? "The swap brought keys to buckets that are not theirs: the output is "
                           "out of order."
                         : "The swap lost, doubled or changed keys; the row count alone would not "
                           "show it.";
    case DigestStage::after_step:
        return all_there ? "Keys lie in the buckets of others."
                         : "The partition lost, doubled or changed keys.";
    case DigestStage::after_sort:
        break;
    }
    return all_there ? "The sort moved keys over the borders of buckets."
                     : "The sort lost, doubled or changed keys.";
}

void compare(DigestStage stage,
             Digests const& expected,
             Digests recorded,
             MultisetDigest const& content,
             Report& report) {
    bool const all_there = total(recorded) == content;
    Difference difference{all_there ? Verdict::wrong_execution : Verdict::lost_or_doubled_keys,
                          check_of(stage),
                          std::nullopt,
                          {},
                          {},
                          {},
                          {},
                          consequence_of(stage, all_there)};
    for (auto const& [place, digest] : expected) {
        auto const found = recorded.find(place);
        bool const same = found != recorded.end() && found->second == digest;
        if (!same) {
            difference.bucket = place.first;
            difference.gpu = place.second;
            difference.expected = digest_text(digest);
            difference.recorded = found == recorded.end() ? "none" : digest_text(found->second);
            add_difference(report, difference);
        }
        if (found != recorded.end()) {
            recorded.erase(found);
        }
    }
    for (auto const& [place, digest] : recorded) {
        difference.bucket = place.first;
        difference.gpu = place.second;
        difference.expected = "no key of this bucket";
        difference.recorded = digest_text(digest);
        add_difference(report, difference);
    }
}

Digests digests_before_swap(model::Plan const& plan, ExpectedDigests const& expected) {
    Digests digests;
    for (std::uint32_t gpu = 0; gpu < expected.parts.size(); ++gpu) {
        for (std::size_t bucket = 0; bucket < plan.buckets.size(); ++bucket) {
            if (expected.parts[gpu][bucket].count > 0) {
                digests[{plan.buckets[bucket].placement.bucket, GpuId{gpu}}] =
                    expected.parts[gpu][bucket];
            }
        }
    }
    return digests;
}

bool is_cut(model::PlannedBucket const& bucket) {
    return bucket.placement.state == PlacementState::cut;
}

/// A cut bucket holds one key value; with values it is open which of its pairs an owner gets, so
/// that only the sum over its owners is known. Then what was recorded is taken where it adds up.
void add_cut_bucket(model::Plan const& plan,
                    model::PlannedBucket const& bucket,
                    MultisetDigest const& sum,
                    Digests const& recorded,
                    Digests& digests) {
    BucketPrefix const prefix = bucket.placement.bucket;
    auto const owners = model::owned_parts(plan.chunks, bucket.placement);
    if (plan.config.value_type == ValueType::none) {
        model::uint128 const image = model::images_of(plan, bucket).lowest;
        MultisetDigest const element = key_bits(plan.config.key_type) <= 64
                                           ? digest_of(static_cast<std::uint64_t>(image))
                                           : digest_of_wide(model::key_image(image));
        for (model::OwnedPart const& part : owners) {
            if (part.range.size() > 0) {
                digests[{prefix, part.gpu}] = times(part.range.size(), element);
            }
        }
        return;
    }
    MultisetDigest recorded_sum;
    bool counts_agree = true;
    for (model::OwnedPart const& part : owners) {
        auto const found = recorded.find({prefix, part.gpu});
        std::uint64_t const count = found == recorded.end() ? 0 : found->second.count;
        counts_agree = counts_agree && count == part.range.size();
        if (found != recorded.end()) {
            recorded_sum += found->second;
        }
    }
    for (model::OwnedPart const& part : owners) {
        if (part.range.size() == 0) {
            continue;
        }
        bool const adds_up = counts_agree && recorded_sum == sum;
        digests[{prefix, part.gpu}] = adds_up
                                          ? recorded.at({prefix, part.gpu})
                                          : MultisetDigest{part.range.size(), sum.low, sum.high};
    }
}

Digests digests_after_swap(model::Plan const& plan,
                           ExpectedDigests const& expected,
                           Digests const& recorded) {
    Digests digests;
    for (std::size_t i = 0; i < plan.buckets.size(); ++i) {
        MultisetDigest sum;
        for (auto const& of_gpu : expected.parts) {
            sum += of_gpu[i];
        }
        if (is_cut(plan.buckets[i])) {
            add_cut_bucket(plan, plan.buckets[i], sum, recorded, digests);
        } else {
            PlacementRecord const& placement = plan.buckets[i].placement;
            digests[{placement.bucket, placement.first}] = sum;
        }
    }
    return digests;
}

constexpr std::array stages{
    DigestStage::before_swap, DigestStage::after_swap, DigestStage::after_sort};

} // namespace

Check check_of(DigestStage stage) {
    switch (stage) {
    case DigestStage::before_swap:
        return Check::digests_before_swap;
    case DigestStage::after_swap:
        return Check::digests_after_swap;
    case DigestStage::after_step:
        return Check::digests_after_step;
    case DigestStage::after_sort:
        break;
    }
    return Check::digests_after_sort;
}

void verify_digests(RecordedRun const& run,
                    model::Plan const& plan,
                    ExpectedDigests const& expected,
                    Report& report) {
    for (DigestStage const stage : stages) {
        Digests const recorded = recorded_digests(run, stage, report);
        if (recorded.empty()) {
            if (run.header.key_count > 0) {
                report.unchecked.push_back({check_of(stage), "the trace has none"});
            }
            continue;
        }
        mark_checked(report, check_of(stage));
        compare(stage,
                stage == DigestStage::before_swap ? digests_before_swap(plan, expected)
                                                  : digests_after_swap(plan, expected, recorded),
                recorded,
                expected.content,
                report);
    }
}

void verify_digest_sums(RecordedRun const& run, model::Plan const& plan, Report& report) {
    std::map<BucketPrefix, MultisetDigest> before;
    for (DigestStage const stage : stages) {
        Digests const recorded = recorded_digests(run, stage, report);
        if (recorded.empty()) {
            continue;
        }
        mark_checked(report, check_of(stage));
        std::map<BucketPrefix, MultisetDigest> sums;
        for (auto const& [place, digest] : recorded) {
            sums[place.first] += digest;
        }
        for (model::PlannedBucket const& bucket : plan.buckets) {
            PlacementRecord const& placement = bucket.placement;
            MultisetDigest const& sum = sums[placement.bucket];
            bool const counted = sum.count == placement.end - placement.begin;
            auto const known = before.find(placement.bucket);
            if (!counted || (known != before.end() && known->second != sum)) {
                add_difference(report,
                               {Verdict::lost_or_doubled_keys,
                                check_of(stage),
                                std::nullopt,
                                placement.bucket,
                                std::nullopt,
                                known != before.end() ? digest_text(known->second)
                                                      : keys_text(placement.end - placement.begin),
                                digest_text(sum),
                                consequence_of(stage, false)});
            }
        }
        if (before.empty()) {
            before = std::move(sums);
        }
        if (run.header.input.content && total(recorded) != *run.header.input.content) {
            add_difference(report,
                           {Verdict::lost_or_doubled_keys,
                            check_of(stage),
                            std::nullopt,
                            std::nullopt,
                            std::nullopt,
                            digest_text(*run.header.input.content),
                            digest_text(total(recorded)),
                            consequence_of(stage, false)});
        }
    }
}

} // namespace keyswap::conformance
