#include "simulator/engine/chrome_trace.hpp"

#include <array>
#include <cstdio>
#include <set>
#include <string>

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

/// Names come from platform files: they may hold anything.
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

void write_arrow(Writer& writer,
                 TaskGraph const& graph,
                 std::size_t index,
                 TaskTimes const& times,
                 std::uint32_t track) {
    auto const* copy = std::get_if<CopyWork>(&graph.tasks[index].work);
    bool const between_gpus = copy != nullptr && copy->source.kind == MemoryKind::gpu &&
                              copy->destination.kind == MemoryKind::gpu &&
                              copy->source != copy->destination;
    if (!between_gpus) {
        return;
    }
    std::string const id =
        "\"name\":\"copy\",\"cat\":\"copy\",\"id\":" + std::to_string(index) + ",";
    std::uint32_t destination_track = 0;
    for (std::uint32_t stream = 0; stream < graph.streams.size(); ++stream) {
        if (graph.streams[stream].gpu == copy->destination.index) {
            destination_track = stream;
            break;
        }
    }
    writer.event(id + "\"ph\":\"s\"," + at(copy->source.index, track, times.began));
    writer.event(id + "\"ph\":\"f\",\"bp\":\"e\"," +
                 at(copy->destination.index, destination_track, times.ended));
}

} // namespace

void write_chrome_trace(std::ostream& out, TaskGraph const& graph, Timeline const& timeline) {
    Writer writer(out);
    write_names(writer, graph);
    for (std::size_t index = 0; index < graph.tasks.size(); ++index) {
        Task const& task = graph.tasks[index];
        TaskTimes const& times = timeline.tasks[index];
        if (!task.stream) {
            continue; // barriers belong to no track
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
        write_arrow(writer, graph, index, times, track);
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
