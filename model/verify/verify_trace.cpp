#include "model/verify/verify_trace.hpp"

#include "model/keys/materialized_source.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/verify/bounds/record_bounds.hpp"
#include "model/verify/expected/expected_digests.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "model/verify/operations/verify_operation.hpp"
#include "model/verify/run_checks.hpp"
#include "model/verify/sorts/sort_checks.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace keyswap::model::verify {

namespace {

/// Reports records that the algorithm must write if the run has none. \return true if so
bool is_missing(bool any_recorded, bool any_expected, Check check, Report& report) {
    if (any_recorded || !any_expected) {
        return false;
    }
    report.add(lacks(check).expect("records of " + std::string(to_string(check))));
    report.skip(check, "the trace has no such records");
    return true;
}

/// Checks every decision in a plan of RMG sort.
void verify_decisions(RecordedRun const& run, Plan const& plan, Report& report) {
    bool const has_keys = plan.config.key_count > 0;
    bool const has_passes = !plan.passes.empty();
    bool const has_functions = has_passes && plan.child_bits > 0;
    bool const names_functions =
        !run.functions.empty() || std::ranges::any_of(run.histograms, [](auto const& histogram) {
            return histogram.function.has_value();
        });
    if ((has_functions || names_functions) &&
        !is_missing(!run.functions.empty(), has_functions, Check::functions, report)) {
        verify_functions(run, plan, report);
    }
    if (!is_missing(!run.histograms.empty(), has_passes, Check::histograms, report)) {
        verify_histograms(run, plan, report);
    }
    if (!is_missing(!run.placements.empty(), has_passes, Check::placements, report)) {
        verify_placements(run, plan, report);
    }
    if (!is_missing(!run.ownership.empty(), has_keys, Check::ownership, report)) {
        verify_ownership(run, plan.ownership, report);
        verify_balance(run, plan, report);
    }
}

void verify_moves(RecordedRun const& run, Plan const& plan, Report& report) {
    bool const has_keys = plan.config.key_count > 0;
    bool const lacks_layout = run.header.version > 1 && !run.header.layout;
    if (has_keys && lacks_layout) {
        report.differ(Check::copies, Verdict::incomplete_trace)
            .expect("a header that declares the layout of the copies")
            .found("none")
            .implies("Where the copied keys belong is unclear.");
    }
    if (!is_missing(!run.copies.empty(), has_keys, Check::copies, report)) {
        verify_copies(run, plan, report);
    }
    if (!is_missing(!run.sort_ranges.empty(), has_keys, Check::sort_ranges, report)) {
        verify_sort_ranges(run, plan, report);
    }
}

/// Checks a sort by buckets whose keys are available.
void verify_buckets(RecordedRun const& run,
                    SortConfig const& config,
                    InputKeys& keys,
                    Report& report) {
    if (run.digests.empty() && !run.header.input.content) {
        auto const plan = plan_as_recorded(config, keys.source(), run);
        if (!plan) {
            report.skip(Check::placements, plan.error().problem);
            return;
        }
        verify_decisions(run, *plan, report);
        verify_moves(run, *plan, report);
        report.skip(Check::digests_after_swap, "the trace has no digests");
        return;
    }
    auto const expected = plan_and_digests(config, keys, run);
    if (!expected) {
        report.skip(Check::placements, expected.error().problem);
        return;
    }
    auto const& [plan, digests] = *expected;
    verify_content(run, digests.content, report);
    verify_decisions(run, plan, report);
    verify_moves(run, plan, report);
    verify_digests(run, plan, &digests, report);
}

/// Checks a sort by buckets against the plan that its recorded histograms imply.
void verify_buckets_without_keys(RecordedRun const& run, SortConfig const& config, Report& report) {
    std::string problem;
    auto const plan = plan_from_histograms(config, run, problem);
    if (!plan) {
        report
            .differ(Check::histograms,
                    run.histograms.empty() ? Verdict::incomplete_trace : Verdict::wrong_execution)
            .expect("histograms that add up")
            .found(problem)
            .implies("Without them nothing else can be checked.");
        return;
    }
    verify_decisions(run, *plan, report);
    verify_moves(run, *plan, report);
    verify_digests(run, *plan, nullptr, report);
    if (plan->child_bits > 0) {
        report.skip(
            Check::functions,
            "without the keys no sample can be drawn: the recorded functions were not checked");
    }
}

void verify_no_buckets(RecordedRun const& run, Report& report) {
    if (!run.digests.empty() || !run.functions.empty() || !run.histograms.empty() ||
        !run.placements.empty()) {
        report.add(of_another_algorithm(Check::histograms)
                       .expect("no records of buckets, as " + run.header.algorithm + " has none"));
    }
}

/// \param keys null if not available
void verify_merge(RecordedRun const& run,
                  Algorithm const& algorithm,
                  SortConfig const& config,
                  InputKeys* keys,
                  Report& report) {
    if (keys != nullptr && run.header.input.content) {
        verify_content(run, content_digest(*keys, config), report);
    }
    MaterializedSource none(std::span<std::uint64_t const>{});
    bool const can_plan = keys != nullptr || !algorithm.reads_keys;
    auto const plan = can_plan ? algorithm.plan(config, keys != nullptr ? keys->source() : none)
                               : tl::unexpected(InputError{});
    if (plan) {
        verify_steps(run, **plan, report);
    } else {
        // Other programs support more than the model, for instance any number of GPUs. Checks that
        // do not depend on the stages still apply; executing the records verifies the stages.
        verify_chunks(run, algorithm, config, report);
    }
    if (!plan && keys == nullptr) {
        verify_positions_kept(run, algorithm.division, report);
        report.skip(Check::copies, "they depend on the keys");
        report.skip(Check::merges, "they depend on the keys");
    } else if (!plan && run.header.version == 1) {
        report.skip(Check::copies, plan.error().problem);
    }
    if (keys != nullptr && run.header.layout) {
        report.add(of_another_algorithm(Check::copies)
                       .expect("no layout, as " + run.header.algorithm + " exchanges no buckets")
                       .found("layout " + std::string(to_string(*run.header.layout))));
    }
    verify_no_buckets(run, report);
}

/// Sorts differences in order of decision, so that the first is the root cause: by check, but
/// partitioning pass by pass.
void order_differences(Report& report) {
    auto const place = [](Difference const& difference) {
        bool const partitioning = difference.check == Check::functions ||
                                  difference.check == Check::histograms ||
                                  difference.check == Check::placements;
        return std::tuple(partitioning ? Check::functions : difference.check,
                          partitioning ? difference.pass.value_or(0) : 0,
                          difference.check);
    };
    std::ranges::stable_sort(report.differences, {}, place);
    std::ranges::stable_sort(report.unchecked, {}, &Unchecked::check);
}

Report report_of(RecordedRun const& run) {
    Report report;
    report.name = run.name;
    report.header = run.header;
    return report;
}

/// Checks a sort that the model does not know: its own verdicts, and its input.
void verify_third_party(RecordedRun const& run, InputKeys const* keys, Report& report) {
    if (keys != nullptr && run.header.input.content) {
        verify_content(run, content_digest(*keys, run.header), report);
    }
    bool const decided = !run.histograms.empty() || !run.placements.empty() ||
                         !run.ownership.empty() || !run.copies.empty() ||
                         !run.sort_ranges.empty() || !run.digests.empty();
    if (!decided && !run.verdicts.empty()) {
        report.skip(Check::histograms,
                    "\"" + run.header.algorithm +
                        "\" records no decisions: only its output was checked");
        return;
    }
    report.differ(Check::input, Verdict::incomplete_trace)
        .expect("an algorithm that the model knows")
        .found("\"" + run.header.algorithm + "\"")
        .implies("Only the run's own verdicts could be looked at.");
}

void verify_by_algorithm(RecordedRun const& run,
                         SortConfig const& config,
                         InputKeys* keys,
                         Report& report) {
    auto const algorithm = find_algorithm(run.header.algorithm);
    if (!algorithm) {
        verify_third_party(run, keys, report);
        return;
    }
    Division const division = (*algorithm)->division;
    bool const buckets = division == Division::buckets;
    if (!buckets) {
        verify_merge(run, **algorithm, config, keys, report);
    } else if (keys != nullptr) {
        verify_buckets(run, config, *keys, report);
    } else {
        verify_buckets_without_keys(run, config, report);
    }
    if (buckets && !run.merges.empty()) {
        report.add(of_another_algorithm(Check::merges)
                       .expect("no merges, as " + run.header.algorithm + " has none"));
    }
    if (keys != nullptr) {
        verify_carried_out(run, division, *keys, report);
    }
}

/// Number of keys according to each type of record. Keys are not regenerated if the header
/// contradicts all of them.
std::vector<std::uint64_t> recorded_key_counts(RecordedRun const& run) {
    std::vector<std::uint64_t> counts;
    if (run.header.input.content) {
        counts.push_back(run.header.input.content->count);
    }
    if (!run.ownership.empty()) {
        counts.push_back(0);
        for (OwnershipRecord const& owner : run.ownership) {
            counts.back() += owner.count;
        }
    }
    std::uint64_t histogram_keys = 0;
    for (HistogramRecord const& histogram : run.histograms) {
        if (histogram.bucket.pass == 0) {
            histogram_keys =
                std::accumulate(histogram.counts.begin(), histogram.counts.end(), histogram_keys);
        }
    }
    if (!run.histograms.empty()) {
        counts.push_back(histogram_keys);
    }
    return counts;
}

/// The report for a run whose header contradicts the key count of all its records.
std::optional<Report> report_of_wrong_count(RecordedRun const& run) {
    std::vector<std::uint64_t> const counts = recorded_key_counts(run);
    bool const agrees =
        counts.empty() || std::ranges::find(counts, run.header.key_count) != counts.end();
    if (agrees) {
        return std::nullopt;
    }
    Report report = report_of(run);
    add_key_count_mismatch(run, "records", counts.front(), report);
    return report;
}

/// A report without differences must not count as a pass if no check was possible.
void report_nothing_checked(Report& report) {
    bool const looked = std::ranges::any_of(
        report.checked, [](Check check) { return check != Check::phase_times; });
    bool const found_wrong = std::ranges::any_of(report.differences, [](Difference const& found) {
        return found.verdict != Verdict::incomplete_trace;
    });
    if (!found_wrong && !looked && report.header.key_count > 0) {
        add_nothing_checked(report);
    }
}

void verify_records(RecordedRun const& run,
                    SortConfig const& config,
                    InputKeys* keys,
                    Report& report) {
    auto impossible = find_impossible_records(run, config);
    if (impossible.empty()) {
        verify_by_algorithm(run, config, keys, report);
        return;
    }
    report.differences = std::move(impossible);
    verify_by_algorithm(without_impossible_records(run, config), config, keys, report);
}

void verify_no_rounds(RecordedRun const& run, Report& report) {
    if (!run.relaxations.empty()) {
        report.differ(Check::rounds)
            .expect("no rounds, as a sort relaxes no edges")
            .found("some")
            .implies("The trace is of another operation than its header says.");
    }
}

Expected<Report> verify_with(RecordedRun const& run, InputKeys* keys, std::string const& reason) {
    KEYSWAP_TRY(auto const config, config_of(run));
    Report report = report_of(run);
    if (keys == nullptr) {
        report.skip(Check::input, reason);
    } else if (find_algorithm(run.header.algorithm)) {
        report.mark_checked(Check::input); // decisions depend on the keys
    }
    verify_records(run, config, keys, report);
    verify_no_rounds(run, report);
    verify_phase_times(run, report);
    verify_run_verdicts(run, report);
    list_unchecked_labels(run, report);
    order_differences(report);
    report_nothing_checked(report);
    return report;
}

/// True for operations other than sort, and for sorts that partition the whole array in steps.
bool partitions_in_steps(RecordedRun const& run) {
    auto const algorithm = find_algorithm(run.header.algorithm);
    bool const external =
        !run.external_sorts.empty() || !run.range_divisions.empty() || !run.key_ranges.empty();
    return run.header.operation != Operation::sort || !run.partitions.empty() || external ||
           (algorithm && (*algorithm)->division == Division::steps);
}

Expected<Report>
verify_of_steps(RecordedRun const& run, InputKeys* keys, VerifyLimits const& limits) {
    auto report = verify_operation(run, keys, limits);
    if (report) {
        list_unchecked_labels(run, *report);
        std::ranges::stable_sort(report->unchecked, {}, &Unchecked::check);
    }
    if (report && run.header.operation == Operation::sort) {
        // The steps follow from their functions: report these first. (clang 14 does not compile
        // std::ranges::stable_partition.)
        std::stable_partition(
            report->differences.begin(),
            report->differences.end(),
            [](Difference const& difference) { return difference.check == Check::functions; });
    }
    return report;
}

} // namespace

Expected<Report> verify_run(RecordedRun const& run, VerifyLimits const& limits) {
    if (partitions_in_steps(run)) {
        return verify_of_steps(run, nullptr, limits);
    }
    KEYSWAP_RETURN_IF_ERROR(config_of(run));
    if (auto report = report_of_wrong_count(run)) {
        return std::move(*report);
    }
    auto const input = find_input(run.header, limits);
    if (!input) {
        return input_error(
            run.name + ": " + input.error().subject, input.error().problem, input.error().remedy);
    }
    return verify_with(run, input->input.get(), input->reason);
}

Expected<Report> verify_run_of(RecordedRun const& run, InputKeys& keys) {
    KEYSWAP_EXPECTS(keys.key_count() == run.header.key_count);
    if (partitions_in_steps(run)) {
        return verify_of_steps(run, &keys, unlimited_memory());
    }
    return verify_with(run, &keys, {});
}

} // namespace keyswap::model::verify
