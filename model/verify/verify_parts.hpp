#pragma once

/// \file Checks of one record type each. Every check adds its findings to a report.

#include "model/plan/sort_plan.hpp"
#include "model/replay/carry_out.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "model/verify/expected_digests.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::model::verify {

/// For a record that the run's header permits; else a difference without its check and place.
using Possible = tl::expected<void, Difference>;
[[nodiscard]] tl::unexpected<Difference> misfit(std::string expected, std::string recorded);

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

/// Adds a difference: the report checked nothing that could have been wrong.
void add_nothing_checked(Report& report);
/// Adds a difference: all records contradict the header's key count, so nothing else was checked.
/// \param records their type as a noun, such as "counts"
/// \param recorded the number of keys that they imply
void add_key_count_mismatch(RecordedRun const& run,
                            std::string const& records,
                            std::uint64_t recorded,
                            Report& report);

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

/// Checks that times refer to GPUs of the run and do not end before they begin.
void verify_phase_times(RecordedRun const& run, Report& report);

/// Compares the digest of all keys with the header's, if it has one.
void verify_content(RecordedRun const& run, MultisetDigest const& expected, Report& report);

/// Lists header labels that contradict each other or the catalogue; no record can confirm them.
void list_unchecked_labels(RecordedRun const& run, Report& report);

/// Adds the run's own verdicts to the report.
void verify_run_verdicts(RecordedRun const& run, Report& report);

/// The check that covers digests of a stage.
[[nodiscard]] Check check_of(DigestStage stage);

/// True if the counts sum to `total`; immune to overflow.
[[nodiscard]] bool add_up(std::vector<std::uint64_t> const& counts, std::uint64_t total);

/// The pass that refines a bucket. Saturates, since recorded passes are arbitrary integers.
[[nodiscard]] int pass_after(BucketPrefix bucket);

/// "1 key", "2 keys".
[[nodiscard]] std::string keys_text(std::uint64_t count);
/// "2 keys of digest 0123...", high word first.
[[nodiscard]] std::string digest_text(MultisetDigest const& digest);
/// "2 keys of digest 0123... in this order".
[[nodiscard]] std::string sequence_text(SequenceDigest const& digest);
/// "step 2 by warp".
[[nodiscard]] std::string step_text(int step, std::string const& method);
/// "keys [3, 9) on bits [0, 32)".
[[nodiscard]] std::string sort_text(SortRangeRecord const& range);
/// "[3, 9)".
[[nodiscard]] std::string range_text(std::uint64_t begin, std::uint64_t end);

} // namespace keyswap::model::verify
