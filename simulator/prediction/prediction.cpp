#include "simulator/prediction/prediction.hpp"

#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace keyswap::simulator {

namespace {

using RunKey = std::tuple<std::string,
                          std::uint64_t,
                          std::vector<int>,
                          std::uint32_t,
                          std::string,
                          std::string,
                          std::optional<double>>;

RunKey key_of(Measurement const& run) {
    // Measurements of GPU sorts contain a CPU thread count that has no effect.
    return {run.algorithm,
            run.key_count,
            run.gpus,
            run.gpus.empty() ? run.cpu_threads : 0,
            run.key_type,
            run.distribution,
            run.parameter};
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return median_of_sorted(values);
}

/// Half the distance between the second lowest and second highest value / median, so that one
/// disturbed run has no effect. 0 for fewer than three values.
double spread_of(std::vector<double> values) {
    if (values.size() < 3) {
        return 0.0;
    }
    std::ranges::sort(values);
    return 0.5 * (values[values.size() - 2] - values[1]) / median(values);
}

/// Largest value among the GPUs of one run; `time_of` extracts it from their phases.
template <class TimeOf>
double slowest(Measurement const& run, TimeOf time_of) {
    double most = 0.0;
    for (GpuPhases const& gpu : run.phases) {
        most = std::max(most, time_of(gpu));
    }
    return most;
}

template <class TimeOf>
double median_of(std::vector<Measurement const*> const& runs, TimeOf time_of) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (Measurement const* run : runs) {
        values.push_back(slowest(*run, time_of));
    }
    return median(values);
}

MeasuredConfiguration configuration_of(std::vector<Measurement const*> const& runs) {
    MeasuredConfiguration result;
    result.first = *runs.front();
    result.passes = static_cast<int>(result.first.passes);
    result.runs = runs.size();
    PhaseTimes& times = result.times;
    times.host_to_device_ms =
        median_of(runs, [](GpuPhases const& gpu) { return gpu.host_to_device_ms; });
    std::size_t passes = 0;
    for (Measurement const* run : runs) {
        for (GpuPhases const& gpu : run->phases) {
            passes = std::max(passes, gpu.histogram_ms.size());
        }
    }
    for (std::size_t pass = 0; pass < passes; ++pass) {
        times.histogram_ms.push_back(median_of(
            runs, [&](GpuPhases const& gpu) { return value_or_zero(gpu.histogram_ms, pass); }));
        times.scatter_ms.push_back(median_of(
            runs, [&](GpuPhases const& gpu) { return value_or_zero(gpu.scatter_ms, pass); }));
    }
    times.key_swap_ms = median_of(runs, [](GpuPhases const& gpu) { return gpu.key_swap_ms; });
    times.sort_ms =
        median_of(runs, [](GpuPhases const& gpu) { return gpu.sort_ms + gpu.device_to_host_ms; });
    std::vector<double> totals;
    totals.reserve(runs.size());
    for (Measurement const* run : runs) {
        totals.push_back(run->total_ms);
    }
    times.total_ms = median(totals);
    result.spread = spread_of(std::move(totals));
    return result;
}

double span_ms(Simulation const& simulation, Phase phase, int pass = 0) {
    TimeSpan const span = phase_span(simulation.timeline, phase, pass);
    return to_milliseconds(span.end - span.begin);
}

/// Duration of a pass's histograms after the upload has ended: counting overlaps with the upload,
/// and `keyswap bench` reports only the rest.
double reading_ms(Simulation const& simulation, int pass) {
    TimeSpan const span = phase_span(simulation.timeline, Phase::histogram, pass);
    TimeSpan const upload = phase_span(simulation.timeline, Phase::host_to_device);
    return to_milliseconds(span.end - std::clamp(upload.end, span.begin, span.end));
}

} // namespace

double median_of_sorted(std::span<double const> values) {
    if (values.empty()) {
        return 0.0;
    }
    std::size_t const half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double value_or_zero(std::vector<double> const& values, std::size_t index) {
    return index < values.size() ? values[index] : 0.0;
}

std::vector<MeasuredConfiguration> measured_configurations(std::span<Measurement const> runs) {
    std::map<RunKey, std::size_t> place;
    std::vector<std::vector<Measurement const*>> groups;
    for (Measurement const& run : runs) {
        auto const [entry, is_new] = place.emplace(key_of(run), groups.size());
        if (is_new) {
            groups.emplace_back();
        }
        groups[entry->second].push_back(&run);
    }
    std::vector<MeasuredConfiguration> all;
    all.reserve(groups.size());
    for (auto const& group : groups) {
        all.push_back(configuration_of(group));
    }
    return all;
}

Expected<SimulationRequest> request_of(Measurement const& run) {
    SimulationRequest request;
    request.memory_limits = MemoryLimits::ignored;
    KEYSWAP_TRY(auto const type, parse_key_type(run.key_type).map_error(about("data_type")));
    request.config.key_type = type;
    request.config.key_count = run.key_count;
    request.distribution = run.distribution;
    bool const has_parameter = run.distribution == "zipf" || run.distribution == "skewed";
    if (has_parameter) {
        request.parameter = run.parameter;
    }
    for (int const gpu : run.gpus) {
        request.gpus.push_back(static_cast<std::uint32_t>(gpu));
    }
    auto const published = find_published(run.algorithm);
    if (published && has_parameter) {
        request.distribution += "-published"; // the published generator's law
    }
    request.algorithm = measured_algorithm(run.algorithm);
    request.own_program = !published;
    auto const kind = find_schedule(request.algorithm);
    if (!kind) {
        std::string known;
        for (AlgorithmChoice const choice : every_choice()) {
            std::string_view const name = choice.variant->published_name;
            known += name.empty() ? "" : (known.empty() ? "" : ", ") + std::string(name);
        }
        return input_error(
            "sorting_algorithm", "'" + run.algorithm + "' has no schedule", "known: " + known);
    }
    if ((*kind)->choice().algorithm->gpus == GpuCounts::none) {
        request.cpu_threads = static_cast<int>(run.cpu_threads);
    }
    return request;
}

PhaseTimes phase_times(Simulation const& simulation) {
    PhaseTimes times;
    times.host_to_device_ms = span_ms(simulation, Phase::host_to_device);
    for (int pass = 1; pass <= simulation.schedule.passes; ++pass) {
        times.histogram_ms.push_back(reading_ms(simulation, pass));
        times.scatter_ms.push_back(span_ms(simulation, Phase::scatter, pass));
    }
    times.key_swap_ms = span_ms(simulation, Phase::key_swap);
    TimeSpan sorting{sim_time_max, SimTime{}};
    for (Phase const phase : {Phase::sort,
                              Phase::bucket_sort,
                              Phase::bucket_sort_and_copy_back,
                              Phase::device_to_host}) {
        TimeSpan const span = phase_span(simulation.timeline, phase);
        if (span.end > SimTime{}) {
            sorting = {std::min(sorting.begin, span.begin), std::max(sorting.end, span.end)};
        }
    }
    times.sort_ms = sorting.end > SimTime{} ? to_milliseconds(sorting.end - sorting.begin) : 0.0;
    times.total_ms = to_milliseconds(simulation.timeline.makespan);
    return times;
}

} // namespace keyswap::simulator
