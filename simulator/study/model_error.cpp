#include "simulator/study/model_error.hpp"

#include "traces/catalog/catalog.hpp"

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {

namespace {

/// Published kernels on a machine whose constants were fitted to no sorts: RMG sort on a server
/// with eight H200.
constexpr double unfitted_error = 0.17;
/// P2P and HET merge sort on both published machines.
constexpr double merge_error = 0.10;
/// CPU sorts of sizes between those that were fitted, and on CPUs that were not measured.
constexpr double cpu_error = 0.15;
constexpr double other_cpu_error = 0.5;
/// Our kernels: even keys on H100 and H200, and what keys add that one pass does not divide.
constexpr double own_kernels_error = 0.09;
constexpr double skew_error = 0.16;
/// Swaps over a network of 2 to 8 nodes.
constexpr double network_error = 0.10;

bool runs_our_kernels(AlgorithmChoice const& choice) {
    return choice.algorithm->name == "sample-sort" || choice.variant->name == "fast";
}

/// The sort's own part.
double error_of_sort(Machine const& machine, AlgorithmChoice const& choice) {
    if (choice.algorithm->gpus == GpuCounts::none) {
        bool const is_measured =
            std::ranges::count(machine.host.platforms, machine.platform.name) > 0;
        return is_measured ? cpu_error : other_cpu_error;
    }
    if (choice.algorithm->name == "p2p-merge" || choice.algorithm->name == "het-merge") {
        return merge_error;
    }
    return runs_our_kernels(choice) ? own_kernels_error
                                    : machine.platform.held_out_error.value_or(unfitted_error);
}

} // namespace

double model_error(Machine const& machine, Simulation const& simulation) {
    auto const choice = parse_full_name(simulation.request.algorithm);
    double squares = 0.0;
    auto const add = [&squares](double error) { squares += error * error; };
    add(error_of_sort(machine, *choice));
    if (runs_our_kernels(*choice) && simulation.schedule.passes > 1) {
        add(skew_error);
    }
    if (simulation.request.gpus.size() > 1 && has_several_machines(machine.platform)) {
        add(network_error);
    }
    constexpr double digits = 1000.0; // no more of them are known
    return std::round(std::sqrt(squares) * digits) / digits;
}

} // namespace keyswap::simulator
