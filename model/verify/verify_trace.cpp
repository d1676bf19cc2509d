#include "proptests/verify_trace.hpp"

#include "model/algorithm.hpp"
#include "proptests/expected_digests.hpp"
#include "proptests/expected_run.hpp"
#include "proptests/verify_parts.hpp"
#include "traces/contracts.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace keyswap::conformance {

namespace {

std::string digest_text(MultisetDigest const& digest) {
    std::ostringstream text;
    text << keys_text(digest.count) << " of digest " << std::hex << std::setfill('0')
         << std::setw(16) << digest.high << std::setw(16) << digest.low;
    return text.str();
}

void verify_content(RecordedRun const& run, MultisetDigest const& expected, Report& report) {
    mark_checked(report, Check::input);
    if (run.header.input.content && *run.header.input.content != expected) {
        add_difference(report,
                       {Verdict::wrong_input,
                        Check::input,
                        std::nullopt,
                        std::nullopt,
                        std::nullopt,
                        digest_text(expected),
                        digest_text(*run.header.input.content),
                        "The run sorted other keys than its header names."});
    }
}

/// A kind of record that the algorithm must have made, and none was recorded.
bool is_missing(bool any_recorded, bool any_expected, Check check, Report& report) {
    if (any_recorded || !any_expected) {
        return false;
    }
    add_difference(report,
                   {Verdict::incomplete_trace,
                    check,
                    std::nullopt,
                    std::nullopt,
                    std::nullopt,
                    "records of " + std::string(to_string(check)),
                    "none",
                    "Nothing is known of this part of the run."});
    report.unchecked.push_back({check, "the trace has no such records"});
    return true;
}

/// Everything that a plan of RMG sort decides.
void verify_decisions(RecordedRun const& run, model::Plan const& plan, Report& report) {
    bool const has_keys = plan.config.key_count > 0;
    bool const has_passes = !plan.passes.empty();
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

void verify_moves(RecordedRun const& run, model::Plan const& plan, Report& report) {
    bool const has_keys = plan.config.key_count > 0;
    if (!is_missing(!run.copies.empty(), has_keys, Check::copies, report)) {
        verify_copies(run, plan, report);
    }
    if (!is_missing(!run.sort_ranges.empty(), has_keys, Check::sort_ranges, report)) {
        verify_sort_ranges(run, plan, report);
    }
}

void verify_rmg(RecordedRun const& run,
                model::SortConfig const& config,
                InputKeys& keys,
                Report& report) {
    bool const needs_digests = !run.digests.empty() || run.header.input.content.has_value();
    if (!needs_digests) {
        model::Plan const plan = plan_as_recorded(config, keys.source(), run);
        verify_decisions(run, plan, report);
        verify_moves(run, plan, report);
        report.unchecked.push_back({Check::digests_after_swap, "the trace has no digests"});
        return;
    }
    auto const [plan, digests] = plan_and_digests(config, keys, run);
    verify_content(run, digests.content, report);
    verify_decisions(run, plan, report);
    verify_moves(run, plan, report);
    verify_digests(run, plan, digests, report);
}

void verify_rmg_without_keys(RecordedRun const& run,
                             model::SortConfig const& config,
                             Report& report) {
    std::string problem;
    auto const plan = plan_from_histograms(config, run, problem);
    if (!plan) {
        add_difference(
            report,
            {run.histograms.empty() ? Verdict::incomplete_trace : Verdict::wrong_execution,
             Check::histograms,
             std::nullopt,
             std::nullopt,
             std::nullopt,
             "histograms that add up",
             problem,
             "Without them nothing else can be checked."});
        return;
    }
    verify_decisions(run, *plan, report);
    verify_moves(run, *plan, report);
    verify_digest_sums(run, *plan, report);
}

void verify_merge(RecordedRun const& run,
                  model::Algorithm const& algorithm,
                  model::SortConfig const& config,
                  InputKeys& keys,
                  Report& report) {
    if (run.header.input.content) {
        verify_content(run, content_digest(keys, config.value_type), report);
    }
    auto const plan = algorithm.plan(config, keys.source());
    if (plan) {
        verify_merge_sort(run, std::get<model::MergePlan>(*plan), report);
    } else {
        // Other programs do what the model does not, for instance any number of GPUs. What does
        // not depend on the stages is checked all the same.
        model::MergePlan chunks_only;
        chunks_only.config = config;
        chunks_only.chunks = model::Chunks(config.key_count, config.gpu_count);
        verify_chunks(run, chunks_only, report);
        report.unchecked.push_back({Check::copies, plan.error().problem});
    }
    if (!run.digests.empty() || !run.histograms.empty() || !run.placements.empty()) {
        add_difference(report,
                       {Verdict::wrong_plan,
                        Check::histograms,
                        std::nullopt,
                        std::nullopt,
                        std::nullopt,
                        "no records of buckets, as " + run.header.algorithm + " has none",
                        "some",
                        "The trace is of another algorithm than its header says."});
    }
}

/// Differences in the order in which a run decides, so that the first is where it went wrong: by
/// check, but partitioning passes one after the other.
void order_differences(Report& report) {
    auto const place = [](Difference const& difference) {
        bool const partitioning =
            difference.check == Check::histograms || difference.check == Check::placements;
        return std::tuple(partitioning ? Check::histograms : difference.check,
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

/// A sort that the model does not know: what it says of itself, and of its input.
void verify_foreign(RecordedRun const& run, InputKeys const* keys, Report& report) {
    if (keys != nullptr && run.header.input.content) {
        verify_content(run, content_digest(*keys, run.header.value_type), report);
    }
    bool const decided = !run.histograms.empty() || !run.placements.empty() ||
                         !run.ownership.empty() || !run.copies.empty() ||
                         !run.sort_ranges.empty() || !run.digests.empty();
    if (!decided && !run.verdicts.empty()) {
        report.unchecked.push_back(
            {Check::histograms,
             "\"" + run.header.algorithm + "\" records no decisions: only its output was checked"});
        return;
    }
    add_difference(report,
                   {Verdict::incomplete_trace,
                    Check::input,
                    std::nullopt,
                    std::nullopt,
                    std::nullopt,
                    "an algorithm that the model knows",
                    "\"" + run.header.algorithm + "\"",
                    "Only the run's own verdicts could be looked at."});
}

void verify_by_algorithm(RecordedRun const& run,
                         model::SortConfig const& config,
                         InputKeys* keys,
                         Report& report) {
    auto const algorithm = model::find_algorithm(run.header.algorithm);
    if (!algorithm) {
        verify_foreign(run, keys, report);
        return;
    }
    bool const rmg = *algorithm == &model::algorithms().front();
    if (rmg && keys != nullptr) {
        verify_rmg(run, config, *keys, report);
    } else if (rmg) {
        verify_rmg_without_keys(run, config, report);
    } else if (keys != nullptr) {
        verify_merge(run, **algorithm, config, *keys, report);
    } else {
        report.unchecked.push_back({Check::copies, "they depend on the keys"});
    }
}

/// How many keys the records are of, each kind by itself: keys are not made again for a header
/// that no record agrees with.
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

/// The report of a run whose header names another number of keys than all of its records.
std::optional<Report> report_of_wrong_count(RecordedRun const& run) {
    std::vector<std::uint64_t> const counts = recorded_key_counts(run);
    bool const agrees =
        counts.empty() || std::ranges::find(counts, run.header.key_count) != counts.end();
    if (agrees) {
        return std::nullopt;
    }
    Report report = report_of(run);
    mark_checked(report, Check::input);
    add_difference(report,
                   {Verdict::wrong_input,
                    Check::input,
                    std::nullopt,
                    std::nullopt,
                    std::nullopt,
                    "records of " + keys_text(run.header.key_count) + ", as the header says",
                    keys_text(counts.front()),
                    "Header and records are of different runs; nothing else was looked at."});
    return report;
}

Expected<Report> verify_with(RecordedRun const& run, InputKeys* keys, std::string const& reason) {
    auto const config = config_of(run.header);
    if (!config) {
        return tl::unexpected(InputError{run.name + ", " + config.error().subject,
                                         config.error().problem,
                                         "record the run again"});
    }
    Report report = report_of(run);
    if (keys == nullptr) {
        report.unchecked.push_back({Check::input, reason});
    } else {
        mark_checked(report, Check::input);
    }
    verify_by_algorithm(run, *config, keys, report);
    verify_phase_times(run, report);
    verify_run_verdicts(run, report);
    order_differences(report);
    return report;
}

} // namespace

Expected<Report> verify_run(RecordedRun const& run) {
    if (auto const config = config_of(run.header); !config) {
        return verify_with(run, nullptr, {}); // says what is wrong with the header
    }
    if (auto report = report_of_wrong_count(run)) {
        return std::move(*report);
    }
    auto const input = find_input(run.header);
    if (!input) {
        return tl::unexpected(InputError{
            run.name + ": " + input.error().subject, input.error().problem, input.error().remedy});
    }
    return verify_with(run, input->keys.get(), input->reason);
}

Expected<Report> verify_run_of(RecordedRun const& run, InputKeys& keys) {
    KEYSWAP_EXPECTS(keys.key_count() == run.header.key_count);
    return verify_with(run, &keys, {});
}

} // namespace keyswap::conformance
