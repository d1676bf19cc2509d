#include "simulator/simulation.hpp"

#include "model/closed_form_source.hpp"

#include <algorithm>
#include <set>

namespace keyswap::simulator {

namespace {

std::optional<InputError> wrong_gpus(Machine const& machine, SimulationRequest const& request) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t const gpu : request.gpus) {
        if (gpu >= machine.platform.gpus.size()) {
            return InputError{"--gpus",
                              "'" + machine.platform.name + "' has no GPU " + std::to_string(gpu),
                              "its GPUs are 0 to " +
                                  std::to_string(machine.platform.gpus.size() - 1)};
        }
        if (!seen.insert(gpu).second) {
            return InputError{
                "--gpus", "GPU " + std::to_string(gpu) + " is named twice", "name each once"};
        }
    }
    if (request.host_node >= machine.platform.cpus.size()) {
        return InputError{"--host-node",
                          "'" + machine.platform.name + "' has no NUMA node " +
                              std::to_string(request.host_node),
                          "its nodes are 0 to " + std::to_string(machine.platform.cpus.size() - 1)};
    }
    return std::nullopt;
}

} // namespace

Expected<Machine> load_machine(std::string_view platform,
                               std::optional<std::string> const& profile) {
    auto loaded = load_platform(platform);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    std::string const name = profile.value_or(loaded->gpus.empty() ? std::string("h200")
                                                                   : device_of(*loaded, 0).profile);
    auto device = load_device_profile(name);
    if (!device) {
        return tl::unexpected(device.error());
    }
    auto host = host_profile_of(loaded->name);
    if (!host) {
        return tl::unexpected(host.error());
    }
    return Machine{std::move(*loaded), std::move(*device), std::move(*host)};
}

Expected<Simulation> simulate(Machine const& machine, SimulationRequest request) {
    if (auto error = wrong_gpus(machine, request)) {
        return tl::unexpected(std::move(*error));
    }
    auto const kind = find_schedule(request.algorithm);
    if (!kind) {
        return tl::unexpected(kind.error());
    }
    request.config.gpu_count = static_cast<std::uint32_t>(request.gpus.size());
    bool const on_cpu = request.algorithm.starts_with("cpu-");
    if (on_cpu) {
        request.gpus.clear();
        request.config.gpu_count = 1;
    }
    auto const config = model::validated(request.config);
    if (!config) {
        return tl::unexpected(config.error());
    }
    auto generator = model::KeyGenerator::make({request.distribution,
                                                request.parameter,
                                                request.config.key_type,
                                                request.config.key_count,
                                                request.seed});
    if (!generator) {
        return tl::unexpected(generator.error());
    }
    model::ClosedFormSource keys(std::move(*generator), request.config.direction);
    ScheduleInput const input{*config,
                              &keys,
                              request.gpus,
                              request.host_node,
                              request.cpu_threads,
                              machine.device,
                              machine.host};
    auto schedule = (*kind)->build(input);
    if (!schedule) {
        return tl::unexpected(schedule.error());
    }
    auto timeline = run_task_graph(schedule->graph, machine.platform, request.engine);
    if (!timeline) {
        return tl::unexpected(timeline.error());
    }
    return Simulation{std::move(request), std::move(*schedule), std::move(*timeline)};
}

} // namespace keyswap::simulator
