#include "simulator/task_graph.hpp"

#include "traces/contracts.hpp"

#include <algorithm>

namespace keyswap::simulator {

StreamId TaskGraph::add_stream(std::string stream_name, std::optional<std::uint32_t> gpu) {
    streams.push_back(Stream{std::move(stream_name), gpu});
    return StreamId{static_cast<std::uint32_t>(streams.size() - 1)};
}

NameId TaskGraph::name(std::string_view text) {
    auto const found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) {
        names.emplace_back(text);
        return NameId{static_cast<std::uint32_t>(names.size() - 1)};
    }
    return NameId{static_cast<std::uint32_t>(found - names.begin())};
}

TaskId TaskGraph::add(Task task, std::span<TaskId const> task_dependencies) {
    KEYSWAP_EXPECTS(!task.stream || task.stream->value < streams.size());
    KEYSWAP_EXPECTS(task.phase.value < names.size() && task.label.value < names.size());
    KEYSWAP_EXPECTS(task.launch.ps >= 0 && task.rate_max_Bps >= 0.0);
    task.dependencies_begin = static_cast<std::uint32_t>(dependencies.size());
    for (TaskId const dependency : task_dependencies) {
        KEYSWAP_EXPECTS(dependency.value < tasks.size());
        dependencies.push_back(dependency);
    }
    task.dependencies_end = static_cast<std::uint32_t>(dependencies.size());
    tasks.push_back(task);
    return TaskId{static_cast<std::uint32_t>(tasks.size() - 1)};
}

std::span<TaskId const> TaskGraph::dependencies_of(TaskId task) const {
    Task const& entry = tasks[task.value];
    return std::span(dependencies)
        .subspan(entry.dependencies_begin, entry.dependencies_end - entry.dependencies_begin);
}

} // namespace keyswap::simulator
