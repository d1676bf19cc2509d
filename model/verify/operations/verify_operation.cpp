#include "model/verify/operations/verify_operation.hpp"

#include "model/external/external_records.hpp"
#include "model/partition/shuffle.hpp"
#include "model/verify/bounds/operation_bounds.hpp"
#include "model/verify/run_checks.hpp"
#include "model/verify/sorts/sort_checks.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::model::verify {

namespace {

/// Returns an error if the header contradicts its operation.
Expected<void> validate_header(RunHeader const& header) {
    constexpr std::size_t gpus_max = 1024;
    if (header.gpus.empty() || header.gpus.size() > gpus_max) {
        return input_error("gpus",
                           std::to_string(header.gpus.size()) + " GPUs",
                           "record the run again with 1 to " + std::to_string(gpus_max));
    }
    if (header.operation == Operation::sort) {
        return {}; // its parameters are its algorithm's
    }
    std::set<std::string> known;
    if (header.operation == Operation::sssp) {
        known = {"delta", "source"};
    } else if (is_shuffle(header)) {
        known = {std::string(given_owners_parameter)};
    }
    for (std::string const& name : known) {
        if (!header.parameters.contains(name)) {
            return input_error("parameters", "'" + name + "' is missing", "record the run again");
        }
    }
    if (header.operation == Operation::external_sort) {
        known = {std::string(streamed_parameter)}; // optional
    }
    for (auto const& [name, value] : header.parameters) {
        if (!known.contains(name)) {
            return input_error("parameters",
                               "'" + name + "' is not a parameter of a " +
                                   std::string(to_string(header.operation)),
                               "record the run again");
        }
    }
    return {};
}

void verify_no_layout(RecordedRun const& run, Report& report) {
    if (run.header.layout && !is_shuffle(run.header)) {
        report.differ(Check::copies)
            .expect("no layout, as nothing is exchanged")
            .found("layout " + std::string(to_string(*run.header.layout)))
            .implies("The trace is of another operation than its header says.");
    }
}

/// Keys are not regenerated for a header that contradicts all records.
bool counts_another_number(RecordedRun const& run, Report& report) {
    if (run.histograms.empty()) {
        return false;
    }
    std::uint64_t sum = 0;
    for (HistogramRecord const& record : run.histograms) {
        if (record.step.value_or(1) == run.histograms.front().step.value_or(1)) {
            sum = std::accumulate(record.counts.begin(), record.counts.end(), sum);
        }
    }
    bool const content_agrees =
        run.header.input.content && run.header.input.content->count == run.header.key_count;
    if (sum == run.header.key_count || content_agrees) {
        return false;
    }
    add_key_count_mismatch(run, "counts", sum, report);
    return true;
}

/// Properties for which a run records verdicts on its output.
std::vector<std::string_view> judged_properties(Operation operation) {
    switch (operation) {
    case Operation::multisplit:
        return {"partition"};
    case Operation::histogram:
        return {};
    case Operation::sssp:
        return {"distances"};
    case Operation::external_sort:
    case Operation::sort:
        break;
    }
    return {"sorted", "permutation"};
}

/// Checks a run's verdicts on its own result.
void verify_own_verdict(RecordedRun const& run, Report& report) {
    std::size_t const unchecked = report.unchecked.size();
    verify_run_verdicts(run, report);
    report.unchecked.resize(
        unchecked); // the order of the keys is irrelevant for all of these operations
    for (std::string_view const property : judged_properties(run.header.operation)) {
        if (std::ranges::find(run.verdicts, property, &VerdictRecord::property) ==
            run.verdicts.end()) {
            report.skip(Check::run_verdicts,
                        "the run recorded no verdict \"" + std::string(property) +
                            "\" on its output");
        }
    }
}

void refuse_nothing_checked(Report& report) {
    bool const looked = std::ranges::any_of(report.checked, [](Check check) {
        return check != Check::phase_times && check != Check::run_verdicts;
    });
    if (report.holds() && !looked) {
        add_nothing_checked(report);
    }
}

} // namespace

Expected<Report>
verify_operation(RecordedRun const& run, InputKeys* keys, VerifyLimits const& limits) {
    auto const of_run = [&run](InputError error) {
        error.subject = run.name + ": " + error.subject;
        return error;
    };
    KEYSWAP_RETURN_IF_ERROR(validate_header(run.header).map_error(of_run));
    Report report;
    report.name = run.name;
    report.header = run.header;
    report.differences = find_impossible_operation_records(run);
    RecordedRun const possible = without_impossible_operation_records(run);
    if (run.header.operation == Operation::sssp) {
        KEYSWAP_RETURN_IF_ERROR(verify_relaxations(possible, limits, report).map_error(of_run));
    } else if (run.header.operation == Operation::external_sort) {
        KEYSWAP_RETURN_IF_ERROR(verify_external_sort(possible, limits, report).map_error(of_run));
    } else if (!counts_another_number(possible, report)) {
        InputLookup<InputKeys> input;
        if (keys == nullptr) {
            KEYSWAP_TRY(input, find_input(run.header, limits).map_error(of_run));
            keys = input.input.get();
        }
        if (keys == nullptr) {
            report.skip(Check::input, input.reason);
        } else {
            report.mark_checked(Check::input);
        }
        KEYSWAP_RETURN_IF_ERROR(
            verify_partitions(possible, keys, limits, report).map_error(of_run));
        if (run.header.operation == Operation::sort) {
            KEYSWAP_RETURN_IF_ERROR(verify_step_sort(run, report));
        }
    }
    verify_no_layout(run, report);
    verify_phase_times(run, report);
    verify_own_verdict(run, report);
    refuse_nothing_checked(report);
    return report;
}

} // namespace keyswap::model::verify
