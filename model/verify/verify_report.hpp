#pragma once

/// \file Results of verifying a trace: differences between the model and a recorded run, each with
/// its location and consequence.

#include "traces/records/records.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::model::verify {

/// Classification of a difference. Slowness is not a difference.
enum class Verdict {
    wrong_input,             ///< the keys differ from those that the header specifies
    wrong_plan,              ///< a decision that contradicts the histograms
    wrong_execution,         ///< a count or move that contradicts keys or plan
    wrong_order,             ///< the output is not sorted
    lost_or_duplicated_keys, ///< the output is not a permutation of the input
    imbalance,               ///< a GPU owns more keys than the sort permits
    incomplete_trace,        ///< records required by the algorithm are missing
    nothing_checked,         ///< no record about the keys could be checked
    not_deterministic        ///< two recordings of one configuration differ
};

/// "wrong plan", "lost or doubled keys" ...
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// The aspect of a run that a check covers, in the order in which runs decide.
enum class Check {
    input,
    memory,     ///< of an external sort
    key_ranges, ///< of an external sort
    runs,       ///< of an external sort
    functions,
    histograms,
    placements,
    partitions,
    digests_after_step,
    rounds,
    ownership,
    balance,
    digests_before_swap,
    copies,
    digests_after_swap,
    sort_ranges,
    merges,
    digests_after_sort,
    output,
    phase_times,
    run_verdicts,
    determinism
};

/// "histograms", "sort ranges" ...
[[nodiscard]] std::string_view to_string(Check check);

/// One disagreement between run and model, built by differ().
struct Difference {
    Verdict verdict = Verdict::wrong_plan;
    Check check = Check::input;
    std::optional<int> pass;            ///< partitioning pass, 1 = the most significant digit
    std::optional<BucketPrefix> bucket; ///< nullopt if not specific to one bucket
    std::optional<GpuId> gpu;           ///< nullopt if not specific to one GPU
    std::string expected;               ///< value of the model
    std::string recorded;               ///< value in the trace
    std::string consequence;            ///< effect on the output
    std::string where; ///< "step 2 by warp", "round 7"; empty if pass and bucket suffice

    Difference& in_pass(int number);
    Difference& in(std::optional<BucketPrefix> place);
    Difference& on(std::optional<GpuId> place);
    Difference& at(std::string place);
    Difference& expect(std::string text);
    Difference& found(std::string text);
    Difference& implies(std::string text);
};

/// Starts building a difference:
/// `report.differ(Check::copies).on(gpu).expect("4 keys").found("5").implies("Keys are
/// lost.")`
[[nodiscard]] Difference differ(Check check, Verdict verdict = Verdict::wrong_plan);

/// For records that the header's algorithm never writes.
[[nodiscard]] Difference of_another_algorithm(Check check);

/// For missing records that the run must have written.
[[nodiscard]] Difference lacks(Check check);

/// "pass 2, bucket 2:0x1f0a, GPU 3".
[[nodiscard]] std::string place_of(Difference const& difference);

/// Place, expected, recorded and consequence, as one sentence each.
[[nodiscard]] std::string sentence_of(Difference const& difference);

/// A check that was skipped, and why.
struct Unchecked {
    Check check = Check::input;
    std::string reason;

    bool operator==(Unchecked const&) const = default;
};

/// All results for one trace.
struct Report {
    std::string name; ///< file name
    RunHeader header;
    std::vector<Difference> differences; ///< in order of decision, so that the first one is the
                                         ///< root cause
    std::vector<Check> checked;          ///< ascending, without repetitions
    std::vector<Unchecked> unchecked;

    [[nodiscard]] bool holds() const { return differences.empty(); }

    void add(Difference difference) { differences.push_back(std::move(difference)); }
    /// Adds a difference to build:
    /// `report.differ(Check::copies).on(gpu).expect("4 keys").found("5").implies("Keys are lost.")`
    Difference& differ(Check check, Verdict verdict = Verdict::wrong_plan) {
        return differences.emplace_back(verify::differ(check, verdict));
    }
    void mark_checked(Check check);
    /// Records why a check was skipped; duplicates are ignored.
    void skip(Check check, std::string reason);
};

/// Number of differences with this verdict.
[[nodiscard]] std::size_t count_of(Report const& report, Verdict verdict);

/// All verdicts, in the order of the enumeration.
[[nodiscard]] std::span<Verdict const> verdicts();

/// "2:0x1f0a", as on the command line; "the whole input" for 0:0x0.
[[nodiscard]] std::string bucket_text(BucketPrefix bucket);

} // namespace keyswap::model::verify
