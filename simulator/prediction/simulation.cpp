#include "simulator/prediction/simulation.hpp"

#include "model/distributions/closed_form_source.hpp"
#include "simulator/platform/numa_mode.hpp"
#include "simulator/schedules/schedule_ranges.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace keyswap::simulator {

namespace {

Expected<void> validate_gpus(Machine const& machine, SimulationRequest const& request) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t const gpu : request.gpus) {
        if (gpu >= machine.platform.gpus.size()) {
            return input_error(setting("gpus"),
                               "'" + machine.platform.name + "' has no GPU " + std::to_string(gpu),
                               "its GPUs are 0 to " +
                                   std::to_string(machine.platform.gpus.size() - 1));
        }
        if (!seen.insert(gpu).second) {
            return input_error(setting("gpus"),
                               "GPU " + std::to_string(gpu) + " is named twice",
                               "name each once");
        }
    }
    return {};
}

Expected<void> validate_node(Platform const& platform, KeyPlace place, std::string const& subject) {
    if (place.kind == KeyPlace::Kind::node && place.node >= platform.cpus.size()) {
        return input_error(subject,
                           "'" + platform.name + "' has no NUMA node " + std::to_string(place.node),
                           "its nodes are 0 to " + std::to_string(platform.cpus.size() - 1));
    }
    return {};
}

bool has_phase(AlgorithmInfo const& algorithm, Phase phase) {
    return std::ranges::find(algorithm.phases, phase) != algorithm.phases.end();
}

Expected<void>
validate_places(Platform const& platform, AlgorithmInfo const& algorithm, KeyPlaces places) {
    KEYSWAP_RETURN_IF_ERROR(validate_node(platform, places.input, setting("input-on")));
    KEYSWAP_RETURN_IF_ERROR(validate_node(platform, places.output, setting("output-on")));
    using Kind = KeyPlace::Kind;
    std::string const name = "'" + std::string(algorithm.name) + "'";
    bool const on_devices =
        places.input.kind == Kind::devices || places.output.kind == Kind::devices;
    if (on_devices &&
        std::ranges::find(algorithm.residences, Residence::devices) == algorithm.residences.end()) {
        return input_error(setting("input-on"),
                           name + " does not sort chunks that lie on the GPUs",
                           "use " + setting("input-on", "node:0") + ", or another algorithm");
    }
    bool const sorted_by_cpu = has_phase(algorithm, Phase::cpu_sort);
    bool const one_node =
        places.output.kind == Kind::node && (!sorted_by_cpu || places.input == places.output);
    if ((sorted_by_cpu || has_phase(algorithm, Phase::cpu_merge)) && !one_node) {
        return input_error(setting("output-on"),
                           name + " is supported only on one CPU with its own memory",
                           "use " + setting("input-on", "node:0") + " " +
                               setting("output-on", "node:0"));
    }
    return {};
}

/// More keys would take weeks over any link; byte counts stay far from overflow.
constexpr std::uint64_t simulated_keys_max = 10'000'000'000'000;

Expected<void> beyond_limits(SimulationRequest const& request) {
    if (request.config.key_count > simulated_keys_max) {
        return input_error("number of keys",
                           std::to_string(request.config.key_count) + " (" + setting("keys") +
                               ", or num_keys of a row) are more than can be simulated",
                           "give at most 1e13");
    }
    double const tolerance = request.engine.rate_tolerance;
    if (!(tolerance >= 0.0 && tolerance <= 1.0)) {
        return input_error(setting("rate-tolerance"),
                           std::to_string(tolerance) + " is out of range",
                           "give a fraction of a copy's duration from 0 (exact) to 0.1");
    }
    return {};
}

/// Memories of the GPUs that sort, in their order. \param of_platform [all GPUs]
std::vector<MemoryPlace> memories_of(std::span<std::uint32_t const> gpus,
                                     std::vector<MemoryPlace> const& of_platform) {
    std::vector<MemoryPlace> memories;
    for (std::uint32_t const gpu : gpus) {
        memories.push_back(of_platform[gpu]);
    }
    return memories;
}

std::vector<std::uint32_t> machines_of(std::span<std::uint32_t const> gpus,
                                       Platform const& platform,
                                       Topology const& topology) {
    if (!has_several_machines(platform)) {
        return std::vector<std::uint32_t>(gpus.size(), 0);
    }
    std::vector<std::uint32_t> machines;
    auto const local = chunk_memories({KeyPlace::Kind::local, 0}, platform, topology);
    for (std::uint32_t const gpu : gpus) {
        machines.push_back(platform.cpus[local[gpu].index].machine);
    }
    return machines;
}

Expected<void>
validate_swap(Platform const& platform, ScheduleKind const& kind, ScheduleInput const& input) {
    if (input.swap == SwapOrder::flat) {
        return {};
    }
    if (kind.swaps == SwapOrders::flat_only) {
        std::string known;
        for (ScheduleKind const* const other : schedule_kinds()) {
            bool const by_node = other->swaps == SwapOrders::flat_or_by_node;
            known += by_node ? ", " + full_name(other->choice()) : "";
        }
        return input_error(setting("swap"),
                           "'" + full_name(kind.choice()) + "' has no key swap by node",
                           "use " + setting("swap", "flat") +
                               ", or another sort:" + known.substr(1));
    }
    if (std::ranges::adjacent_find(input.machines, std::not_equal_to<>()) == input.machines.end()) {
        return input_error(setting("swap"),
                           "the sort's GPUs of '" + platform.name +
                               "' are all on one node, so no keys are swapped between nodes",
                           "use " + setting("swap", "flat") +
                               ", or GPUs of several nodes, such as those of " +
                               setting("platform") + " cluster:dgx-h100:2");
    }
    return {};
}

/// Most keys of a range if the sort has to go range by range; nullopt if the GPUs hold all keys.
Expected<std::optional<std::uint64_t>> range_keys_of(SimulationRequest const& request,
                                                     MemoryRequest const& question) {
    if (!request.gpu_memory_bytes) {
        return std::nullopt;
    }
    AlgorithmInfo const& algorithm = *question.kind->choice().algorithm;
    auto const refused = [](std::string problem, std::string remedy) {
        return input_error("GPU memory", std::move(problem), std::move(remedy));
    };
    using Kind = KeyPlace::Kind;
    if (algorithm.gpus == GpuCounts::none) {
        return refused("limits GPUs, but " + request.algorithm + " sorts on the CPU",
                       "leave it out, or choose a sort on GPUs");
    }
    if (request.input->kind == Kind::devices || request.output->kind == Kind::devices) {
        return refused("is for keys in host memory, but they are on the GPUs",
                       "leave it out, or put the keys in host memory");
    }
    std::uint64_t const keys =
        range_keys_that_fit(*question.kind,
                            question.input->config,
                            std::min(*request.gpu_memory_bytes, device_bytes_free(question)));
    if (request.config.key_count <= keys) {
        return std::nullopt;
    }
    std::string const too_small =
        "holds " + grouped_count(keys) + " keys of a range, fewer than are sorted, ";
    if (request.input != request.output) {
        return refused(too_small + "and such a sort returns keys to where they were",
                       "give more, or one place for input and output");
    }
    if (std::ranges::find(algorithm.residences, Residence::devices) == algorithm.residences.end()) {
        return refused(too_small + "and '" + std::string(algorithm.name) +
                           "' does not sort ranges that lie on the GPUs",
                       "give more, or choose another algorithm, as rmg");
    }
    auto const& machines = question.input->machines;
    if (std::ranges::adjacent_find(machines, std::not_equal_to<>()) != machines.end()) {
        return refused(too_small + "and such a sort uses GPUs of one machine",
                       "give more, or choose GPUs of one machine");
    }
    return keys;
}

} // namespace

bool works_on_one_node(std::string_view algorithm) {
    auto const kind = find_schedule(algorithm);
    return kind && (has_phase(*(*kind)->choice().algorithm, Phase::cpu_sort) ||
                    has_phase(*(*kind)->choice().algorithm, Phase::cpu_merge));
}

std::vector<std::string> stand_in_notes(Machine const& machine, std::string_view algorithm) {
    std::vector<std::string> notes;
    auto const kind = find_schedule(algorithm);
    if (!kind) {
        return notes;
    }
    bool const host_is_known =
        std::ranges::count(machine.host.platforms,
                           split_numa_mode(machine.platform.name).platform) > 0;
    if (works_on_one_node(algorithm) && !host_is_known) {
        notes.push_back("the CPUs' times are those of '" + printable_text(machine.host.name) +
                        "', because no host profile names this platform.");
    }
    if (machine.platform.devices.size() > 1 &&
        (*kind)->choice().algorithm->gpus != GpuCounts::none) {
        notes.push_back("the kernels of every GPU take the time of '" +
                        printable_text(machine.device.name) + "', the profile of the first GPU.");
    }
    return notes;
}

KeyPlaces key_places(Platform const& platform, SimulationRequest const& request) {
    KeyPlace const meant = works_on_one_node(request.algorithm)
                               ? KeyPlace{}
                               : default_key_place(platform, request.layout);
    KeyPlace const input = request.input.value_or(meant);
    return {input, request.output.value_or(input)};
}

Expected<Machine> load_machine(std::string_view platform,
                               std::optional<std::string> const& profile) {
    KEYSWAP_TRY(auto loaded, load_platform(platform));
    std::string const name =
        profile.value_or(loaded.gpus.empty() ? std::string("h200") : device_of(loaded, 0).profile);
    KEYSWAP_TRY(auto device, load_device_profile(name).map_error([&](InputError error) {
        if (!profile && error.subject == name) {
            error.subject =
                std::string(platform) + ": profile '" + name + "' of " + loaded.gpus.front().name;
        }
        return error;
    }));
    KEYSWAP_TRY(auto host, host_profile_of(loaded.name));
    return Machine{std::move(loaded), std::move(device), std::move(host)};
}

namespace {

/// \pre request.swap has a value
Expected<Simulation> simulate_order(Machine const& machine,
                                    SimulationRequest request,
                                    std::shared_ptr<KeyFacts> const& facts) {
    KEYSWAP_RETURN_IF_ERROR(validate_gpus(machine, request));
    KEYSWAP_RETURN_IF_ERROR(beyond_limits(request));
    KEYSWAP_TRY(auto const kind, find_schedule(request.algorithm));
    request.algorithm = full_name(kind->choice());
    AlgorithmInfo const& algorithm = *kind->choice().algorithm;
    KEYSWAP_RETURN_IF_ERROR(check_key_type(algorithm, request.config.key_type));
    KeyPlaces const places = key_places(machine.platform, request);
    KEYSWAP_RETURN_IF_ERROR(validate_places(machine.platform, algorithm, places));
    request.input = places.input;
    request.output = places.output;
    request.own_program |= places.input.kind == KeyPlace::Kind::devices;
    request.config.gpu_count = static_cast<std::uint32_t>(request.gpus.size());
    bool const on_cpu = algorithm.gpus == GpuCounts::none;
    if (on_cpu) {
        request.gpus.clear();
        request.config.gpu_count = 1;
    }
    KEYSWAP_TRY(auto const config, model::validated(request.config));
    model::KeyRequest const wanted{request.distribution,
                                   request.parameter,
                                   request.config.key_type,
                                   request.config.key_count,
                                   request.seed};
    KEYSWAP_TRY(auto generator, model::KeyGenerator::make(wanted));
    model::ClosedFormSource keys(std::move(generator), request.config.direction);
    KEYSWAP_TRY(auto const topology, Topology::of(machine.platform));
    ScheduleInput const input{
        config,
        &keys,
        keys.counts() == model::Counts::expected ? std::optional(wanted) : std::nullopt,
        request.gpus,
        machines_of(request.gpus, machine.platform, topology),
        memories_of(request.gpus, chunk_memories(places.input, machine.platform, topology)),
        memories_of(request.gpus, chunk_memories(places.output, machine.platform, topology)),
        places.output.node,
        request.cpu_threads,
        machine.device,
        machine.host,
        *request.swap,
        request.sample,
        facts,
        request.own_program};
    KEYSWAP_RETURN_IF_ERROR(validate_swap(machine.platform, *kind, input));
    MemoryRequest question{kind, &machine.platform, &input};
    KEYSWAP_TRY(question.range_keys, range_keys_of(request, question));
    request.own_program |= question.range_keys.has_value();
    MemoryFit memory = memory_fit(question);
    if (request.memory_limits == MemoryLimits::kept && !memory.fits()) {
        return tl::unexpected(out_of_memory_error(question, memory));
    }
    KEYSWAP_TRY(auto schedule,
                question.range_keys ? schedule_ranges(*kind, input, *question.range_keys)
                                    : kind->build(input));
    if (config.key_count == 0) {
        schedule = {}; // no host work, swap or merge
    }
    KEYSWAP_TRY(auto timeline,
                run_task_graph(schedule.graph, machine.platform, topology, request.engine));
    return Simulation{
        std::move(request), std::move(memory), std::move(schedule), std::move(timeline)};
}

Expected<Simulation> simulate_faster_order(Machine const& machine,
                                           SimulationRequest request,
                                           std::shared_ptr<KeyFacts> const& facts) {
    MemoryLimits const limits = request.memory_limits;
    request.swap = SwapOrder::by_node;
    request.memory_limits = MemoryLimits::ignored;
    auto by_node = simulate_order(machine, request, facts);
    if (!by_node) {
        return by_node;
    }
    by_node->request.memory_limits = limits;
    request.swap = SwapOrder::flat;
    request.memory_limits = limits;
    auto flat = simulate_order(machine, std::move(request), facts);
    if (!flat) {
        return flat;
    }
    bool const fits = limits == MemoryLimits::ignored || by_node->memory.fits();
    SimTime const staged = by_node->timeline.makespan;
    // Keys that fit with either order can be sorted.
    by_node->memory.keys_most = flat->memory.keys_most =
        std::max(by_node->memory.keys_most, flat->memory.keys_most);
    if (fits && staged < flat->timeline.makespan) {
        by_node->other_swap = OtherSwap{SwapOrder::flat, flat->timeline.makespan};
        return by_node;
    }
    flat->other_swap = OtherSwap{SwapOrder::by_node, fits ? std::optional(staged) : std::nullopt};
    return flat;
}

} // namespace

Expected<Simulation> simulate(Machine const& machine,
                              SimulationRequest request,
                              std::shared_ptr<KeyFacts> const& facts) {
    return request.swap ? simulate_order(machine, std::move(request), facts)
                        : simulate_faster_order(machine, std::move(request), facts);
}

} // namespace keyswap::simulator
