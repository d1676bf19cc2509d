#include "simulator/study/cliff.hpp"

namespace keyswap::simulator {

std::optional<Cliff> cliff_above(Machine const& machine, Simulation const& simulation) {
    constexpr std::size_t tasks_max = 50'000;
    constexpr double less = 0.98;
    if (simulation.schedule.graph.tasks.size() > tasks_max) {
        return std::nullopt;
    }
    double const total_ms = to_milliseconds(simulation.timeline.makespan);
    SimulationRequest request = simulation.request;
    request.engine.recording = ChannelRecording::totals;
    for (double const times : {1.1, 1.25, 1.5, 2.0}) {
        request.config.key_count = static_cast<std::uint64_t>(
            times * static_cast<double>(simulation.request.config.key_count));
        auto const larger = simulate(machine, request);
        double const larger_ms =
            larger ? to_milliseconds(larger->timeline.makespan) : total_ms; // or it does not fit
        if (larger_ms < less * total_ms) {
            return Cliff{request.config.key_count, larger_ms};
        }
    }
    return std::nullopt;
}

} // namespace keyswap::simulator
