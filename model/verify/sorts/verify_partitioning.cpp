/// \file Checks histograms and placements of the partitioning passes.

#include "model/verify/record_text.hpp"
#include "model/verify/sorts/sort_checks.hpp"

#include "traces/errors/hex_text.hpp"
#include "traces/format/trace_names.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace keyswap::model::verify {

namespace {

using RowKey = std::pair<BucketPrefix, GpuId>;

/// First index of each refined bucket in sorted order.
std::map<BucketPrefix, std::uint64_t> begins_of_refined(Plan const& plan) {
    std::map<BucketPrefix, std::uint64_t> begins{{BucketPrefix{0, 0}, 0}};
    for (PassPlan const& pass : plan.passes) {
        for (PlannedBucket const& bucket : pass.buckets) {
            begins[bucket.placement.bucket] = bucket.placement.begin;
        }
    }
    return begins;
}

/// Offset of each refined bucket's part in each GPU's memory, derived from the histograms.
class PartOffsets {
  public:
    explicit PartOffsets(Plan const& plan) : plan_(plan) {
        offsets_[{BucketPrefix{0, 0}, GpuId{0}}] = 0;
    }
    /// \pre called for parents before their children
    std::uint64_t of(BucketHistogram const& histogram, GpuId gpu) {
        RowKey const key{histogram.bucket(), gpu};
        auto const known = offsets_.find(key);
        std::uint64_t offset = known == offsets_.end() ? 0 : known->second;
        if (histogram.bucket().pass == 0) {
            offset = 0;
        }
        std::uint64_t next = offset;
        auto const counts = histogram.of(gpu);
        for (std::uint32_t digit = 0; digit < counts.size(); ++digit) {
            offsets_[{child_of(plan_, histogram.bucket(), digit), gpu}] = next;
            next += counts[digit];
        }
        return offset;
    }

  private:
    Plan const& plan_;
    std::map<RowKey, std::uint64_t> offsets_;
};

struct CountChange {
    std::size_t digit = 0;
    std::uint64_t expected = 0;
    std::uint64_t recorded = 0;
    std::size_t digits_changed = 0;
};

CountChange first_change(std::span<std::uint64_t const> expected,
                         std::span<std::uint64_t const> recorded) {
    CountChange change;
    for (std::size_t digit = expected.size(); digit-- > 0;) {
        if (expected[digit] != recorded[digit]) {
            change = {digit, expected[digit], recorded[digit], change.digits_changed + 1};
        }
    }
    return change;
}

std::string count_consequence(BucketHistogram const& histogram,
                              CountChange const& change,
                              std::uint64_t bucket_begin) {
    auto const totals = histogram.total();
    std::uint64_t const begin = std::accumulate(
        totals.begin(), totals.begin() + static_cast<std::ptrdiff_t>(change.digit), bucket_begin);
    bool const more = change.recorded > change.expected;
    std::uint64_t const by =
        more ? change.recorded - change.expected : change.expected - change.recorded;
    std::string text = "Keys of higher digits are placed " + keys_text(by) + " too " +
                       (more ? "late" : "early") + ", from index " +
                       std::to_string(begin + change.expected) + " of the output on";
    if (change.digits_changed > 1) {
        text += " (" + std::to_string(change.digits_changed) + " digits of this row differ)";
    } else {
        text += more ? "; unwritten places appear among the keys" : "; keys are written over";
    }
    return text + ".";
}

void compare_row(HistogramRecord const& record,
                 BucketHistogram const& histogram,
                 std::uint64_t offset,
                 std::uint64_t bucket_begin,
                 Report& report) {
    Difference difference = differ(Check::histograms, Verdict::wrong_execution)
                                .in_pass(pass_after(record.bucket))
                                .in(record.bucket)
                                .on(record.gpu);
    auto const expected = histogram.of(record.gpu);
    if (record.counts.size() != expected.size()) {
        report.add(difference.expect(std::to_string(expected.size()) + " digits")
                       .found(std::to_string(record.counts.size()))
                       .implies("The pass reads other bits than its width says."));
        return;
    }
    if (!std::ranges::equal(record.counts, expected)) {
        CountChange const change = first_change(expected, record.counts);
        report.add(
            difference.expect(keys_text(change.expected) + " of digit 0x" + hex_text(change.digit))
                .found(std::to_string(change.recorded))
                .implies(count_consequence(histogram, change, bucket_begin)));
    }
    if (record.offset != offset) {
        difference.verdict = Verdict::wrong_plan;
        report.add(difference.expect("the part at offset " + std::to_string(offset))
                       .found(std::to_string(record.offset))
                       .implies("Keys of another bucket are counted and scattered in its place."));
    }
}

bool is_empty_row(std::span<std::uint64_t const> counts) {
    return std::ranges::all_of(counts, [](std::uint64_t count) { return count == 0; });
}

std::string state_text(PlacementRecord const& placement) {
    std::string text = std::string(to_string(placement.state));
    text += placement.first == placement.last
                ? " on GPU " + std::to_string(placement.first.value)
                : " over GPUs " + std::to_string(placement.first.value) + " to " +
                      std::to_string(placement.last.value);
    return text;
}

std::string placement_consequence(PlacementRecord const& expected,
                                  PlacementRecord const& recorded) {
    if (expected.begin != recorded.begin || expected.end != recorded.end) {
        bool const shifted = recorded.begin != expected.begin;
        return shifted ? "Its keys land in the places of other buckets: the output is shifted from "
                         "index " +
                             std::to_string(std::min(expected.begin, recorded.begin)) + " on."
                       : "It " +
                             std::string(recorded.end > expected.end ? "runs into"
                                                                     : "leaves a gap before") +
                             " the next bucket at index " + std::to_string(expected.end) + ".";
    }
    std::string const keys = "Keys " + range_text(expected.begin, expected.end) + " of the output ";
    if (expected.state == PlacementState::spanning && recorded.state != PlacementState::spanning) {
        return keys + "remain together on a GPU although they cross a border: the GPU is overfull.";
    }
    if (recorded.state == PlacementState::spanning) {
        return keys +
               "are partitioned once more than needed, or not at all where it was the last pass.";
    }
    return keys + "are sorted on another GPU: the output is out of order at GPU borders.";
}

/// The recorded histograms; reports those that occur twice.
std::map<RowKey, HistogramRecord const*> histograms_by_row(RecordedRun const& run, Report& report) {
    std::map<RowKey, HistogramRecord const*> recorded;
    for (HistogramRecord const& record : run.histograms) {
        if (!recorded.emplace(RowKey{record.bucket, record.gpu}, &record).second) {
            report.differ(Check::histograms, Verdict::wrong_execution)
                .in_pass(pass_after(record.bucket))
                .in(record.bucket)
                .on(record.gpu)
                .expect("one histogram")
                .found("two")
                .implies("It is unclear which one the placement used.");
        }
    }
    return recorded;
}

/// Reports that a GPU with keys of the bucket has no histogram of it.
/// \param others_have_one other GPUs have, so that the trace has not lost the bucket's records
void add_missing_row(BucketHistogram const& histogram,
                     GpuId gpu,
                     bool others_have_one,
                     Report& report) {
    auto const row = histogram.of(gpu);
    std::uint64_t const keys = std::accumulate(row.begin(), row.end(), std::uint64_t{0});
    report
        .differ(Check::histograms,
                others_have_one ? Verdict::wrong_execution : Verdict::incomplete_trace)
        .in_pass(histogram.bucket().pass + 1)
        .in(histogram.bucket())
        .on(gpu)
        .expect("a histogram of " + keys_text(keys))
        .found("none")
        .implies("The keys of this part are left out of the placement.");
}

} // namespace

int pass_after(BucketPrefix bucket) {
    return bucket.pass < std::numeric_limits<int>::max() ? bucket.pass + 1 : bucket.pass;
}

void verify_histograms(RecordedRun const& run, Plan const& plan, Report& report) {
    report.mark_checked(Check::histograms);
    auto recorded = histograms_by_row(run, report);
    std::set<BucketPrefix> buckets;
    for (auto const& [key, record] : recorded) {
        buckets.insert(key.first);
    }
    auto const begins = begins_of_refined(plan);
    PartOffsets offsets(plan);
    for (PassPlan const& pass : plan.passes) {
        for (BucketHistogram const& histogram : pass.histograms) {
            BucketPrefix const bucket = histogram.bucket();
            for (GpuId gpu{0}; gpu.value < histogram.gpu_count(); ++gpu.value) {
                std::uint64_t const offset = offsets.of(histogram, gpu);
                auto const found = recorded.find({bucket, gpu});
                if (found != recorded.end()) {
                    compare_row(*found->second, histogram, offset, begins.at(bucket), report);
                    recorded.erase(found);
                } else if (!is_empty_row(histogram.of(gpu))) {
                    add_missing_row(histogram, gpu, buckets.contains(bucket), report);
                }
            }
        }
    }
    for (auto const& [key, record] : recorded) {
        report.differ(Check::histograms)
            .in_pass(pass_after(key.first))
            .in(key.first)
            .on(key.second)
            .expect("no histogram, as the bucket does not span")
            .found("one")
            .implies("A bucket is partitioned that has its GPU already, or does not exist.");
    }
}

void verify_placements(RecordedRun const& run, Plan const& plan, Report& report) {
    report.mark_checked(Check::placements);
    std::map<BucketPrefix, PlacementRecord const*> recorded;
    for (PlacementRecord const& record : run.placements) {
        if (!recorded.emplace(record.bucket, &record).second) {
            report.differ(Check::placements)
                .in_pass(record.bucket.pass)
                .in(record.bucket)
                .on(record.first)
                .expect("one placement")
                .found("two")
                .implies("Two buckets are taken for one: one of them loses its keys.");
        }
    }
    for (PassPlan const& pass : plan.passes) {
        for (PlannedBucket const& bucket : pass.buckets) {
            PlacementRecord const& expected = bucket.placement;
            auto const found = recorded.find(expected.bucket);
            Difference difference =
                differ(Check::placements).in_pass(pass.pass).in(expected.bucket).on(expected.first);
            auto const text = [](PlacementRecord const& placement) {
                return "keys " + range_text(placement.begin, placement.end) + " " +
                       state_text(placement);
            };
            difference.expected = text(expected);
            if (found == recorded.end()) {
                difference.recorded = "no placement";
                difference.consequence =
                    keys_text(expected.end - expected.begin) + " have no GPU to go to.";
                report.add(difference);
                continue;
            }
            if (*found->second != expected) {
                report.add(difference.found(text(*found->second))
                               .implies(placement_consequence(expected, *found->second)));
            }
            recorded.erase(found);
        }
    }
    for (auto const& [bucket, record] : recorded) {
        report.differ(Check::placements)
            .in_pass(bucket.pass)
            .in(bucket)
            .on(record->first)
            .expect("no placement, as no key lies in this bucket")
            .found("keys " + range_text(record->begin, record->end) + " " + state_text(*record))
            .implies("Places of the output are given to keys that do not exist.");
    }
}

} // namespace keyswap::model::verify
