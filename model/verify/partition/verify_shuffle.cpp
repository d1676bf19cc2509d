/// \file Checks the exchange of a multisplit across GPUs: counts and owners of buckets determine
/// all of it.

#include "model/partition/shuffle.hpp"
#include "model/verify/partition/partition_parts.hpp"
#include "model/verify/record_text.hpp"
#include "model/verify/sorts/sort_checks.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace keyswap::model::verify {

namespace {

class ShuffleVerifier {
  public:
    ShuffleVerifier(RecordedRun const& run, SplitChunks const& split, Report& report)
        : run_(run), split_(split), report_(report),
          buckets_(split.counts.empty() ? 0 : split.counts.front().size()) {}

    void verify() {
        if (run_.header.layout != SwapLayout::by_bucket) {
            report_.differ(Check::copies)
                .expect("layout by_bucket, as every shuffle has")
                .found("layout " + std::string(to_string(*run_.header.layout)))
                .implies("Its copies cannot be read.");
        }
        bool const counted = std::ranges::all_of(split_.counts, [this](auto const& of_gpu) {
            return buckets_ != 0 && of_gpu.size() == buckets_;
        });
        if (split_.counts.size() != run_.gpu_count() || !counted) {
            report_.skip(Check::placements, "the counts of the shuffle are not known");
            return;
        }
        auto const owners = owners_of_buckets();
        if (!owners) {
            return;
        }
        Shuffle const expected = plan_shuffle(split_.counts, *owners);
        verify_placements(expected.placements);
        verify_ownership(run_, expected.ownership, report_);
        verify_copies(expected.copies);
        verify_arrivals(*owners);
    }

  private:
    /// \return nullopt if the header's parameter is invalid
    std::optional<std::vector<GpuId>> owners_of_buckets() {
        std::uint64_t const given = run_.header.parameters.at(std::string(given_owners_parameter));
        if (given > 1) {
            report_.differ(Check::placements)
                .expect("0 or 1 for " + std::string(given_owners_parameter))
                .found(std::to_string(given))
                .implies("Who chose the owners is unclear.");
            return std::nullopt;
        }
        auto owners = even_owners(static_cast<std::uint32_t>(buckets_), run_.gpu_count());
        if (given == 1) {
            // Any GPU may own an empty bucket; the check of placements below reports missing
            // records.
            for (PlacementRecord const& record : run_.placements) {
                if (record.bucket.prefix < buckets_) {
                    owners[record.bucket.prefix] = record.first;
                }
            }
        }
        return owners;
    }

    void verify_placements(std::vector<PlacementRecord> const& expected) {
        report_.mark_checked(Check::placements);
        std::vector<PlacementRecord> recorded = run_.placements;
        std::ranges::stable_sort(
            recorded, {}, [](PlacementRecord const& one) { return one.bucket.prefix; });
        auto at = recorded.begin();
        auto const surplus = [this](PlacementRecord const& record) {
            add_placement("no such placement", text_of(record), record.bucket.prefix);
        };
        for (PlacementRecord const& one : expected) {
            while (at != recorded.end() && at->bucket < one.bucket) {
                surplus(*at++);
            }
            if (at == recorded.end() || at->bucket != one.bucket) {
                add_placement(text_of(one), "nothing", one.bucket.prefix);
                continue;
            }
            if (*at != one) {
                add_placement(text_of(one), text_of(*at), one.bucket.prefix);
            }
            ++at;
        }
        std::for_each(at, recorded.end(), surplus);
    }
    void add_placement(std::string expected, std::string recorded, std::uint64_t bucket) {
        report_.differ(Check::placements)
            .in(step_bucket(bucket))
            .expect(std::move(expected))
            .found(std::move(recorded))
            .implies("Keys of the bucket are looked for where they are not.");
    }
    static std::string text_of(PlacementRecord const& record) {
        std::string text = "keys " + range_text(record.begin, record.end) +
                           " of the output, on GPU " + std::to_string(record.first.value);
        if (record.last != record.first) {
            text += " to " + std::to_string(record.last.value);
        }
        return record.state == PlacementState::placed ? text : text + ", not placed";
    }

    void verify_copies(std::vector<CopyRecord> const& expected) {
        report_.mark_checked(Check::copies);
        std::vector<CopyRecord> const right = merged_copies(expected);
        std::vector<CopyRecord> const recorded = merged_copies(run_.copies);
        std::vector<CopyRecord> missing;
        std::vector<CopyRecord> surplus;
        std::ranges::set_difference(right, recorded, std::back_inserter(missing), precedes);
        std::ranges::set_difference(recorded, right, std::back_inserter(surplus), precedes);
        for (CopyRecord const& copy : missing) {
            auto const twin = std::ranges::find_if(surplus, [&](CopyRecord const& other) {
                return other.source == copy.source && other.source_offset == copy.source_offset;
            });
            bool const is_other = twin != surplus.end();
            add_copy(copy, text_of(copy), is_other ? text_of(*twin) : "no such copy");
            if (is_other) {
                surplus.erase(twin);
            }
        }
        for (CopyRecord const& copy : surplus) {
            add_copy(copy, "no such copy", text_of(copy));
        }
    }
    void add_copy(CopyRecord const& copy, std::string expected, std::string recorded) {
        report_.differ(Check::copies, Verdict::lost_or_duplicated_keys)
            .on(copy.source)
            .expect(std::move(expected))
            .found(std::move(recorded))
            .implies("Keys are missing where they belong, or lie over others.");
    }
    static std::string text_of(CopyRecord const& copy) {
        std::string text = keys_text(copy.count) + " from " + std::to_string(copy.source_offset) +
                           " to GPU " + std::to_string(copy.destination.value) + " at " +
                           std::to_string(copy.destination_offset);
        return copy.stage == 0 ? text : text + " in stage " + std::to_string(copy.stage);
    }

    /// Checks the digests of buckets on their owners.
    void verify_arrivals(std::vector<GpuId> const& owners) {
        std::vector<DigestRecord const*> recorded(buckets_);
        bool any = false;
        for (DigestRecord const& record : run_.digests) {
            if (record.stage != DigestStage::after_swap) {
                continue;
            }
            any = true;
            std::uint64_t const bucket = record.bucket.prefix;
            bool const there = bucket < buckets_ && recorded[bucket] == nullptr;
            if (there) {
                recorded[bucket] = &record;
                continue;
            }
            add_arrival(bucket < buckets_ ? "one digest of the bucket"
                                          : "a bucket below " + std::to_string(buckets_),
                        "another digest",
                        record.gpu,
                        bucket);
        }
        if (!any) {
            if (run_.header.key_count > 0) {
                report_.skip(Check::digests_after_swap, "the run recorded none");
            }
            return;
        }
        bool const known = std::ranges::all_of(
            split_.digests, [this](auto const& of_gpu) { return of_gpu.size() == buckets_; });
        report_.mark_checked(Check::digests_after_swap);
        for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
            MultisetDigest sum;
            for (std::size_t gpu = 0; gpu < split_.counts.size(); ++gpu) {
                if (known) {
                    sum += split_.digests[gpu][bucket];
                } else {
                    sum.count += split_.counts[gpu][bucket];
                }
            }
            DigestRecord const* const record = recorded[bucket];
            MultisetDigest const arrived = record == nullptr ? MultisetDigest{} : record->digest;
            bool const elsewhere = record != nullptr && record->gpu != owners[bucket];
            bool const right = known ? arrived == sum : arrived.count == sum.count;
            if (elsewhere || !right) {
                add_arrival(digest_text(sum) + " on GPU " + std::to_string(owners[bucket].value),
                            digest_text(arrived),
                            elsewhere ? record->gpu : owners[bucket],
                            bucket);
            }
        }
    }
    void add_arrival(std::string expected, std::string recorded, GpuId gpu, std::uint64_t bucket) {
        report_.differ(Check::digests_after_swap, Verdict::wrong_execution)
            .on(gpu)
            .in(step_bucket(bucket))
            .expect(std::move(expected))
            .found(std::move(recorded))
            .implies("The copies did not bring what they say.");
    }

    RecordedRun const& run_;
    SplitChunks const& split_;
    Report& report_;
    std::size_t buckets_;
};

} // namespace

void verify_shuffle(RecordedRun const& run, SplitChunks const& split, Report& report) {
    ShuffleVerifier(run, split, report).verify();
}

} // namespace keyswap::model::verify
