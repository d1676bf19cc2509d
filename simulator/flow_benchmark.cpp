#include "simulator/flow_benchmark.hpp"

#include "simulator/flow.hpp"
#include "traces/contracts.hpp"
#include "traces/digest.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <ostream>

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

FlowEnds run_flows(FlowScenario const& scenario, double rerating_tolerance) {
    FlowSet flows(scenario.capacities_Bps, rerating_tolerance);
    for (std::uint32_t i = 0; i < scenario.routes.size(); ++i) {
        flows.start(i, scenario.routes[i], scenario.sizes_bytes[i]);
    }
    FlowEnds ends;
    ends.seconds.resize(scenario.routes.size());
    while (!flows.empty()) {
        for (FlowEnd const& end : flows.advance(flows.next_event())) {
            ends.seconds[end.tag] = to_seconds(end.at);
        }
    }
    ends.ratings = flows.rating_count();
    return ends;
}

namespace {

struct Case {
    std::uint32_t gpu_count;
    char const* platform;
    double tolerance;
};

void print_row(
    std::ostream& out, Case const& row, std::size_t flows, FlowEnds const& ends, double seconds) {
    out << std::setw(6) << row.gpu_count << std::setw(10) << flows << "  " << std::left
        << std::setw(20) << row.platform << std::right << std::setw(10) << row.tolerance
        << std::setw(10) << ends.ratings << std::setw(12) << std::fixed << std::setprecision(3)
        << seconds * 1e3 << std::defaultfloat << std::setprecision(6);
}

} // namespace

void run_flow_benchmark(std::ostream& out, std::uint32_t gpu_count_max) {
    constexpr double size_bytes_mean = 1e8;
    constexpr std::uint64_t seed = 1;
    constexpr Case cases[] = {{2, "hgx-h200", 0.0},
                              {4, "hgx-h200", 0.0},
                              {8, "hgx-h200", 0.0},
                              {16, "gb200-nvl72", 0.0},
                              {32, "gb200-nvl72", 0.0},
                              {72, "gb200-nvl72", 0.0},
                              {72, "gb200-nvl72", 1e-3},
                              {72, "gb200-nvl72", 1e-2},
                              {144, "cluster:dgx-h100:18", 0.0},
                              {144, "cluster:dgx-h100:18", 1e-3},
                              {288, "cluster:dgx-h100:36", 1e-3},
                              {576, "cluster:dgx-h100:72", 1e-3},
                              {576, "cluster:dgx-h100:72", 1e-2}};
    out << "  GPUs     flows  platform             tolerance   ratings     time ms   makespan ms"
           "   worst error\n";
    std::vector<double> exact;
    std::uint32_t exact_gpus = 0;
    for (Case const& row : cases) {
        if (row.gpu_count > gpu_count_max) {
            continue;
        }
        auto const platform = load_platform(row.platform);
        KEYSWAP_ENSURES(platform.has_value());
        auto const topology = Topology::of(*platform);
        KEYSWAP_ENSURES(topology.has_value());
        FlowScenario const scenario = all_to_all(*topology, row.gpu_count, size_bytes_mean, seed);
        auto const begin = std::chrono::steady_clock::now();
        FlowEnds const ends = run_flows(scenario, row.tolerance);
        std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - begin;
        print_row(out, row, scenario.routes.size(), ends, elapsed.count());
        out << std::setw(14) << *std::max_element(ends.seconds.begin(), ends.seconds.end()) * 1e3;
        if (row.tolerance == 0.0) {
            exact = ends.seconds;
            exact_gpus = row.gpu_count;
        } else if (exact_gpus == row.gpu_count) {
            double worst = 0.0;
            for (std::size_t i = 0; i < exact.size(); ++i) {
                worst = std::max(worst, std::abs(ends.seconds[i] / exact[i] - 1.0));
            }
            out << std::setw(14) << worst;
        }
        out << std::endl;
    }
}

} // namespace keyswap::simulator
