#include "simulator/network/flow_benchmark.hpp"

#include "simulator/network/flow.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace keyswap::simulator {

FlowScenario all_to_all(Topology const& topology,
                        std::uint32_t gpu_count,
                        double size_bytes_mean,
                        std::uint64_t seed) {
    FlowScenario scenario;
    scenario.capacities_Bps = topology.capacities();
    for (std::uint32_t source = 0; source < gpu_count; ++source) {
        for (std::uint32_t destination = 0; destination < gpu_count; ++destination) {
            if (source == destination) {
                continue;
            }
            auto const route = topology.route(gpu_memory(source), gpu_memory(destination));
            KEYSWAP_EXPECTS(route.has_value());
            std::uint64_t const word = mix_bits(seed ^ mix_bits(scenario.routes.size() + 1));
            double const uniform = static_cast<double>(word >> 11) * 0x1p-53;
            scenario.routes.push_back(route->shares);
            scenario.sizes_bytes.push_back(size_bytes_mean * (0.5 + uniform));
        }
    }
    return scenario;
}

FlowEnds run_flows(FlowScenario const& scenario, double rate_tolerance) {
    FlowSet flows(scenario.capacities_Bps, rate_tolerance);
    for (std::uint32_t i = 0; i < scenario.routes.size(); ++i) {
        flows.start(i, scenario.routes[i], scenario.sizes_bytes[i]);
    }
    FlowEnds ends;
    ends.seconds.resize(scenario.routes.size());
    while (!flows.empty()) {
        for (std::uint32_t const flow : flows.advance(flows.next_event())) {
            ends.seconds[flow] = to_seconds(flows.now());
        }
    }
    ends.solves = flows.solve_count();
    return ends;
}

Expected<FlowScenario> benchmark_scenario(std::uint32_t gpu_count) {
    constexpr std::uint32_t gpus_per_node = 8;
    constexpr std::uint32_t gpus_per_rack = 72;
    constexpr double size_bytes_mean = 1e8;
    constexpr std::uint64_t seed = 1;
    std::string const platform_name =
        gpu_count <= gpus_per_node ? "hgx-h200"
        : gpu_count <= gpus_per_rack
            ? "gb200-nvl72"
            : "cluster:dgx-h100:" + std::to_string((gpu_count - 1) / gpus_per_node + 1);
    KEYSWAP_TRY(auto const platform, load_platform(platform_name));
    KEYSWAP_TRY(auto const topology, Topology::of(platform));
    FlowScenario scenario = all_to_all(topology, gpu_count, size_bytes_mean, seed);
    scenario.platform = platform_name;
    return scenario;
}

double worst_relative_error(FlowEnds const& ends, FlowEnds const& reference) {
    KEYSWAP_EXPECTS(ends.seconds.size() == reference.seconds.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < ends.seconds.size(); ++i) {
        worst = std::max(worst, std::abs(ends.seconds[i] / reference.seconds[i] - 1.0));
    }
    return worst;
}

} // namespace keyswap::simulator
