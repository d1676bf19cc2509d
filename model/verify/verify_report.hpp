#pragma once

/// \file What verifying a trace finds: differences between what the model expects and what a run
/// recorded, each with its place and its consequence.

#include "traces/records/records.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::model::verify {

/// What kind of wrong a difference is. Being slow is none.
enum class Verdict {
    wrong_input,          ///< the keys are not those that the header names
    wrong_plan,           ///< a decision that does not follow from the histograms
    wrong_execution,      ///< a count or a move that is not what the keys or the plan say
    wrong_order,          ///< the output is not in order
    lost_or_doubled_keys, ///< the output is not a permutation of the input
    imbalance,            ///< a GPU owns more keys than the sort allows
    incomplete_trace,     ///< records that the algorithm must have made are missing
    nothing_checked,      ///< nothing that the trace says of its keys could be checked at all
    not_deterministic     ///< two recordings of one configuration differ
};

/// "wrong plan", "lost or doubled keys" ...
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// The part of a run that a check is about, in the order in which a run decides them.
enum class Check {
    input,
    memory,     ///< of an external sort
    key_ranges, ///< likewise
    runs,       ///< likewise
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

/// One place at which a run and the model disagree, built by differ().
struct Difference {
    Verdict verdict = Verdict::wrong_plan;
    Check check = Check::input;
    std::optional<int> pass;            ///< partitioning pass, 1 = the most significant digit
    std::optional<BucketPrefix> bucket; ///< nullopt if the difference is of no single bucket
    std::optional<GpuId> gpu;           ///< nullopt if the difference is of no single GPU
    std::string expected;               ///< what the model has
    std::string recorded;               ///< what the trace has
    std::string consequence;            ///< what it does to the output
    std::string where; ///< "step 2 by warp", "round 7"; empty if pass and bucket suffice

    Difference& in_pass(int number);
    Difference& in(std::optional<BucketPrefix> place);
    Difference& on(std::optional<GpuId> place);
    Difference& at(std::string place);
    Difference& expect(std::string text);
    Difference& found(std::string text);
    Difference& implies(std::string text);
};

/// Begins a difference:
/// `report.add(differ(Check::copies).on(gpu).expect("4 keys").found("5").implies("Keys are
/// lost."))`
[[nodiscard]] Difference differ(Check check, Verdict verdict = Verdict::wrong_plan);

/// The trace has records of an algorithm other than its header's.
[[nodiscard]] Difference of_another_algorithm(Check check);

/// The trace lacks records that its run must have written.
[[nodiscard]] Difference lacks(Check check);

/// "pass 2, bucket 2:0x1f0a, GPU 3".
[[nodiscard]] std::string place_of(Difference const& difference);

/// The difference in one sentence each: place, expected, recorded, consequence.
[[nodiscard]] std::string sentence_of(Difference const& difference);

/// Something that could not be looked at, and why.
struct Unchecked {
    Check check = Check::input;
    std::string reason;

    bool operator==(Unchecked const&) const = default;
};

/// All that is to be said of one trace.
struct Report {
    std::string name; ///< of the file
    RunHeader header;
    std::vector<Difference> differences; ///< in the order in which a run decides; the first one is
                                         ///< where it went wrong
    std::vector<Check> checked;          ///< ascending, without repetitions
    std::vector<Unchecked> unchecked;

    [[nodiscard]] bool holds() const { return differences.empty(); }

    void add(Difference difference) { differences.push_back(std::move(difference)); }
    void mark_checked(Check check);
    /// Notes why a check was not made; equal notes are kept once.
    void skip(Check check, std::string reason);
};

/// How many differences are of a verdict.
[[nodiscard]] std::size_t count_of(Report const& report, Verdict verdict);

/// All verdicts, in the order of the enumeration.
[[nodiscard]] std::span<Verdict const> verdicts();

/// "2:0x1f0a" as the command line shows buckets; "the whole input" for 0:0x0.
[[nodiscard]] std::string bucket_text(BucketPrefix bucket);

} // namespace keyswap::model::verify
