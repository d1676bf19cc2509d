#include "simulator/calibration/validation.hpp"

#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {

namespace {

void add_phase(ValidatedConfiguration& row, std::string name, double measured, double predicted) {
    if (measured > 0.0) {
        row.phases.push_back({std::move(name), measured, predicted});
    }
}

void compare(ValidatedConfiguration& row) {
    PhaseTimes const& measured = row.measured.times;
    PhaseTimes const& predicted = row.predicted;
    add_phase(row, "total", measured.total_ms, predicted.total_ms);
    add_phase(row, "host to device", measured.host_to_device_ms, predicted.host_to_device_ms);
    for (std::size_t pass = 0; pass < measured.histogram_ms.size(); ++pass) {
        add_phase(row,
                  "partition pass " + std::to_string(pass + 1),
                  measured.histogram_ms[pass] + measured.scatter_ms[pass],
                  value_or_zero(predicted.histogram_ms, pass) +
                      value_or_zero(predicted.scatter_ms, pass));
    }
    add_phase(row, "key swap", measured.key_swap_ms, predicted.key_swap_ms);
    add_phase(row, "sort and copy back", measured.sort_ms, predicted.sort_ms);
}

/// Combines the passes of partitioning, so that a summary has enough values.
std::string_view kind_of(std::string_view phase) {
    return phase.starts_with("partition") ? std::string_view("partition") : phase;
}

/// Prepends file and row to the subject of an error; for `map_error`.
auto at_row(Measurement const& run) {
    return [place = run.place.text](InputError error) {
        if (!place.empty()) {
            error.subject.insert(0, place + ": ");
        }
        return error;
    };
}

} // namespace

Expected<Validation>
validate(Machine const& machine, std::span<Measurement const> runs, Intervals intervals) {
    CertaintyOptions few; // varies only the most influential constants
    few.tasks_in_all = 0;
    Validation validation;
    for (MeasuredConfiguration& measured : measured_configurations(runs)) {
        auto const at = at_row(measured.first);
        KEYSWAP_TRY(auto request, request_of(measured.first).map_error(at));
        KEYSWAP_TRY(auto const simulation, simulate(machine, std::move(request)).map_error(at));
        ValidatedConfiguration row;
        row.measured = std::move(measured);
        row.predicted = phase_times(simulation);
        row.predicted_passes = simulation.schedule.passes;
        if (intervals == Intervals::predicted) {
            KEYSWAP_TRY(row.certainty, certainty_of(machine, simulation, few).map_error(at));
        }
        compare(row);
        bool const is_counted = row.measured.passes > 0 || row.predicted_passes == 0;
        if (row.measured.first.gpus.size() > 1 && is_counted) {
            ++validation.passes_compared;
            validation.passes_equal += row.predicted_passes == row.measured.passes ? 1 : 0;
        }
        validation.configurations.push_back(std::move(row));
    }
    return validation;
}

std::vector<ClassCoverage> class_coverage(Validation const& validation, SummaryFilter filter) {
    std::vector<ClassCoverage> classes;
    for (ValidatedConfiguration const& row : validation.configurations) {
        double const total_ms = row.measured.times.total_ms;
        if (!row.certainty || !filter.takes(row.measured.first) || total_ms < filter.phase_ms_min) {
            continue;
        }
        ModelError const& model = row.certainty->model;
        auto found = std::ranges::find(classes, model.error_class, &ClassCoverage::name);
        if (found == classes.end()) {
            found = classes.insert(found, {model.error_class, 0, 0, model.error});
        }
        ++found->runs;
        found->inside +=
            total_ms >= row.certainty->low_ms && total_ms <= row.certainty->high_ms ? 1 : 0;
    }
    return classes;
}

Coverage coverage(Validation const& validation, SummaryFilter filter) {
    Coverage all;
    for (ClassCoverage const& one : class_coverage(validation, filter)) {
        all.count += one.runs;
        all.inside += one.inside;
    }
    return all;
}

ErrorSummary
summarize_phase(Validation const& validation, std::string_view phase, SummaryFilter filter) {
    std::vector<double> errors;
    for (ValidatedConfiguration const& row : validation.configurations) {
        if (!filter.takes(row.measured.first)) {
            continue;
        }
        for (PhaseError const& error : row.phases) {
            if (kind_of(error.phase) == phase && error.measured_ms >= filter.phase_ms_min) {
                errors.push_back(std::abs(error.error()));
            }
        }
    }
    return summary_of_errors(std::move(errors), std::string(phase));
}

std::vector<ErrorSummary> summarize(Validation const& validation, SummaryFilter filter) {
    std::vector<ErrorSummary> all;
    for (std::string_view const phase :
         {"total", "host to device", "partition", "key swap", "sort and copy back"}) {
        all.push_back(summarize_phase(validation, phase, filter));
    }
    return all;
}

} // namespace keyswap::simulator
