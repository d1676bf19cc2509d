#include "simulator/engine/chrome_trace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace keyswap::simulator {

namespace {

constexpr std::uint32_t host_process = 100'000; ///< above any GPU's number

std::string microseconds_text(SimTime time) {
    std::array<char, 40> buffer{};
    std::snprintf(buffer.data(),
                  buffer.size(),
                  "%lld.%06lld",
                  static_cast<long long>(time.ps / 1'000'000),
                  static_cast<long long>(time.ps % 1'000'000));
    return buffer.data();
}

/// Quotes and escapes a JSON string; platform files may name things with any characters.
std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (char const letter : text) {
        if (letter == '"' || letter == '\\') {
            out += '\\';
        }
        out += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
    }
    return out + "\"";
}

class Writer {
  public:
    explicit Writer(std::ostream& out) : out_(out) { out_ << "{\"traceEvents\":[\n"; }
    void event(std::string const& fields) {
        out_ << (first_ ? "" : ",\n") << "{" << fields << "}";
        first_ = false;
    }
    void end() { out_ << "\n],\"displayTimeUnit\":\"ms\"}\n"; }

  private:
    std::ostream& out_;
    bool first_ = true;
};

std::uint32_t process_of(TaskGraph const& graph, Task const& task) {
    if (task.stream && graph.streams[task.stream->value].gpu) {
        return *graph.streams[task.stream->value].gpu;
    }
    return host_process;
}

std::string at(std::uint32_t process, std::uint32_t track, SimTime time) {
    return "\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(track) +
           ",\"ts\":" + microseconds_text(time);
}

void write_names(Writer& writer, TaskGraph const& graph) {
    std::set<std::uint32_t> processes;
    for (std::size_t stream = 0; stream < graph.streams.size(); ++stream) {
        auto const process = graph.streams[stream].gpu.value_or(host_process);
        if (processes.insert(process).second) {
            std::string const name =
                process == host_process ? "host" : "GPU " + std::to_string(process);
            writer.event("\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" +
                         std::to_string(process) + ",\"args\":{\"name\":" + json_text(name) + "}");
        }
        writer.event("\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":" + std::to_string(process) +
                     ",\"tid\":" + std::to_string(stream) +
                     ",\"args\":{\"name\":" + json_text(graph.streams[stream].name) + "}");
    }
}

/// The drawn interval of a task, with its process and track.
struct Slice {
    SimTime begin;
    SimTime end;
    std::uint32_t process = 0;
    std::uint32_t track = 0;
};

/// The slices of one GPU in two orders.
struct GpuSlices {
    std::vector<Slice> by_begin;
    std::vector<Slice> by_end;
};

/// Finds slices for the ends of arrows: viewers draw arrows only between slices.
class Slices {
  public:
    Slices(TaskGraph const& graph, Timeline const& timeline) {
        for (std::size_t index = 0; index < graph.tasks.size(); ++index) {
            Task const& task = graph.tasks[index];
            if (task.stream) {
                std::uint32_t const process = process_of(graph, task);
                TaskTimes const& times = timeline.tasks[index];
                gpus_[process].by_begin.push_back(
                    {times.launched, times.ended, process, task.stream->value});
            }
        }
        for (auto& [process, slices] : gpus_) {
            slices.by_end = slices.by_begin;
            std::ranges::stable_sort(slices.by_begin, {}, &Slice::begin);
            std::ranges::stable_sort(slices.by_end, {}, &Slice::end);
        }
    }

    /// The first slice of a GPU that begins at or after `time`, else one that is still active then;
    /// nullopt if all have ended.
    [[nodiscard]] std::optional<Slice> from(std::uint32_t gpu, SimTime time) const {
        auto const found = gpus_.find(gpu);
        if (found == gpus_.end()) {
            return std::nullopt;
        }
        auto const& [by_begin, by_end] = found->second;
        auto const next = std::ranges::lower_bound(by_begin, time, {}, &Slice::begin);
        if (next != by_begin.end()) {
            return *next;
        }
        return by_end.back().end >= time ? std::optional(by_end.back()) : std::nullopt;
    }

    /// The last slice of a GPU that ends at or before `time`, else one that is active then; nullopt
    /// if none has begun.
    [[nodiscard]] std::optional<Slice> until(std::uint32_t gpu, SimTime time) const {
        auto const found = gpus_.find(gpu);
        if (found == gpus_.end()) {
            return std::nullopt;
        }
        auto const& [by_begin, by_end] = found->second;
        auto const next = std::ranges::upper_bound(by_end, time, {}, &Slice::end);
        if (next != by_end.begin()) {
            return *std::prev(next);
        }
        return by_begin.front().begin <= time ? std::optional(by_begin.front()) : std::nullopt;
    }

  private:
    std::map<std::uint32_t, GpuSlices> gpus_;
};

/// JSON of an arrow's end in a slice, at `time` clamped to the slice.
std::string within(Slice const& slice, SimTime time) {
    return at(slice.process, slice.track, std::clamp(time, slice.begin, slice.end));
}

/// Draws an arrow from the copy to the next work of its destination, or to the copy from the
/// previous work of its source, whichever of the two GPUs the copy is not drawn on.
void write_arrow(Writer& writer,
                 TaskGraph const& graph,
                 std::size_t index,
                 TaskTimes const& times,
                 Slices const& slices) {
    Task const& task = graph.tasks[index];
    auto const* copy = std::get_if<CopyWork>(&task.work);
    bool const between_gpus = copy != nullptr && copy->source.kind == MemoryKind::gpu &&
                              copy->destination.kind == MemoryKind::gpu &&
                              copy->source != copy->destination;
    if (!between_gpus) {
        return;
    }
    std::uint32_t const process = process_of(graph, task);
    std::optional<Slice> const own =
        Slice{times.launched, times.ended, process, task.stream->value};
    auto const tail =
        process == copy->source.index ? own : slices.until(copy->source.index, times.began);
    auto const head = process == copy->destination.index
                          ? own
                          : slices.from(copy->destination.index, times.ended);
    if (!tail || !head) {
        return; // one of the two GPUs has no other work
    }
    std::string const id =
        "\"name\":\"copy\",\"cat\":\"copy\",\"id\":" + std::to_string(index) + ",";
    writer.event(id + "\"ph\":\"s\"," + within(*tail, times.began));
    writer.event(id + "\"ph\":\"f\",\"bp\":\"e\"," +
                 within(*head, process == copy->destination.index ? times.began : times.ended));
}

} // namespace

void write_chrome_trace(std::ostream& out, TaskGraph const& graph, Timeline const& timeline) {
    Writer writer(out);
    write_names(writer, graph);
    Slices const slices(graph, timeline);
    for (std::size_t index = 0; index < graph.tasks.size(); ++index) {
        Task const& task = graph.tasks[index];
        TaskTimes const& times = timeline.tasks[index];
        if (!task.stream) {
            continue; // barriers have no track
        }
        std::uint32_t const track = task.stream->value;
        std::string args = "\"pass\":" + std::to_string(task.pass);
        if (auto const* copy = std::get_if<CopyWork>(&task.work)) {
            args += ",\"bytes\":" + std::to_string(copy->size_bytes);
        }
        writer.event("\"name\":" + json_text(task.phase ? to_string(*task.phase) : launching_name) +
                     ",\"ph\":\"X\"," + at(process_of(graph, task), track, times.launched) +
                     ",\"dur\":" + microseconds_text(times.ended - times.launched) + ",\"args\":{" +
                     args + "}");
        write_arrow(writer, graph, index, times, slices);
    }
    for (ChannelUse const& channel : timeline.channels) {
        for (ChannelSample const& sample : channel.samples) {
            writer.event("\"name\":" + json_text(channel.name) + ",\"ph\":\"C\"," +
                         at(host_process, 0, sample.at) +
                         ",\"args\":{\"GB/s\":" + std::to_string(sample.rate_Bps * 1e-9) + "}");
        }
    }
    writer.end();
}

} // namespace keyswap::simulator
