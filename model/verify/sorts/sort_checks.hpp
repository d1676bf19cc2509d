#pragma once

/// \file Checks of a sort in memory, one for each kind of record, in the order in which a sort
/// decides. Every check adds its findings to a report.

#include "model/plan/sort_plan.hpp"
#include "model/replay/carry_out.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "model/verify/expected/expected_digests.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::model::verify {

/// Checks each refined bucket's function, and that its counts refer to that function.
void verify_functions(RecordedRun const& run, Plan const& plan, Report& report);

/// Checks the counts of every refined bucket on every GPU. The record may be missing for a GPU
/// without keys of the bucket.
void verify_histograms(RecordedRun const& run, Plan const& plan, Report& report);

/// Checks begin, end and owners of every non-empty bucket.
void verify_placements(RecordedRun const& run, Plan const& plan, Report& report);

/// Checks the range of the sorted order that each GPU owns.
void verify_ownership(RecordedRun const& run,
                      std::vector<OwnershipRecord> const& expected,
                      Report& report);

/// Checks that no GPU owns more than C + 2E keys, independent of the plan.
void verify_balance(RecordedRun const& run, Plan const& plan, Report& report);

/// Layout of the exchange, from the header. Version 1 does not record it; for variant `fast` it is
/// then inferred from the plan and the recorded copies.
[[nodiscard]] SwapLayout layout_of(RecordedRun const& run, Plan const& plan);

/// Copies of a by_source exchange: one for each pair of GPUs, by source, then destination.
[[nodiscard]] std::vector<CopyRecord> copies_by_pair(Plan const& plan);

/// Strict order: by source, then destination, then source offset, then the other fields.
[[nodiscard]] bool precedes(CopyRecord const& a, CopyRecord const& b);

/// Merges copies of one pair and stage that are contiguous at both ends; removes empty copies.
/// Ordered by precedes().
[[nodiscard]] std::vector<CopyRecord> merged_copies(std::vector<CopyRecord> copies);

/// Checks the union of the copies for each bucket and pair of GPUs (by_source: for each pair).
void verify_copies(RecordedRun const& run, Plan const& plan, Report& report);

/// Reports every copy that occurs on one side only. \pre both are ordered by precedes()
void compare_copies(std::vector<CopyRecord> const& expected,
                    std::vector<CopyRecord> const& recorded,
                    Plan const& plan,
                    Report& report);

/// Checks copies in rounds: the run may choose where rounds end, as the stages of its copies show;
/// the rest follows from that.
void verify_rounds(std::vector<CopyRecord> const& recorded, Plan const& plan, Report& report);

/// Checks copies in rounds for traces of version 1, which do not record the rounds: the number of
/// keys of each pair must match, arrivals must cover each GPU's owned range, and sends must cover
/// its chunk, both without gap or overlap.
void verify_round_sums(std::vector<CopyRecord> const& recorded, Plan const& plan, Report& report);

/// Checks that ranges cover what a GPU owns without gap or overlap, end at bucket borders, and sort
/// enough bits. If buckets arrive in pieces, a single range must sort all of them.
void verify_sort_ranges(RecordedRun const& run, Plan const& plan, Report& report);

/// Checks ownership, sorts, copies and merges of a sort without buckets, step by step.
void verify_steps(RecordedRun const& run, SortPlan const& plan, Report& report);

/// Compares the functions of a sort's steps, and each GPU's ownership, with its algorithm.
/// \return an error if the header cannot be planned
[[nodiscard]] Expected<void> verify_step_sort(RecordedRun const& run, Report& report);

/// Checks properties common to all merge sorts: each chunk, or each of its initial runs, is sorted,
/// and each GPU owns as many keys as its chunk has.
void verify_chunks(RecordedRun const& run,
                   Algorithm const& algorithm,
                   SortConfig const& config,
                   Report& report);

/// Executes the records on the run's keys. \pre config_of(run.header)
/// \returns a description of the first error; nullopt if the output is the sorted input
[[nodiscard]] std::optional<std::string>
carried_out(RecordedRun const& run, Division division, InputKeys const& keys);

/// Checks that executing the records sorts the keys.
void verify_carried_out(RecordedRun const& run, Division division, InputKeys& keys, Report& report);

/// Checks that the moves of a merge sort preserve every key, if the keys are not available.
void verify_positions_kept(RecordedRun const& run, Division division, Report& report);

/// Compares the digests of all stages with those of the keys. If the keys are not available,
/// compares the digests with each other, with the plan's counts and owners, and with the header's
/// digest of all keys. \param expected null if the keys are not available
void verify_digests(RecordedRun const& run,
                    Plan const& plan,
                    ExpectedDigests const* expected,
                    Report& report);

/// The pass that refines a bucket. Saturates, since recorded passes are arbitrary integers.
[[nodiscard]] int pass_after(BucketPrefix bucket);

} // namespace keyswap::model::verify
