#include "simulator/prediction.hpp"

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
                          double>;

RunKey key_of(Measurement const& run) {
    // GPU sorts note a number of CPU threads that plays no part in them.
    return {run.algorithm,
            run.key_count,
            run.gpus,
            run.gpus.empty() ? run.cpu_threads : 0,
            run.key_type,
            run.distribution,
            run.parameter};
}

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    std::ranges::sort(values);
    std::size_t const half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// Slowest GPU of one run, for what `time_of` takes from its phases.
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

double at_or_zero(std::vector<double> const& values, std::size_t index) {
    return index < values.size() ? values[index] : 0.0;
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
            runs, [&](GpuPhases const& gpu) { return at_or_zero(gpu.histogram_ms, pass); }));
        times.scatter_ms.push_back(median_of(
            runs, [&](GpuPhases const& gpu) { return at_or_zero(gpu.scatter_ms, pass); }));
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
    return result;
}

double span_ms(Simulation const& simulation, std::string_view name, int pass = 0) {
    TimeSpan const span = phase_span(simulation.schedule.graph, simulation.timeline, name, pass);
    return to_milliseconds(span.end - span.begin);
}

} // namespace

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
    auto const type = parse_key_type(run.key_type);
    if (!type) {
        return tl::unexpected(type.error());
    }
    request.config.key_type = *type;
    request.config.key_count = run.key_count;
    request.distribution = run.distribution;
    if (run.distribution == "zipf" || run.distribution == "skewed") {
        request.parameter = run.parameter;
    }
    for (int const gpu : run.gpus) {
        request.gpus.push_back(static_cast<std::uint32_t>(gpu));
    }
    if (run.algorithm == "radix-mgpu-sort") {
        request.algorithm = "rmg-paper";
    } else if (run.algorithm == "thrust-sort") {
        request.algorithm = "one-gpu";
    } else if (run.algorithm == "gnu-parallel-sort" || run.algorithm == "paradis-sort") {
        request.algorithm = run.algorithm == "paradis-sort" ? "cpu-paradis" : "cpu-gnu-parallel";
        request.cpu_threads = static_cast<int>(run.cpu_threads);
    } else if (find_schedule(run.algorithm)) {
        request.algorithm = run.algorithm; // of our own bench
    } else {
        return tl::unexpected(InputError{"sorting_algorithm",
                                         "'" + run.algorithm + "' has no schedule",
                                         "known: radix-mgpu-sort, thrust-sort, gnu-parallel-sort, "
                                         "paradis-sort"});
    }
    return request;
}

PhaseTimes phase_times(Simulation const& simulation) {
    PhaseTimes times;
    times.host_to_device_ms = span_ms(simulation, phase::host_to_device);
    for (int pass = 1; pass <= simulation.schedule.passes; ++pass) {
        times.histogram_ms.push_back(span_ms(simulation, phase::histogram, pass));
        times.scatter_ms.push_back(span_ms(simulation, phase::scatter, pass));
    }
    times.key_swap_ms = span_ms(simulation, phase::key_swap);
    TimeSpan const sort = phase_span(simulation.schedule.graph, simulation.timeline, phase::sort);
    TimeSpan const back =
        phase_span(simulation.schedule.graph, simulation.timeline, phase::device_to_host);
    SimTime const begin = sort.end == SimTime{} ? back.begin : std::min(sort.begin, back.begin);
    times.sort_ms = to_milliseconds(std::max(sort.end, back.end) - begin);
    times.total_ms = to_milliseconds(simulation.timeline.makespan);
    return times;
}

} // namespace keyswap::simulator
