/// \file Records that are not decisions: times and the run's own verdicts; and what all checks
/// share.

#include "model/verify/record_bounds.hpp"
#include "model/verify/verify_parts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace keyswap::conformance {

namespace {

Verdict verdict_of_property(std::string_view property) {
    if (property == "sorted" || property == "stable") {
        return Verdict::wrong_order;
    }
    if (property == "permutation") {
        return Verdict::lost_or_doubled_keys;
    }
    return property == "balance" ? Verdict::imbalance : Verdict::wrong_execution;
}

} // namespace

void add_difference(Report& report, Difference difference) {
    report.differences.push_back(std::move(difference));
}

void mark_checked(Report& report, Check check) {
    auto const place = std::ranges::lower_bound(report.checked, check);
    if (place == report.checked.end() || *place != check) {
        report.checked.insert(place, check);
    }
}

std::string keys_text(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " key" : " keys");
}

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

std::string sequence_text(SequenceDigest const& digest) {
    return digest_text({digest.count, digest.low, digest.high}) + " in this order";
}

std::string step_text(int step, std::string const& method) {
    return "step " + std::to_string(step) + (method.empty() ? "" : " by " + method);
}

std::string range_text(std::uint64_t begin, std::uint64_t end) {
    return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

void verify_phase_times(RecordedRun const& run, Report& report) {
    if (!run.phase_times.empty()) {
        mark_checked(report, Check::phase_times);
    }
    for (PhaseTimeRecord const& time : run.phase_times) {
        bool const known_gpu = time.gpu.value < run.gpu_count();
        if (is_believable(time, run.gpu_count())) {
            continue;
        }
        add_difference(report,
                       {Verdict::wrong_execution,
                        Check::phase_times,
                        time.pass,
                        std::nullopt,
                        time.gpu,
                        known_gpu ? "an end that is not before its begin" : "a GPU of the run",
                        "\"" + std::string(time.phase.text()) + "\" from " +
                            std::to_string(time.begin_ns) + " to " + std::to_string(time.end_ns) +
                            " ns",
                        "The times cannot be believed; the output is not concerned."});
    }
}

void verify_run_verdicts(RecordedRun const& run, Report& report) {
    bool order_is_known = false;
    for (VerdictRecord const& verdict : run.verdicts) {
        mark_checked(report, Check::run_verdicts);
        order_is_known = order_is_known || verdict.property == "sorted";
        if (!verdict.holds) {
            add_difference(report,
                           {verdict_of_property(verdict.property),
                            Check::run_verdicts,
                            std::nullopt,
                            std::nullopt,
                            std::nullopt,
                            "that \"" + verdict.property + "\" holds",
                            verdict.detail.empty() ? "that it does not" : verdict.detail,
                            "The run's own check of its output found this."});
        }
    }
    if (!order_is_known) {
        report.unchecked.push_back(
            {Check::run_verdicts, "the run recorded no verdict on the order of its output"});
    }
}

void add_nothing_checked(Report& report) {
    add_difference(report,
                   {Verdict::nothing_checked,
                    Check::input,
                    std::nullopt,
                    std::nullopt,
                    std::nullopt,
                    "records that can be compared with the keys or with each other",
                    "none",
                    "Nothing is known of this run."});
}

void add_other_key_count(RecordedRun const& run,
                         std::string const& records,
                         std::uint64_t recorded,
                         Report& report) {
    mark_checked(report, Check::input);
    add_difference(report,
                   {Verdict::wrong_input,
                    Check::input,
                    std::nullopt,
                    std::nullopt,
                    std::nullopt,
                    records + " of " + keys_text(run.header.key_count) + ", as the header says",
                    keys_text(recorded),
                    "Header and records are of different runs; nothing else was looked at."});
}

} // namespace keyswap::conformance
