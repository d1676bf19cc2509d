#include "model/verify/run_checks.hpp"

#include "model/verify/bounds/plausible_time.hpp"
#include "model/verify/record_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace keyswap::model::verify {

namespace {

Verdict verdict_of_property(std::string_view property) {
    if (property == "sorted" || property == "stable") {
        return Verdict::wrong_order;
    }
    if (property == "permutation") {
        return Verdict::lost_or_duplicated_keys;
    }
    return property == "balance" ? Verdict::imbalance : Verdict::wrong_execution;
}

} // namespace

Check check_of(DigestStage stage) {
    switch (stage) {
    case DigestStage::before_swap:
        return Check::digests_before_swap;
    case DigestStage::after_swap:
        return Check::digests_after_swap;
    case DigestStage::after_step:
        return Check::digests_after_step;
    case DigestStage::after_sort:
        break;
    }
    return Check::digests_after_sort;
}

bool add_up(std::vector<std::uint64_t> const& counts, std::uint64_t total) {
    for (std::uint64_t const count : counts) {
        if (count > total) {
            return false;
        }
        total -= count;
    }
    return total == 0;
}

void verify_content(RecordedRun const& run, MultisetDigest const& expected, Report& report) {
    report.mark_checked(Check::input);
    if (run.header.input.content && *run.header.input.content != expected) {
        report.differ(Check::input, Verdict::wrong_input)
            .expect(digest_text(expected))
            .found(digest_text(*run.header.input.content))
            .implies("The run sorted other keys than its header names.");
    }
}

void verify_phase_times(RecordedRun const& run, Report& report) {
    if (!run.phase_times.empty()) {
        report.mark_checked(Check::phase_times);
    }
    for (PhaseTimeRecord const& time : run.phase_times) {
        bool const known_gpu = time.gpu.value < run.gpu_count();
        if (is_plausible(time, run.gpu_count())) {
            continue;
        }
        report.differ(Check::phase_times, Verdict::wrong_execution)
            .in_pass(time.pass)
            .on(time.gpu)
            .expect(known_gpu ? "an end that is not before its start" : "a GPU of the run")
            .found("\"" + std::string(time.phase.text()) + "\" from " +
                   std::to_string(time.begin_ns) + " to " + std::to_string(time.end_ns) + " ns")
            .implies("The times are implausible; the output is not affected.");
    }
}

void verify_run_verdicts(RecordedRun const& run, Report& report) {
    for (VerdictRecord const& verdict : run.verdicts) {
        report.mark_checked(Check::run_verdicts);
        if (!verdict.holds) {
            report.differ(Check::run_verdicts, verdict_of_property(verdict.property))
                .expect("that \"" + verdict.property + "\" holds")
                .found(verdict.detail.empty() ? "that it does not" : verdict.detail)
                .implies("The run's own check of its output found this.");
        }
    }
    for (auto const& [property, what] : {std::pair{"sorted", "the order of its output"},
                                         std::pair{"permutation", "the keys of its output"}}) {
        if (std::ranges::find(run.verdicts, property, &VerdictRecord::property) ==
            run.verdicts.end()) {
            report.skip(Check::run_verdicts, std::string("the run recorded no verdict on ") + what);
        }
    }
}

void add_nothing_checked(Report& report) {
    report.differ(Check::input, Verdict::nothing_checked)
        .expect("records that can be compared with the keys or with each other")
        .found("none")
        .implies("This run is not recorded.");
}

void add_key_count_mismatch(RecordedRun const& run,
                            std::string const& records,
                            std::uint64_t recorded,
                            Report& report) {
    report.mark_checked(Check::input);
    report.differ(Check::input, Verdict::wrong_input)
        .expect(records + " of " + keys_text(run.header.key_count) + ", as the header says")
        .found(keys_text(recorded))
        .implies("Header and records are of different runs; nothing else was looked at.");
}

} // namespace keyswap::model::verify
