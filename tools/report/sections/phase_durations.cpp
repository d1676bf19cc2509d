#include "tools/report/sections/simulation_data.hpp"

#include "tools/text/json.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace keyswap::tools {

namespace {

struct Span {
    double begin_ms = 0.0;
    double end_ms = 0.0;
};

/// Intervals by (phase, pass, GPU).
using PhaseSpans = std::map<std::tuple<std::string, int, std::uint32_t>, Span>;

template <class Name>
void extend(std::map<std::tuple<Name, int, std::uint32_t>, Span>& spans,
            Name const& phase,
            int pass,
            std::uint32_t gpu,
            Span added) {
    auto const [entry, is_new] = spans.try_emplace({phase, pass, gpu}, added);
    if (!is_new) {
        entry->second.begin_ms = std::min(entry->second.begin_ms, added.begin_ms);
        entry->second.end_ms = std::max(entry->second.end_ms, added.end_ms);
    }
}

/// Duration of each phase on its slowest GPU, ordered by begin.
std::vector<PhaseDurations::Phase> slowest(PhaseSpans const& spans) {
    struct Found {
        double begin_ms;
        PhaseDurations::Phase phase;
    };
    std::vector<Found> found;
    for (auto const& [key, span] : spans) {
        auto const& [name, pass, gpu] = key;
        double const duration = span.end_ms - span.begin_ms;
        if (!found.empty() && found.back().phase.name == name && found.back().phase.pass == pass) {
            found.back().begin_ms = std::min(found.back().begin_ms, span.begin_ms);
            found.back().phase.duration_ms = std::max(found.back().phase.duration_ms, duration);
        } else {
            found.push_back({span.begin_ms, {name, pass, duration}});
        }
    }
    std::ranges::stable_sort(found, {}, &Found::begin_ms);
    std::vector<PhaseDurations::Phase> phases;
    phases.reserve(found.size());
    for (Found& entry : found) {
        phases.push_back(std::move(entry.phase));
    }
    return phases;
}

double slowest_sort_and_copy_back(PhaseSpans const& spans) {
    std::map<std::uint32_t, Span> by_gpu;
    for (auto const& [key, span] : spans) {
        auto const& [name, pass, gpu] = key;
        if (name == to_string(Phase::bucket_sort) || name == to_string(Phase::device_to_host)) {
            auto const entry = by_gpu.try_emplace(gpu, span).first;
            entry->second.begin_ms = std::min(entry->second.begin_ms, span.begin_ms);
            entry->second.end_ms = std::max(entry->second.end_ms, span.end_ms);
        }
    }
    double longest = 0.0;
    for (auto const& [gpu, span] : by_gpu) {
        longest = std::max(longest, span.end_ms - span.begin_ms);
    }
    return longest;
}

/// Merges bucket sort and copy back into one phase, to compare with runs that report only their
/// sum.
PhaseDurations joined(PhaseDurations run) {
    auto const is = [](Phase phase) {
        return [phase](auto const& one) { return one.name == to_string(phase); };
    };
    if (std::ranges::none_of(run.phases, is(Phase::bucket_sort))) {
        return run; // no buckets, or already merged
    }
    std::erase_if(run.phases, is(Phase::bucket_sort));
    std::erase_if(run.phases, is(Phase::device_to_host));
    run.phases.push_back(
        {std::string(to_string(Phase::bucket_sort_and_copy_back)), 0, run.sort_and_copy_back_ms});
    return run;
}

std::string phase_label(PhaseDurations::Phase const& phase) {
    return phase.pass > 0 ? phase.name + ", pass " + std::to_string(phase.pass) : phase.name;
}

double duration_in(PhaseDurations const& run, std::string const& label) {
    for (PhaseDurations::Phase const& phase : run.phases) {
        if (phase_label(phase) == label) {
            return phase.duration_ms;
        }
    }
    return 0.0;
}

} // namespace

PhaseDurations phase_durations(simulator::Simulation const& simulation) {
    auto const& graph = simulation.schedule.graph;
    std::map<std::tuple<Phase, int, std::uint32_t>, Span> by_phase; // fast key: no name per task
    for (std::size_t index = 0; index < graph.tasks.size(); ++index) {
        auto const& task = graph.tasks[index];
        if (task.phase && task.stream) {
            auto const& times = simulation.timeline.tasks[index];
            auto const gpu = graph.streams[task.stream->value].gpu.value_or(~0U);
            extend(by_phase,
                   *task.phase,
                   task.pass,
                   gpu,
                   {simulator::to_milliseconds(times.launched),
                    simulator::to_milliseconds(times.ended)});
        }
    }
    PhaseSpans spans;
    for (auto const& [key, span] : by_phase) {
        auto const& [phase, pass, gpu] = key;
        extend(spans, std::string(to_string(phase)), pass, gpu, span);
    }
    return {simulation.request.algorithm,
            false,
            slowest(spans),
            simulator::to_milliseconds(simulation.timeline.makespan),
            slowest_sort_and_copy_back(spans)};
}

PhaseDurations phase_durations(RunView const& view) {
    constexpr double ns_per_ms = 1e6;
    PhaseSpans spans;
    double begin = 0.0;
    double end = 0.0;
    for (PhaseTimeRecord const& time : view.times) {
        Span const span{static_cast<double>(time.begin_ns) / ns_per_ms,
                        static_cast<double>(time.end_ns) / ns_per_ms};
        extend(spans, std::string(time.phase.text()), time.pass, time.gpu.value, span);
        begin = std::min(begin, span.begin_ms);
        end = std::max(end, span.end_ms);
    }
    return {view.title, true, slowest(spans), end - begin, slowest_sort_and_copy_back(spans)};
}

Json comparison_data(std::span<PhaseDurations const> all) {
    std::vector<PhaseDurations> runs(all.begin(), all.end());
    bool const together = std::ranges::any_of(runs, [](PhaseDurations const& run) {
        return std::ranges::any_of(run.phases, [](auto const& phase) {
            return phase.name == to_string(Phase::bucket_sort_and_copy_back);
        });
    });
    for (PhaseDurations& run : runs) {
        run = together ? joined(std::move(run)) : std::move(run);
    }
    std::vector<std::string> labels;
    Json names = Json::array();
    for (PhaseDurations const& run : runs) {
        names.push_back(
            {{"name", run.name + (run.measured ? "" : ", predicted")}, {"measured", run.measured}});
        for (PhaseDurations::Phase const& phase : run.phases) {
            if (std::ranges::find(labels, phase_label(phase)) == labels.end()) {
                labels.push_back(phase_label(phase));
            }
        }
    }
    Json rows = Json::array();
    for (std::string const& label : labels) {
        Json durations = Json::array();
        for (PhaseDurations const& run : runs) {
            durations.push_back(duration_in(run, label));
        }
        rows.push_back({{"phase", label}, {"ms", durations}});
    }
    Json totals = json_array(runs, [](PhaseDurations const& run) { return run.total_ms; });
    rows.push_back({{"phase", "total"}, {"ms", totals}});
    return {{"kind", "comparison"}, {"title", "Phases compared"}, {"runs", names}, {"rows", rows}};
}

} // namespace keyswap::tools
