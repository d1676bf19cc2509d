#pragma once

/// \file The checks of one kind of record each. All of them add what they find to a report.

#include "model/merge_plan.hpp"
#include "model/plan.hpp"
#include "proptests/expected_digests.hpp"
#include "proptests/recorded_run.hpp"
#include "proptests/verify_report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::conformance {

/// Counts of every refined bucket on every GPU. A GPU that holds no key of a bucket need not say
/// so.
void verify_histograms(RecordedRun const& run, model::Plan const& plan, Report& report);

/// Where every non-empty bucket begins, ends and goes.
void verify_placements(RecordedRun const& run, model::Plan const& plan, Report& report);

/// The range of the sorted order that each GPU owns.
void verify_ownership(RecordedRun const& run,
                      std::vector<OwnershipRecord> const& expected,
                      Report& report);

/// No GPU owns more than C + 2E keys, whatever was planned.
void verify_balance(RecordedRun const& run, model::Plan const& plan, Report& report);

/// How keys lie on their GPUs after the swap.
enum class Arrival {
    by_bucket, ///< one bucket after the other, as the model has it
    by_source, ///< variant `fast` after several passes: one source after the other, whose buckets
               ///< ascend, so that a bucket comes in pieces
    by_round   ///< variant `fast` after one pass: by rounds, then sources
};
[[nodiscard]] Arrival arrival_of(RecordedRun const& run, model::Plan const& plan);

/// The copies of a swap by source: one a pair of GPUs, by source, then destination.
[[nodiscard]] std::vector<CopyRecord> copies_by_pair(model::Plan const& plan);

/// By source, then destination, then source offset.
[[nodiscard]] bool precedes(CopyRecord const& a, CopyRecord const& b);

/// Copies of one pair that continue each other at both ends are one; copies without keys are none.
/// Ordered by precedes().
[[nodiscard]] std::vector<CopyRecord> merged_copies(std::vector<CopyRecord> copies);

/// The union of copies for every bucket and pair of GPUs, or of every pair where they arrive so.
void verify_copies(RecordedRun const& run, model::Plan const& plan, Report& report);

/// Copies by rounds, whose layout is the run's own: the keys of each pair must agree, arrivals must
/// fill what each GPU owns, and what is sent must be the chunk, each without gap or overlap.
void verify_rounds(std::vector<CopyRecord> const& recorded,
                   model::Plan const& plan,
                   Report& report);

/// Ranges cover what a GPU owns without gap or overlap, end at borders of buckets, and look at
/// enough bits. Where buckets come in pieces, one range sorts all of them.
void verify_sort_ranges(RecordedRun const& run, model::Plan const& plan, Report& report);

/// Ownership, copies and sort ranges of a merge-based sort.
void verify_merge_sort(RecordedRun const& run, model::MergePlan const& plan, Report& report);

/// The same without the copies, which depend on the stages.
void verify_chunks(RecordedRun const& run, model::MergePlan const& plan, Report& report);

/// Digests of all stages against those of the keys.
void verify_digests(RecordedRun const& run,
                    model::Plan const& plan,
                    ExpectedDigests const& expected,
                    Report& report);

/// Digests of all stages against each other and the plan's counts, for keys that cannot be had.
void verify_digest_sums(RecordedRun const& run, model::Plan const& plan, Report& report);

/// Times belong to GPUs of the run and do not end before they begin. Being slow is no fault.
void verify_phase_times(RecordedRun const& run, Report& report);

/// What the run's own checks said.
void verify_run_verdicts(RecordedRun const& run, Report& report);

/// Adds the difference.
void add_difference(Report& report, Difference difference);
/// Marks a check as done.
void mark_checked(Report& report, Check check);

/// "1 key", "2 keys".
[[nodiscard]] std::string keys_text(std::uint64_t count);
/// "[3, 9)".
[[nodiscard]] std::string range_text(std::uint64_t begin, std::uint64_t end);

} // namespace keyswap::conformance
