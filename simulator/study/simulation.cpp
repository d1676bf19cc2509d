#include "simulator/study/simulation.hpp"

#include "model/keys/closed_form_source.hpp"

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

std::optional<InputError> wrong_residence(AlgorithmInfo const& algorithm, Residence residence) {
    if (std::ranges::find(algorithm.residences, residence) == algorithm.residences.end()) {
        return InputError{"--where",
                          "'" + std::string(algorithm.name) +
                              "' does not sort chunks that lie on the GPUs",
                          "take --where host, or another algorithm"};
    }
    return std::nullopt;
}

/// More would move for weeks over any link; counts of bytes stay far from their limits.
constexpr std::uint64_t simulated_keys_max = 10'000'000'000'000;

std::optional<InputError> beyond_limits(SimulationRequest const& request) {
    if (request.config.key_count > simulated_keys_max) {
        return InputError{"number of keys",
                          std::to_string(request.config.key_count) +
                              " (--keys, or num_keys of a row) are more than can be simulated",
                          "ask for 1e13 at most"};
    }
    double const tolerance = request.engine.rate_tolerance;
    if (!(tolerance >= 0.0 && tolerance <= 1.0)) {
        return InputError{"--rate-tolerance",
                          std::to_string(tolerance) + " is no part of a copy's time",
                          "give a number from 0, which is exact, to 0.1"};
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
    if (auto error = beyond_limits(request)) {
        return tl::unexpected(std::move(*error));
    }
    auto const kind = find_schedule(request.algorithm);
    if (!kind) {
        return tl::unexpected(kind.error());
    }
    request.algorithm = full_name((*kind)->choice());
    if (auto error = wrong_residence(*(*kind)->choice().algorithm, request.residence)) {
        return tl::unexpected(std::move(*error));
    }
    request.config.gpu_count = static_cast<std::uint32_t>(request.gpus.size());
    bool const on_cpu = (*kind)->choice().algorithm->gpus == GpuCounts::none;
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
                              request.residence,
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
