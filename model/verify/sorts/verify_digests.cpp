/// \file Checks the digests of buckets before and after the swap, and after the sort.

#include "model/verify/record_text.hpp"
#include "model/verify/run_checks.hpp"
#include "model/verify/sorts/sort_checks.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "traces/format/trace_names.hpp"

#include <array>
#include <map>
#include <optional>
#include <tuple>

namespace keyswap::model::verify {

namespace {

using Place = std::pair<BucketPrefix, GpuId>;
using Digests = std::map<Place, MultisetDigest>;

/// Expected content of a bucket on a GPU.
struct ExpectedDigest {
    MultisetDigest digest;
    bool by_count = false; ///< only the number of keys is known
};
using ExpectedPlaces = std::map<Place, ExpectedDigest>;

MultisetDigest times(std::uint64_t count, MultisetDigest const& one) {
    return {count, count * one.low, count * one.high};
}

/// A stage's digests by bucket and GPU; reports duplicates.
Digests recorded_digests(RecordedRun const& run, DigestStage stage, Report& report) {
    Digests digests;
    for (DigestRecord const& record : run.digests) {
        if (record.stage != stage) {
            continue;
        }
        if (!digests.emplace(Place{record.bucket, record.gpu}, record.digest).second) {
            report.differ(check_of(stage), Verdict::lost_or_duplicated_keys)
                .in(record.bucket)
                .on(record.gpu)
                .expect("one digest")
                .found("two")
                .implies("The bucket lies on the GPU twice, or two buckets are taken for one.");
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
        return all_there ? "Keys are in the wrong buckets."
                         : "The partition lost, doubled or changed keys.";
    case DigestStage::after_sort:
        break;
    }
    return all_there ? "The sort moved keys over the borders of buckets."
                     : "The sort lost, doubled or changed keys.";
}

void compare(DigestStage stage,
             ExpectedPlaces const& expected,
             Digests recorded,
             MultisetDigest const& content,
             Report& report) {
    bool const all_there = total(recorded) == content;
    Difference difference =
        differ(check_of(stage),
               all_there ? Verdict::wrong_execution : Verdict::lost_or_duplicated_keys)
            .implies(consequence_of(stage, all_there));
    for (auto const& [place, known] : expected) {
        auto const& [digest, by_count] = known;
        auto const found = recorded.find(place);
        bool const same = found != recorded.end() && (by_count ? found->second.count == digest.count
                                                               : found->second == digest);
        if (!same) {
            report.add(difference.in(place.first)
                           .on(place.second)
                           .expect(by_count ? keys_text(digest.count) : digest_text(digest))
                           .found(found == recorded.end() ? "none" : digest_text(found->second)));
        }
        if (found != recorded.end()) {
            recorded.erase(found);
        }
    }
    for (auto const& [place, digest] : recorded) {
        report.add(difference.in(place.first)
                       .on(place.second)
                       .expect("no key of this bucket")
                       .found(digest_text(digest)));
    }
}

/// The digest of each key of a single-valued bucket, whose prefix is the key; nullopt if keys have
/// values or may differ.
std::optional<MultisetDigest> element_of(Plan const& plan, PlannedBucket const& bucket) {
    if (plan.config.value_type != ValueType::none) {
        return std::nullopt;
    }
    auto const images = images_of(plan, bucket);
    if (!images.single_valued()) {
        return std::nullopt;
    }
    return key_bits(plan.config.key_type) <= 64
               ? digest_of(static_cast<std::uint64_t>(images.lowest))
               : digest_of_wide(key_image(images.lowest));
}

/// A cut bucket holds equal keys. If they have values, owners may receive any of its pairs, so only
/// the sum over the owners is known; recorded digests are then accepted if they have this sum.
void add_cut_pairs(BucketPrefix bucket,
                   std::vector<OwnedPart> const& owners,
                   MultisetDigest const& sum,
                   Digests const& recorded,
                   ExpectedPlaces& places) {
    MultisetDigest recorded_sum;
    bool counts_agree = true;
    for (OwnedPart const& part : owners) {
        auto const found = recorded.find({bucket, part.gpu});
        std::uint64_t const count = found == recorded.end() ? 0 : found->second.count;
        counts_agree = counts_agree && count == part.range.size();
        if (found != recorded.end()) {
            recorded_sum += found->second;
        }
    }
    bool const adds_up = counts_agree && recorded_sum == sum;
    for (OwnedPart const& part : owners) {
        if (part.range.size() > 0) {
            places[{bucket, part.gpu}] = {
                adds_up ? recorded.at({bucket, part.gpu})
                        : MultisetDigest{part.range.size(), sum.low, sum.high}};
        }
    }
}

constexpr std::array stages{
    DigestStage::before_swap, DigestStage::after_swap, DigestStage::after_sort};

/// \param known digest of the bucket on this GPU according to earlier records
void add_implied(Plan const& plan,
                 PlannedBucket const& bucket,
                 GpuId gpu,
                 std::uint64_t count,
                 std::optional<MultisetDigest> known,
                 ExpectedPlaces& places) {
    if (auto const element = element_of(plan, bucket)) {
        known = times(count, *element);
    }
    if (count > 0) {
        bool const exact = known && known->count == count;
        places[{bucket.placement.bucket, gpu}] = {exact ? *known : MultisetDigest{count, 0, 0},
                                                  !exact};
    }
}

std::optional<MultisetDigest> digest_at_place(Digests const& digests, Place const& place) {
    auto const found = digests.find(place);
    return found == digests.end() ? std::nullopt : std::optional(found->second);
}

/// Each GPU's part of each bucket; sizes from the histograms.
/// \param expected null if the keys are not available
ExpectedPlaces parts_before_swap(Plan const& plan, ExpectedDigests const* expected) {
    ExpectedPlaces places;
    for (std::size_t i = 0; i < plan.buckets.size(); ++i) {
        PlannedBucket const& bucket = plan.buckets[i];
        for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
            add_implied(plan,
                        bucket,
                        gpu,
                        part_size(plan, bucket, gpu),
                        expected != nullptr ? std::optional(expected->parts[gpu.value][i])
                                            : std::nullopt,
                        places);
        }
    }
    return places;
}

/// Each bucket on its owners: the sum of its parts, or its digest at an earlier stage.
/// \param sums of the buckets' parts, if known
/// \param earlier digests of an earlier stage on the owners; empty if not recorded
/// \param pairs recorded digests of this stage, for cut buckets of pairs if the keys are available
ExpectedPlaces places_on_owners(Plan const& plan,
                                std::map<BucketPrefix, MultisetDigest> const& sums,
                                Digests const& earlier,
                                Digests const* pairs) {
    ExpectedPlaces places;
    for (PlannedBucket const& bucket : plan.buckets) {
        BucketPrefix const prefix = bucket.placement.bucket;
        auto const owners = owned_parts(plan.chunks, bucket.placement);
        auto const sum = sums.find(prefix);
        bool const is_cut = bucket.placement.state == PlacementState::cut;
        if (pairs != nullptr && is_cut && !element_of(plan, bucket)) {
            add_cut_pairs(prefix, owners, sum->second, *pairs, places);
            continue;
        }
        for (OwnedPart const& part : owners) {
            auto known = digest_at_place(earlier, {prefix, part.gpu});
            if (!known && owners.size() == 1 && sum != sums.end()) {
                known = sum->second;
            }
            add_implied(plan, bucket, part.gpu, part.range.size(), known, places);
        }
    }
    return places;
}

std::map<BucketPrefix, MultisetDigest> sums_by_bucket(Plan const& plan,
                                                      ExpectedDigests const& expected) {
    std::map<BucketPrefix, MultisetDigest> sums;
    for (std::size_t i = 0; i < plan.buckets.size(); ++i) {
        for (auto const& of_gpu : expected.parts) {
            sums[plan.buckets[i].placement.bucket] += of_gpu[i];
        }
    }
    return sums;
}

std::map<BucketPrefix, MultisetDigest> sums_by_bucket(Digests const& digests) {
    std::map<BucketPrefix, MultisetDigest> sums;
    for (auto const& [place, digest] : digests) {
        sums[place.first] += digest;
    }
    return sums;
}

/// Reports buckets whose keys differ from the previous stage. \param before empty for the first
void compare_sums(DigestStage stage,
                  std::map<BucketPrefix, MultisetDigest> const& before,
                  std::map<BucketPrefix, MultisetDigest> const& sums,
                  Report& report) {
    for (auto const& [bucket, known] : before) {
        auto const sum = sums.find(bucket);
        if (sum != sums.end() && sum->second != known) {
            report.differ(check_of(stage), Verdict::lost_or_duplicated_keys)
                .in(bucket)
                .expect(digest_text(known))
                .found(digest_text(sum->second))
                .implies(consequence_of(stage, false));
        }
    }
}

} // namespace

void verify_digests(RecordedRun const& run,
                    Plan const& plan,
                    ExpectedDigests const* expected,
                    Report& report) {
    std::map<BucketPrefix, MultisetDigest> parts;
    std::map<BucketPrefix, MultisetDigest> before;
    Digests earlier;
    for (DigestStage const stage : stages) {
        Digests const recorded = recorded_digests(run, stage, report);
        bool const before_swap = stage == DigestStage::before_swap;
        if (recorded.empty()) {
            if (expected != nullptr && run.header.key_count > 0) {
                report.skip(check_of(stage), "the trace has none");
            }
            continue;
        }
        report.mark_checked(check_of(stage));
        if (expected != nullptr) {
            compare(stage,
                    before_swap
                        ? parts_before_swap(plan, expected)
                        : places_on_owners(plan, sums_by_bucket(plan, *expected), {}, &recorded),
                    recorded,
                    expected->content,
                    report);
            continue;
        }
        auto sums = sums_by_bucket(recorded);
        MultisetDigest const content = run.header.input.content.value_or(total(recorded));
        std::size_t const differences = report.differences.size();
        compare(stage,
                before_swap ? parts_before_swap(plan, nullptr)
                            : places_on_owners(plan, parts, earlier, nullptr),
                recorded,
                content,
                report);
        if (report.differences.size() == differences) { // for cut buckets only sums are known
            compare_sums(stage, before, sums, report);
        }
        if (report.differences.size() == differences && total(recorded) != content) {
            report.differ(check_of(stage), Verdict::lost_or_duplicated_keys)
                .expect(digest_text(content))
                .found(digest_text(total(recorded)))
                .implies(consequence_of(stage, false));
        }
        if (before_swap) {
            parts = sums;
        } else {
            earlier = recorded;
        }
        before = std::move(sums);
    }
}

} // namespace keyswap::model::verify
