#include "tools/report/sections/simulation_data.hpp"

#include "simulator/engine/chrome_trace.hpp"
#include "tools/report/sections/platform_layout.hpp"
#include "tools/report/sections/run_data.hpp"
#include "tools/text/json.hpp"
#include "tools/text/memory_text.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/simulation_fields.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace keyswap::tools {

namespace {

using simulator::to_milliseconds;

constexpr double bytes_per_GB = 1e9;
/// With more tasks, consecutive ones of one stream and phase are drawn as one.
constexpr std::size_t tasks_max = 12'000;
/// Number of channels, the busiest, whose rates are drawn over time.
constexpr std::size_t sampled_channels_max = 6;
/// Points per line; each is the peak rate of its time slice.
constexpr std::size_t sample_points_max = 300;

/// Adds one row per memory; consecutive memories with equal use share a row.
void add_memory_rows(std::span<simulator::MemoryUse const> uses, Json& rows) {
    for (std::size_t begin = 0; begin < uses.size();) {
        std::string const text = memory_use_text(uses[begin]);
        std::size_t end = begin + 1;
        while (end < uses.size() && memory_use_text(uses[end]) == text) {
            ++end;
        }
        std::string const last = end - begin > 1 ? " to " + uses[end - 1].name : "";
        rows.push_back({"Memory of " + uses[begin].name + last, text});
        begin = end;
    }
}

Json configuration(simulator::Machine const& machine, simulator::Simulation const& simulation) {
    RunHeader header;
    auto const& request = simulation.request;
    header.algorithm = request.algorithm;
    header.key_count = request.config.key_count;
    header.gpus.assign(request.gpus.begin(), request.gpus.end());
    header.key_type = request.config.key_type;
    header.value_type = request.config.value_type;
    header.direction = request.config.direction;
    static_cast<SortParameters&>(header) = static_cast<SortParameters const&>(request.config);
    header.input.distribution = request.distribution;
    header.input.parameter = request.parameter;
    header.input.seed = request.seed;
    Json rows = configuration_rows(header);
    std::string const hash = hash_text(simulator::platform_hash(machine.platform));
    rows.push_back({"Platform", machine.platform.name + " (" + hash + ")"});
    rows.push_back({"Device profile", machine.device.name});
    for (std::string const& note : simulator::stand_in_notes(machine, request.algorithm)) {
        rows.push_back({"Note", note});
    }
    auto const places = simulator::key_places(machine.platform, request);
    rows.push_back({"Input lies on", place_text(places.input)});
    if (!(places.output == places.input)) {
        rows.push_back({"Output lies on", place_text(places.output)});
    }
    add_memory_rows(simulation.memory.uses, rows);
    if (request.engine.rate_tolerance > 0.0) {
        rows.push_back({"Approximate",
                        "rates are computed once for copies that end within " +
                            printed("%g", request.engine.rate_tolerance) +
                            " of a copy's duration"});
    }
    if (simulation.schedule.graph.has_trains()) {
        rows.push_back(
            {"Approximate", "the copies of each source and destination are simulated as one"});
    }
    return rows;
}

/// Rows: constant with its value, range, total at both ends of the range.
Json assumptions_data(simulator::Certainty const& certainty) {
    Json rows = Json::array();
    for (simulator::AssumptionEffect const& effect : certainty.effects) {
        simulator::MachineConstant const& constant = effect.constant;
        std::string const unit = constant.unit.empty() ? "" : " " + constant.unit;
        rows.push_back(
            {constant.name + printed(" = %.4g", constant.value) + unit,
             printed("%.4g to ", constant.low()) + printed("%.4g", constant.high()) + unit,
             interval_text(effect.low_ms, effect.high_ms, 4)});
    }
    return rows;
}

Json channels_data(simulator::Simulation const& simulation) {
    Json rows = Json::array();
    for (simulator::ChannelUse const& use : used_channels(simulation)) {
        rows.push_back(document(use));
        rows.back().update(Json{{"moved_GB", use.size_bytes / bytes_per_GB},
                                {"busy_ms", to_milliseconds(use.busy)}});
    }
    return rows;
}

/// Peak rate of each time slice, as [ms, GB/s].
Json sampled(simulator::ChannelUse const& use, simulator::SimTime makespan) {
    std::vector<double> peaks(sample_points_max, 0.0);
    auto const part_of = [&](simulator::SimTime time) {
        double const share = simulator::to_seconds(time) / simulator::to_seconds(makespan);
        return std::min(sample_points_max - 1,
                        static_cast<std::size_t>(share * static_cast<double>(sample_points_max)));
    };
    for (std::size_t i = 0; i < use.samples.size(); ++i) {
        auto const end = i + 1 < use.samples.size() ? use.samples[i + 1].at : makespan;
        for (std::size_t part = part_of(use.samples[i].at); part <= part_of(end); ++part) {
            peaks[part] = std::max(peaks[part], use.samples[i].rate_Bps / bytes_per_GB);
        }
    }
    Json points = Json::array();
    for (std::size_t part = 0; part < peaks.size(); ++part) {
        double const at = static_cast<double>(part) / static_cast<double>(sample_points_max);
        points.push_back({at * to_milliseconds(makespan), peaks[part]});
    }
    return points;
}

Json rates_data(simulator::Timeline const& timeline) {
    std::vector<simulator::ChannelUse const*> busiest;
    for (simulator::ChannelUse const& use : timeline.channels) {
        if (!use.samples.empty() && timeline.makespan > simulator::SimTime{}) {
            busiest.push_back(&use);
        }
    }
    // Channels that limit the sort; if none, those busy for the longest time.
    auto const limits = [&](simulator::ChannelUse const* use) {
        return to_milliseconds(use->saturated) >= 0.01 * to_milliseconds(timeline.makespan);
    };
    std::ranges::stable_sort(busiest, std::greater<>{}, [&](simulator::ChannelUse const* use) {
        return std::pair{limits(use) ? use->saturated : simulator::SimTime{}, use->busy};
    });
    busiest.resize(std::min(busiest.size(), sampled_channels_max));
    Json rows = Json::array();
    for (simulator::ChannelUse const* use : busiest) {
        rows.push_back({{"name", use->name},
                        {"capacity_GBps", use->capacity_Bps / bytes_per_GB},
                        {"points", sampled(*use, timeline.makespan)}});
    }
    return rows;
}

/// A drawn task, or several consecutive ones drawn as one.
struct DrawnTask {
    std::uint32_t stream = 0;
    std::uint32_t phase = 0; ///< index in the list of phases; 0: launching_name
    int pass = 0;
    double begin_ms = 0.0;
    double end_ms = 0.0;
    std::uint64_t size_bytes = 0;
    std::int64_t destination = -1; ///< destination GPU of a copy between GPUs
    std::uint64_t tasks = 1;
};

DrawnTask drawn(simulator::Task const& task, simulator::TaskTimes const& times) {
    DrawnTask shown{task.stream->value,
                    task.phase ? 1 + static_cast<std::uint32_t>(*task.phase) : 0,
                    task.pass,
                    to_milliseconds(times.launched),
                    to_milliseconds(times.ended)};
    if (auto const* copy = std::get_if<simulator::CopyWork>(&task.work)) {
        shown.size_bytes = copy->size_bytes;
        bool const between_gpus = copy->source.kind == simulator::MemoryKind::gpu &&
                                  copy->destination.kind == simulator::MemoryKind::gpu &&
                                  copy->source != copy->destination;
        shown.destination = between_gpus ? static_cast<std::int64_t>(copy->destination.index) : -1;
    }
    return shown;
}

bool can_join(DrawnTask const& before, DrawnTask const& next, bool across_gpus) {
    return before.phase == next.phase && before.pass == next.pass &&
           (across_gpus || before.destination == next.destination);
}

/// True if the task took time on a stream.
bool is_drawn(simulator::Simulation const& simulation, std::size_t task) {
    auto const& times = simulation.timeline.tasks[task];
    return simulation.schedule.graph.tasks[task].stream && times.launched != times.ended;
}

/// Tasks stream by stream, each in time order.
/// \param join merges tasks of equal phase and destination (across_gpus: of equal phase)
std::vector<DrawnTask>
drawn_tasks(simulator::Simulation const& simulation, bool join, bool across_gpus) {
    auto const& graph = simulation.schedule.graph;
    std::vector<std::vector<DrawnTask>> streams(graph.streams.size());
    for (std::size_t index = 0; index < graph.tasks.size(); ++index) {
        auto const& task = graph.tasks[index];
        auto const& times = simulation.timeline.tasks[index];
        if (!is_drawn(simulation, index)) {
            continue;
        }
        auto& row = streams[task.stream->value];
        DrawnTask const next = drawn(task, times);
        if (join && !row.empty() && can_join(row.back(), next, across_gpus)) {
            DrawnTask& last = row.back();
            last.destination = last.destination == next.destination ? last.destination : -1;
            last.end_ms = next.end_ms;
            last.size_bytes += next.size_bytes;
            last.tasks += 1;
        } else {
            row.push_back(next);
        }
    }
    std::vector<DrawnTask> all;
    for (auto const& row : streams) {
        all.insert(all.end(), row.begin(), row.end());
    }
    return all;
}

Json tasks_data(simulator::Simulation const& simulation) {
    std::size_t exact = 0;
    for (std::size_t index = 0; index < simulation.timeline.tasks.size(); ++index) {
        exact += is_drawn(simulation, index) ? 1 : 0;
    }
    auto tasks = drawn_tasks(simulation, exact > tasks_max, false);
    if (tasks.size() > tasks_max) {
        tasks = drawn_tasks(simulation, true, true);
    }
    Json rows = json_array(tasks, [](DrawnTask const& task) {
        return Json{task.stream,
                    task.phase,
                    task.pass,
                    task.begin_ms,
                    task.end_ms,
                    task.size_bytes,
                    task.destination,
                    task.tasks};
    });
    Json streams = json_array(simulation.schedule.graph.streams, [](auto const& stream) {
        return Json{{"name", stream.name}, {"gpu", stream.gpu ? Json(*stream.gpu) : Json()}};
    });
    Json names = Json::array({simulator::launching_name});
    for (Phase const phase : phases()) {
        names.push_back(to_string(phase));
    }
    return {{"streams", streams}, {"phases", names}, {"rows", rows}, {"exact_count", exact}};
}

Json topology_data(simulator::Platform const& platform, simulator::Timeline const& timeline) {
    Json nodes = Json::array();
    for (PlacedNode const& node : layout_of(platform)) {
        char const* const kind = node.kind == NodeKind::cpu   ? "cpu"
                                 : node.kind == NodeKind::gpu ? "gpu"
                                                              : "switch";
        nodes.push_back({{"name", node.name},
                         {"kind", kind},
                         {"label", node.label},
                         {"x", node.x},
                         {"y", node.y}});
    }
    std::map<std::string, simulator::ChannelUse const*> by_name;
    for (simulator::ChannelUse const& use : timeline.channels) {
        by_name[use.name] = &use;
    }
    double const total_s = simulator::to_seconds(timeline.makespan);
    auto const direction = [&](std::string const& name) {
        auto const found = by_name.find(name);
        if (found == by_name.end()) {
            return Json();
        }
        simulator::ChannelUse const& use = *found->second;
        double const saturated = simulator::to_seconds(use.saturated);
        return Json{{"capacity_GBps", use.capacity_Bps / bytes_per_GB},
                    {"mean_GBps", use.mean_Bps / bytes_per_GB},
                    {"peak_GBps", use.peak_Bps / bytes_per_GB},
                    {"moved_GB", use.size_bytes / bytes_per_GB},
                    {"saturated_share", total_s > 0.0 ? saturated / total_s : 0.0}};
    };
    Json links = json_array(platform.links, [&](auto const& link) {
        return Json{{"name", link.name},
                    {"kind", link.kind},
                    {"from", link.from},
                    {"to", link.to},
                    {"forward", direction(link.name + ": " + link.from + " > " + link.to)},
                    {"backward", direction(link.name + ": " + link.to + " > " + link.from)},
                    {"both", direction(link.name + ": both directions")}};
    });
    return {{"nodes", nodes}, {"links", links}};
}

} // namespace

Json simulation_data(simulator::Machine const& machine,
                     simulator::Simulation const& simulation,
                     simulator::Certainty const& certainty) {
    double const total_ms = to_milliseconds(simulation.timeline.makespan);
    std::string const predicted = "Predicted to take " + duration_text(total_ms);
    Json const answers =
        simulation.request.config.key_count == 0
            ? Json::array({predicted + ", since there are no keys."})
            : Json::array({predicted + " (" +
                               interval_text(certainty.low_ms, certainty.high_ms, 3) + "), with " +
                               counted(static_cast<std::uint64_t>(simulation.schedule.passes),
                                       "partitioning pass",
                                       "partitioning passes") +
                               ", " + counted(simulation.schedule.copies, "copy", "copies") +
                               " between GPUs and " +
                               counted(simulation.schedule.sort_calls, "sort") + ".",
                           bottleneck(simulation)});
    return {
        {"kind", "simulation"},
        {"title", "Simulation of " + simulation.request.algorithm + " on " + machine.platform.name},
        {"algorithm", simulation.request.algorithm},
        {"platform", machine.platform.name},
        {"answers", answers},
        {"configuration", configuration(machine, simulation)},
        {"gpus", simulation.request.gpus},
        {"total_ms", total_ms},
        {"interval_ms", {certainty.low_ms, certainty.high_ms}},
        {"model_error", certainty.model.error},
        {"assumptions", assumptions_data(certainty)},
        {"phases", document(phase_lines(simulation))},
        {"channels", channels_data(simulation)},
        {"rates", rates_data(simulation.timeline)},
        {"tasks", tasks_data(simulation)},
        {"topology", topology_data(machine.platform, simulation.timeline)}};
}

} // namespace keyswap::tools
