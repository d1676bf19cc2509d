#include "simulator/study/faster_size.hpp"

#include <algorithm>

namespace keyswap::simulator {

std::optional<FasterSize> find_faster_size(Machine const& machine, Simulation const& simulation) {
    constexpr std::size_t tasks_max = 50'000;
    constexpr double less = 0.98;
    if (simulation.schedule.graph.tasks.size() > tasks_max) {
        return std::nullopt;
    }
    double const total_ms = to_milliseconds(simulation.timeline.makespan);
    SimulationRequest request = simulation.request;
    request.engine.recording = ChannelRecording::totals;
    std::uint64_t const keys = simulation.request.config.key_count;
    std::uint64_t const gpus = std::max<std::size_t>(request.gpus.size(), 1);
    for (double const times : {1.0, 1.1, 1.25, 1.5, 2.0}) {
        // Chunks of equal size: leftover keys alone could add a merge.
        auto const more = static_cast<std::uint64_t>(times * static_cast<double>(keys));
        request.config.key_count = (more + gpus - 1) / gpus * gpus;
        if (request.config.key_count == keys) {
            continue;
        }
        auto const larger = simulate(machine, request);
        double const larger_ms =
            larger ? to_milliseconds(larger->timeline.makespan) : total_ms; // or it does not fit
        if (larger_ms < less * total_ms) {
            return FasterSize{request.config.key_count, larger_ms};
        }
    }
    return std::nullopt;
}

} // namespace keyswap::simulator
