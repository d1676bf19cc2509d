#include "tools/text/simulation_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace keyswap::tools {
namespace {

/// Share of the total that is in no line.
double unexplained(simulator::Simulation const& simulation) {
    double covered = 0.0;
    double until = 0.0;
    for (PhaseLine const& line : phase_lines(simulation)) { // ordered by begin
        double const begin = simulator::to_seconds(line.span.begin);
        double const end = simulator::to_seconds(line.span.end);
        covered += std::max(end, until) - std::max(begin, until);
        until = std::max(until, end);
    }
    return 1.0 - covered / simulator::to_seconds(simulation.timeline.makespan);
}

TEST(PhaseLines, ExplainTheTotal) {
    constexpr std::array platforms{"ac922",
                                   "dgx-a100",
                                   "dgx-h100",
                                   "hgx-h200",
                                   "pcie-4gpu",
                                   "cluster:dgx-h100:2",
                                   "cluster:dgx-h100:18"};
    constexpr std::array sorts{
        "rmg-fast", "rmg-rotated", "rmg-paper", "sample-sort-fast", "p2p-merge", "het-merge"};
    constexpr std::uint64_t seeds = 40;
    int explained = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        std::mt19937_64 random(seed);
        auto const machine =
            simulator::load_machine(platforms[random() % platforms.size()], std::nullopt);
        ASSERT_TRUE(machine);
        simulator::SimulationRequest request;
        request.algorithm = sorts[random() % sorts.size()];
        for (std::uint32_t gpu = 0; gpu < machine->platform.gpus.size(); ++gpu) {
            request.gpus.push_back(gpu);
        }
        double const exponent = static_cast<double>(random() % 1000) / 1000.0 * 9.0;
        request.config.key_count = static_cast<std::uint64_t>(std::pow(10.0, exponent));
        request.distribution = random() % 2 == 0 ? "uniform" : "zipf";
        if (random() % 2 == 0) {
            request.input = simulator::KeyPlace{simulator::KeyPlace::Kind::devices, 0};
        }
        auto const simulation = simulator::simulate(*machine, std::move(request));
        if (!simulation) {
            continue; // a merge sort on 144 GPUs
        }
        ++explained;
        EXPECT_LE(unexplained(*simulation), 0.01)
            << "seed " << seed << ": " << simulation->request.algorithm << " on "
            << machine->platform.name << ", " << simulation->request.config.key_count << " keys";
    }
    EXPECT_GE(explained, 25);
}

} // namespace
} // namespace keyswap::tools
