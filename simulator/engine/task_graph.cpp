#include "simulator/engine/task_graph.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::simulator {

StreamId TaskGraph::add_stream(std::string stream_name, std::optional<std::uint32_t> gpu) {
    streams.push_back(Stream{std::move(stream_name), gpu});
    return StreamId{static_cast<std::uint32_t>(streams.size() - 1)};
}

TaskId TaskGraph::add(Task task, std::span<TaskId const> task_dependencies) {
    KEYSWAP_EXPECTS(!task.stream || task.stream->value < streams.size());
    KEYSWAP_EXPECTS(task.launch.ps >= 0 && task.rate_max_Bps >= 0.0);
    task.dependencies_begin = static_cast<std::uint32_t>(dependencies.size());
    KEYSWAP_EXPECTS(std::ranges::all_of(
        task_dependencies, [this](TaskId dependency) { return dependency.value < tasks.size(); }));
    dependencies.insert(dependencies.end(), task_dependencies.begin(), task_dependencies.end());
    task.dependencies_end = static_cast<std::uint32_t>(dependencies.size());
    tasks.push_back(task);
    return TaskId{static_cast<std::uint32_t>(tasks.size() - 1)};
}

std::span<TaskId const> TaskGraph::dependencies_of(TaskId task) const {
    Task const& entry = tasks[task.value];
    return std::span(dependencies)
        .subspan(entry.dependencies_begin, entry.dependencies_end - entry.dependencies_begin);
}

bool TaskGraph::has_trains() const {
    return std::ranges::any_of(tasks, [](Task const& task) {
        auto const* copy = std::get_if<CopyWork>(&task.work);
        return copy != nullptr && copy->pieces > 1;
    });
}

} // namespace keyswap::simulator
