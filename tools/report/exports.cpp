#include "tools/report/exports.hpp"

#include "simulator/engine/chrome_trace.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/csv_text.hpp"
#include "tools/text/simulation_summary.hpp"
#include "traces/format/trace_names.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace keyswap::tools {

namespace {

using SortedJson = nlohmann::json;

/// Each run or simulation gets a range of this many process ids: more than the GPUs of any machine,
/// and than the host's id.
constexpr std::uint32_t process_group = 1'000'000;

void add_simulation(simulator::Simulation const& simulation,
                    std::uint32_t group,
                    SortedJson& events) {
    std::ostringstream text;
    simulator::write_chrome_trace(text, simulation.schedule.graph, simulation.timeline);
    SortedJson own = SortedJson::parse(text.str());
    for (SortedJson& event : own["traceEvents"]) {
        event["pid"] = event["pid"].get<std::uint32_t>() + group;
        if (event["name"] == "process_name") {
            event["args"]["name"] = simulation.request.algorithm +
                                    " predicted: " + event["args"]["name"].get<std::string>();
        }
        if (event.contains("id")) { // arrow ids must be unique across groups
            event["id"] =
                std::to_string(group) + "." + std::to_string(event["id"].get<std::uint64_t>());
        }
        events.push_back(std::move(event));
    }
}

SortedJson process_name(std::uint32_t process, std::string const& name) {
    return {{"name", "process_name"}, {"ph", "M"}, {"pid", process}, {"args", {{"name", name}}}};
}

SortedJson thread_name(std::uint32_t process, std::size_t thread, std::string const& name) {
    SortedJson event = process_name(process, name);
    event.update({{"name", "thread_name"}, {"tid", thread}});
    return event;
}

/// Process, thread and interval of an event.
struct EventPlace {
    std::uint32_t process = 0;
    std::size_t thread = 0;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
};

SortedJson duration_event(std::string const& name, EventPlace const& at, SortedJson args) {
    constexpr double ns_per_us = 1e3;
    return {{"name", name},
            {"ph", "X"},
            {"pid", at.process},
            {"tid", at.thread},
            {"ts", static_cast<double>(at.begin_ns) / ns_per_us},
            {"dur", static_cast<double>(at.end_ns - at.begin_ns) / ns_per_us},
            {"args", std::move(args)}};
}

void add_times(RunView const& view, std::uint32_t group, SortedJson& events) {
    std::set<std::uint32_t> named;
    for (PhaseTimeRecord const& time : view.times) {
        std::uint32_t const process = group + time.gpu.value;
        if (named.insert(process).second) {
            events.push_back(
                process_name(process, view.title + ": GPU " + std::to_string(time.gpu.value)));
            events.push_back(thread_name(process, 0, "phases"));
        }
        events.push_back(duration_event(std::string(time.phase.text()),
                                        {process, 0, time.begin_ns, time.end_ns},
                                        SortedJson{{"pass", time.pass}}));
    }
}

/// Tracks of a GPU are threads of its process; ranges of threads belong to the program's process.
void add_profile(Profile const& profile, std::uint32_t group, SortedJson& events) {
    constexpr std::uint32_t program = process_group - 1;
    std::set<std::uint32_t> named;
    std::vector<std::uint32_t> processes;
    for (std::size_t track = 0; track < profile.tracks.size(); ++track) {
        auto const gpu = profile.tracks[track].gpu;
        std::uint32_t const process = group + gpu.value_or(program);
        processes.push_back(process);
        if (named.insert(process).second) {
            std::string const name = gpu ? "GPU " + std::to_string(*gpu) : "program";
            events.push_back(process_name(process, profile.title + ": " + name));
        }
        events.push_back(thread_name(process, track, profile.tracks[track].name));
    }
    for (ProfileSpan const& span : profile.spans) {
        SortedJson args = SortedJson::object();
        if (span.size_bytes > 0) {
            args["bytes"] = span.size_bytes;
        }
        if (span.route) {
            args["from"] = "GPU " + std::to_string(span.route->source);
            args["to"] = "GPU " + std::to_string(span.route->destination);
        }
        events.push_back(
            duration_event(profile.names[span.name],
                           {processes[span.track], span.track, span.begin_ns, span.end_ns},
                           std::move(args)));
    }
}

std::string profile_csv(Profile const& profile) {
    CsvText csv({"gpu",
                 "track",
                 "name",
                 "begin_ns",
                 "end_ns",
                 "size_bytes",
                 "source_gpu",
                 "destination_gpu"});
    for (ProfileSpan const& span : profile.spans) {
        ProfileTrack const& track = profile.tracks[span.track];
        csv.row(track.gpu ? std::to_string(*track.gpu) : "",
                track.name,
                profile.names[span.name],
                span.begin_ns,
                span.end_ns,
                span.size_bytes,
                span.route ? std::to_string(span.route->source) : "",
                span.route ? std::to_string(span.route->destination) : "");
    }
    return csv.text();
}

std::string buckets_csv(RunView const& view) {
    model::BucketSpace const space = view.bucket_space();
    CsvText csv({"pass",
                 space.digits() != nullptr ? "prefix" : "keys",
                 "begin_key",
                 "end_key",
                 "first_gpu",
                 "last_gpu",
                 "state"});
    for (auto const& [pass, placements] : view.passes) {
        for (PlacementRecord const& placement : placements) {
            csv.row(pass,
                    bucket_name(space, view.header, placement.bucket),
                    placement.begin,
                    placement.end,
                    placement.first.value,
                    placement.last.value,
                    std::string(to_string(placement.state)));
        }
    }
    return csv.text();
}

/// File name and content of the operation's main table.
std::pair<char const*, std::string> operation_csv(OperationView const& view) {
    if (view.run.header.operation == Operation::sssp) {
        CsvText csv({"round", "pending", "frontier", "improved", "lower", "split"});
        for (RelaxationRecord const& round : view.run.relaxations) {
            csv.row(round.round,
                    round.pending,
                    round.frontier,
                    round.improved,
                    round.lower,
                    round.split);
        }
        return {"rounds", csv.text()};
    }
    CountedBuckets const buckets = counted_buckets(view.run);
    CsvText csv({"bin", "holds", "keys"});
    for (std::size_t bin = 0; bin < buckets.keys.size(); ++bin) {
        csv.row(bin, buckets.ranges[bin], buckets.keys[bin]);
    }
    return {"bins", csv.text()};
}

std::vector<std::uint64_t> bytes_moved(RunView const& view) {
    std::vector<std::uint64_t> bytes = view.matrix;
    std::uint64_t const element_bytes = view.header.element_bytes();
    for (std::uint64_t& cell : bytes) {
        cell *= element_bytes;
    }
    return bytes;
}

std::string matrix_csv(RunView const& view) {
    auto const bytes = bytes_moved(view);
    CsvText csv({"source_gpu", "destination_gpu", "keys", "size_bytes"});
    for (std::size_t cell = 0; cell < view.matrix.size(); ++cell) {
        csv.row(cell / view.gpu_count(), cell % view.gpu_count(), view.matrix[cell], bytes[cell]);
    }
    return csv.text();
}

std::string gpus_csv(RunView const& view) {
    CsvText csv(
        {"gpu", "device_number", "first_key", "keys", "sorts", "end_bit_min", "end_bit_max"});
    for (OwnershipRecord const& owner : view.ownership) {
        GpuSorts const& sorts = view.sorts[owner.gpu.value];
        csv.row(owner.gpu.value,
                view.header.gpus[owner.gpu.value],
                owner.base,
                owner.count,
                sorts.calls,
                sorts.end_bit_min,
                sorts.end_bit_max);
    }
    return csv.text();
}

std::string times_csv(RunView const& view) {
    CsvText csv({"gpu", "phase", "pass", "begin_ns", "end_ns"});
    for (PhaseTimeRecord const& time : view.times) {
        csv.row(
            time.gpu.value, std::string(time.phase.text()), time.pass, time.begin_ns, time.end_ns);
    }
    return csv.text();
}

std::string phases_csv(simulator::Simulation const& simulation) {
    CsvText csv({"phase", "pass", "begin_ms", "end_ms"});
    for (PhaseLine const& line : phase_lines(simulation)) {
        csv.row(line.name,
                line.pass,
                simulator::to_milliseconds(line.span.begin),
                simulator::to_milliseconds(line.span.end));
    }
    return csv.text();
}

std::string links_csv(simulator::Simulation const& simulation) {
    CsvText csv({"link",
                 "capacity_GBps",
                 "peak_GBps",
                 "mean_GBps",
                 "moved_bytes",
                 "busy_ms",
                 "saturated_ms"});
    for (simulator::ChannelUse const& use : simulation.timeline.channels) {
        csv.row(use.name,
                use.capacity_Bps * 1e-9,
                use.peak_Bps * 1e-9,
                use.mean_Bps * 1e-9,
                use.size_bytes,
                simulator::to_milliseconds(use.busy),
                simulator::to_milliseconds(use.saturated));
    }
    return csv.text();
}

std::string matrix_lines(std::vector<std::uint64_t> const& bytes, std::size_t gpus) {
    std::string text;
    for (std::size_t cell = 0; cell < bytes.size(); ++cell) {
        text += std::to_string(bytes[cell]);
        text += (cell + 1) % gpus == 0 ? '\n' : ' ';
    }
    return text;
}

std::string numbered(char const* name, std::size_t index) {
    return std::string(name) + (index == 0 ? "" : '-' + std::to_string(index + 1)) + ".csv";
}

} // namespace

SortedJson chrome_trace(ReportContent const& content) {
    SortedJson events = SortedJson::array();
    std::uint32_t group = 0;
    for (RunView const& view : content.runs) {
        add_times(view, group, events);
        group += view.times.empty() ? 0 : process_group;
    }
    for (Profile const& profile : content.profiles) {
        add_profile(profile, group, events);
        group += process_group;
    }
    for (simulator::Simulation const& simulation : content.simulations) {
        add_simulation(simulation, group, events);
        group += process_group;
    }
    return {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
}

std::string matrix_text(RunView const& view) {
    return matrix_lines(bytes_moved(view), view.gpu_count());
}

std::string matrix_text(Profile const& profile) {
    return matrix_lines(profile.matrix(), profile.gpus.size());
}

std::map<std::string, std::string> csv_tables(ReportContent const& content) {
    std::map<std::string, std::string> tables;
    for (std::size_t i = 0; i < content.runs.size(); ++i) {
        tables[numbered("buckets", i)] = buckets_csv(content.runs[i]);
        tables[numbered("matrix", i)] = matrix_csv(content.runs[i]);
        tables[numbered("gpus", i)] = gpus_csv(content.runs[i]);
        if (!content.runs[i].times.empty()) {
            tables[numbered("times", i)] = times_csv(content.runs[i]);
        }
    }
    for (std::size_t i = 0; i < content.operations.size(); ++i) {
        auto const [name, text] = operation_csv(content.operations[i]);
        tables[numbered(name, i)] = text;
    }
    for (std::size_t i = 0; i < content.profiles.size(); ++i) {
        tables[numbered("profile", i)] = profile_csv(content.profiles[i]);
    }
    for (std::size_t i = 0; i < content.simulations.size(); ++i) {
        tables[numbered("phases", i)] = phases_csv(content.simulations[i]);
        tables[numbered("links", i)] = links_csv(content.simulations[i]);
    }
    return tables;
}

} // namespace keyswap::tools
