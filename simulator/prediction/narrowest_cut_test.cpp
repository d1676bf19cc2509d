/// \file No prediction is faster than its bytes over the narrowest cut of the machine.

#include "simulator/platform/topology.hpp"
#include "simulator/prediction/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace keyswap::simulator {
namespace {

/// Lower bound of the time for `share` bytes per GPU from host memory, or back: each channel is a
/// cut that limits the GPUs behind it.
double least_ms(Topology const& topology,
                SimulationRequest const& request,
                double share_bytes,
                bool to_host) {
    std::map<std::uint32_t, double> bytes;
    for (std::uint32_t const gpu : request.gpus) {
        MemoryPlace const host = host_memory(request.input->node);
        auto const route =
            to_host ? topology.route(gpu_memory(gpu), host) : topology.route(host, gpu_memory(gpu));
        for (ChannelShare const& share : route->shares) {
            bytes[share.channel] += share_bytes * share.weight;
        }
    }
    double least = 0.0;
    for (auto const& [channel, size] : bytes) {
        least = std::max(least, size / topology.channels()[channel].capacity_Bps * 1e3);
    }
    return least;
}

struct Question {
    std::string platform;
    SimulationRequest request;
};

Question random_question(std::mt19937& random) {
    auto const pick = [&random](auto const& values) {
        return *std::next(std::begin(values),
                          static_cast<std::ptrdiff_t>(random() % std::size(values)));
    };
    Question question;
    question.platform = pick(std::vector<std::string>{
        "ac922", "dgx-a100", "dgx-h100", "hgx-h200", "pcie-4gpu", "cluster:dgx-h100:2"});
    SimulationRequest& request = question.request;
    request.algorithm = pick(std::vector<std::string>{
        "rmg-paper", "rmg-rotated", "p2p-merge", "het-merge", "cpu-gnu-parallel", "cpu-paradis"});
    request.distribution = pick(std::vector<std::string>{
        "uniform", "zipf-published", "zero", "sorted", "skewed-published", "reverse-sorted"});
    request.config.key_type = pick(std::vector<KeyType>{KeyType::u32, KeyType::u64});
    request.config.key_count =
        pick(std::vector<std::uint64_t>{1'000'000, 500'000'000, 2'000'000'000, 8'000'000'000});
    request.gpus = pick(std::vector<std::vector<std::uint32_t>>{
        {0}, {0, 1}, {0, 2}, {2, 3}, {1, 3, 0, 2}, {0, 1, 2, 3}});
    request.input = KeyPlace{KeyPlace::Kind::node, 0};
    return question;
}

TEST(NarrowestCut, NoPredictionIsFasterThanItsBytes) {
    std::mt19937 random(1);
    double tightest = 0.0;
    for (int round = 0; round < 60; ++round) {
        auto [platform, request] = random_question(random);
        auto const machine = load_machine(platform, std::nullopt);
        ASSERT_TRUE(machine);
        auto const topology = Topology::of(machine->platform);
        ASSERT_TRUE(topology);
        auto const simulation = simulate(*machine, request);
        if (!simulation) {
            continue; // this machine does not support the sort
        }
        double const bytes = static_cast<double>(request.config.key_count) *
                             static_cast<double>(key_size_bytes(request.config.key_type));
        double least = 0.0;
        if (request.algorithm.starts_with("cpu-")) {
            Cpu const& cpu = machine->platform.cpus.front();
            least = bytes /
                    (static_cast<double>(cpu.memory_read_Bps) * cpu.memory_read_efficiency) * 1e3;
        } else {
            // A GPU owns at least 0.99 of a chunk: half a percent less at either end.
            double const chunk = bytes / static_cast<double>(request.gpus.size());
            least = 0.99 * (least_ms(*topology, request, chunk, false) +
                            least_ms(*topology, request, 0.99 * chunk, true));
        }
        double const total = to_milliseconds(simulation->timeline.makespan);
        tightest = std::max(tightest, least / total);
        EXPECT_GE(total, least) << platform << " " << request.algorithm << " "
                                << request.distribution << " " << request.config.key_count
                                << " keys on " << request.gpus.size() << " GPUs";
    }
    EXPECT_GT(tightest, 0.8); // the bound is not trivial
}

} // namespace
} // namespace keyswap::simulator
