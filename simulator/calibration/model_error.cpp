#include "simulator/calibration/model_error.hpp"

#include "simulator/calibration/held_out_runs.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace keyswap::simulator {

CpuSortCost cost_of_cpu_sort(Machine const& machine, SimulationRequest const& request) {
    constexpr std::string_view prefix = "cpu-"; // in names of schedules only
    auto const cost =
        cpu_sort_cost(machine.host,
                      parse_full_name(request.algorithm)->algorithm->name.substr(prefix.size()),
                      request.cpu_threads);
    KEYSWAP_EXPECTS(cost.has_value());
    return *cost;
}

int cpu_threads_of(Machine const& machine, SimulationRequest const& request) {
    return request.cpu_threads.value_or(cost_of_cpu_sort(machine, request).threads);
}

namespace {

/// Assumed errors, as no such runs were held out: swaps over a network of 2 to 8 nodes; CPU sorts
/// with other keys, threads or CPUs than measured.
constexpr double network_error = 0.10;
/// Hosts of two H200 copied 97 to 139 GB/s both ways, where the platform's file has 110.
constexpr double ranges_error = 0.20;
constexpr double other_cpu_error = 0.5;
constexpr std::string_view on_host = "published on ";

constexpr std::string_view launches_suffix = " bound by launches";

/// Error of a class; nullopt if it has no held-out run.
std::optional<double> error_of_class(std::string const& name) {
    ClassCoverage const of_class = held_out_coverage(name);
    return of_class.runs == 0 ? std::nullopt : std::optional(of_class.error);
}

bool lies_on_gpus(Machine const& machine, Simulation const& simulation) {
    return key_places(machine.platform, simulation.request).input.kind == KeyPlace::Kind::devices;
}

/// True if launches and the host dominate rather than bytes: short runs, and runs with few keys for
/// many GPUs, which take longer.
bool is_bound_by_launches(Simulation const& simulation) {
    constexpr double short_ms = 3.0;
    constexpr std::uint64_t few_keys = 1U << 20U;
    std::uint64_t const gpus = std::max<std::size_t>(simulation.request.gpus.size(), 1);
    return to_milliseconds(simulation.timeline.makespan) < short_ms ||
           simulation.request.config.key_count < few_keys * gpus;
}

bool sorts_on_cpu(Simulation const& simulation) {
    return parse_full_name(simulation.request.algorithm)->algorithm->gpus == GpuCounts::none;
}

/// True if the costs were fitted to other keys, threads or CPUs.
bool is_other_cpu_sort(Machine const& machine, Simulation const& simulation) {
    SimulationRequest const& request = simulation.request;
    return std::ranges::count(machine.host.platforms, machine.platform.name) == 0 ||
           request.config.key_type != KeyType::u32 || request.distribution != "uniform" ||
           cpu_threads_of(machine, request) != cost_of_cpu_sort(machine, request).threads;
}

/// Class by sort and machine, or by the placement of keys.
std::string class_of_sort(Machine const& machine, Simulation const& simulation) {
    auto const choice = parse_full_name(simulation.request.algorithm);
    std::string_view const name = choice->algorithm->name;
    if (sorts_on_cpu(simulation)) {
        return cost_of_cpu_sort(machine, simulation.request).level_ps > 0.0 ? "merge sort on a CPU"
                                                                            : "radix sort on a CPU";
    }
    if (name == "p2p-merge" || name == "het-merge") {
        return lies_on_gpus(machine, simulation) ? "merge sort on GPUs"
                                                 : "merge sort from the host";
    }
    std::string const gpus =
        simulation.request.gpus.size() == 1 ? " on one GPU" : " on several GPUs";
    if (name == "sample-sort") {
        return "sample sort" + gpus;
    }
    if (choice->variant->name == "fast") {
        return "ours" + gpus;
    }
    if (simulation.request.own_program) {
        return "published with keys on GPUs"; // our versions of the published variants
    }
    std::string own = std::string(on_host) + machine.platform.name;
    return error_of_class(own) ? own : std::string(on_host) + "other machines";
}

} // namespace

ModelError model_error(Machine const& machine, Simulation const& simulation) {
    std::string name = class_of_sort(machine, simulation);
    std::string const other_name = name + std::string(launches_suffix);
    if (is_bound_by_launches(simulation) && error_of_class(other_name)) {
        name = other_name;
    }
    std::optional<double> const of_class = error_of_class(name);
    KEYSWAP_ENSURES(of_class.has_value());
    double error = *of_class;
    bool is_assumed = false;
    if (sorts_on_cpu(simulation)) {
        error *= octaves_from_measured(cost_of_cpu_sort(machine, simulation.request),
                                       simulation.request.config.key_count);
        is_assumed = is_other_cpu_sort(machine, simulation);
        error = std::hypot(error, is_assumed ? other_cpu_error : 0.0);
        name += is_assumed ? " with other keys, threads or cores" : "";
    }
    if (machine.platform.held_out_error && name.starts_with(on_host)) {
        name = std::string(on_host) + "this machine"; // the file has the error of its own fit
        error = *machine.platform.held_out_error;
    }
    bool const crosses_network =
        simulation.request.gpus.size() > 1 && has_several_machines(machine.platform);
    if (crosses_network) {
        error = std::hypot(error, network_error);
        name += " over a network";
    }
    bool const has_ranges = simulation.schedule.ranges.has_value();
    if (has_ranges) {
        error = std::hypot(error, ranges_error);
        name += " by ranges";
    }
    constexpr double digits = 1000.0; // further digits are not significant
    return {name,
            std::round(std::min(error, 1.0) * digits) / digits, // 1: the lower bound is 0
            is_assumed || crosses_network || has_ranges};
}

} // namespace keyswap::simulator
