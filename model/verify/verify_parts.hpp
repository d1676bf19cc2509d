#pragma once

/// \file The checks of one kind of record each. All of them add what they find to a report.

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

/// The function by which each refined bucket is divided, and that counts name it.
void verify_functions(RecordedRun const& run, model::Plan const& plan, Report& report);

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

/// The report looked at nothing that could have been wrong.
void add_nothing_checked(Report& report);
/// No record agrees with the header's number of keys, so that nothing else is looked at.
/// \param records what they are, such as "counts"
/// \param recorded keys that they are of
void add_other_key_count(RecordedRun const& run,
                         std::string const& records,
                         std::uint64_t recorded,
                         Report& report);

/// How the swap is laid out: as the header declares it. Version 1 cannot: the layout of variant
/// `fast` is then the one that its copies contradict least.
[[nodiscard]] SwapLayout layout_of(RecordedRun const& run, model::Plan const& plan);

/// The copies of a swap by source: one a pair of GPUs, by source, then destination.
[[nodiscard]] std::vector<CopyRecord> copies_by_pair(model::Plan const& plan);

/// By source, then destination, then source offset, then the rest.
[[nodiscard]] bool precedes(CopyRecord const& a, CopyRecord const& b);

/// Copies of one pair and stage that continue each other at both ends are one; copies without keys
/// are none. Ordered by precedes().
[[nodiscard]] std::vector<CopyRecord> merged_copies(std::vector<CopyRecord> copies);

/// The union of copies for every bucket and pair of GPUs, or of every pair where they arrive so.
void verify_copies(RecordedRun const& run, model::Plan const& plan, Report& report);

/// Every copy that only one of the two sides has. \pre both are ordered by precedes()
void compare_copies(std::vector<CopyRecord> const& expected,
                    std::vector<CopyRecord> const& recorded,
                    model::Plan const& plan,
                    Report& report);

/// Copies by rounds: where a round ends is the run's own choice, which the stages of its copies
/// show; the rest follows from it.
void verify_rounds(std::vector<CopyRecord> const& recorded,
                   model::Plan const& plan,
                   Report& report);

/// The same of a trace of version 1, which does not record rounds: the keys of each pair must
/// agree, arrivals must fill what each GPU owns, and what is sent must be the chunk, each without
/// gap or overlap.
void verify_round_sums(std::vector<CopyRecord> const& recorded,
                       model::Plan const& plan,
                       Report& report);

/// Ranges cover what a GPU owns without gap or overlap, end at borders of buckets, and look at
/// enough bits. Where buckets come in pieces, one range sorts all of them.
void verify_sort_ranges(RecordedRun const& run, model::Plan const& plan, Report& report);

/// Ownership, sorts, copies and merges of a sort without buckets, step by step.
void verify_steps(RecordedRun const& run, model::SortPlan const& plan, Report& report);

/// The functions of a sort's steps, and what each GPU owns, against what its algorithm decides.
/// \return an error for a header that cannot be planned
[[nodiscard]] Expected<void> verify_step_sort(RecordedRun const& run, Report& report);

/// What every merge sort does, whatever stages follow: the sort of each chunk, or of the runs that
/// it is divided into, and that each GPU owns as many keys as it had.
void verify_chunks(RecordedRun const& run,
                   model::Algorithm const& algorithm,
                   model::SortConfig const& config,
                   Report& report);

/// Carries the records out on the run's keys. \pre config_of(run.header)
/// \returns why the output is not the sorted input; nullopt if it is
[[nodiscard]] std::optional<std::string>
carried_out(RecordedRun const& run, model::Division division, InputKeys const& keys);

/// Whether the records, carried out on the keys, sort them.
void verify_carried_out(RecordedRun const& run,
                        model::Division division,
                        InputKeys& keys,
                        Report& report);

/// Whether the moves of a merge sort keep every key, where the keys are missing.
void verify_positions_kept(RecordedRun const& run, model::Division division, Report& report);

/// Digests of all stages against those of the keys. If the keys are missing: against each other,
/// the plan's counts and owners, and the header's digest of all keys. \param expected null if the
/// keys are missing
void verify_digests(RecordedRun const& run,
                    model::Plan const& plan,
                    ExpectedDigests const* expected,
                    Report& report);

/// Times belong to GPUs of the run and do not end before they begin. Being slow is not a fault.
void verify_phase_times(RecordedRun const& run, Report& report);

/// The digest of all keys against that of the header, where it has one.
void verify_content(RecordedRun const& run, MultisetDigest const& expected, Report& report);

/// Lists names of the header that contradict each other or the catalogue: no record shows them.
void list_unchecked_labels(RecordedRun const& run, Report& report);

/// What the run's own checks said.
void verify_run_verdicts(RecordedRun const& run, Report& report);

/// The check that digests of a stage are of.
[[nodiscard]] Check check_of(DigestStage stage);

/// "1 key", "2 keys".
[[nodiscard]] std::string keys_text(std::uint64_t count);
/// "2 keys of digest 0123...", high word first.
[[nodiscard]] std::string digest_text(MultisetDigest const& digest);
/// "2 keys of digest 0123... in this order".
[[nodiscard]] std::string sequence_text(SequenceDigest const& digest);
/// "step 2 by warp".
[[nodiscard]] std::string step_text(int step, std::string const& method);
/// "[3, 9)".
[[nodiscard]] std::string range_text(std::uint64_t begin, std::uint64_t end);

} // namespace keyswap::model::verify
