/// \file Completion times equal SimGrid's. Each test needs its own process, as ctest provides.

#include "simulator/testing/simgrid_run.hpp"

#include "simulator/network/flow.hpp"
#include "simulator/platform/export_simgrid.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <unistd.h>

namespace keyswap::simulator {
namespace {

constexpr double tolerance = 1e-6; ///< relative

std::uint64_t seed_of_run() {
    char const* text = std::getenv("KEYSWAP_SEED");
    std::uint64_t const seed =
        text == nullptr ? std::random_device{}() : std::strtoull(text, nullptr, 10);
    std::cout << "seed " << seed << " (replay with KEYSWAP_SEED=" << seed << ")" << std::endl;
    return seed;
}

struct RandomScenario {
    FlowScenario flows;
    std::vector<double> ceilings_Bps;
};

/// Many small random networks without common channels, as SimGrid takes one platform per process.
RandomScenario random_scenario(std::uint64_t seed, int networks) {
    std::mt19937_64 random(seed);
    auto const below = [&](std::uint64_t bound) { return random() % bound; };
    RandomScenario scenario;
    for (int network = 0; network < networks; ++network) {
        auto const first = static_cast<std::uint32_t>(scenario.flows.capacities_Bps.size());
        auto const channels = static_cast<std::uint32_t>(1 + below(10));
        for (std::uint32_t i = 0; i < channels; ++i) {
            scenario.flows.capacities_Bps.push_back(1e6 * static_cast<double>(1 + below(50)));
        }
        std::uint64_t const flows = 1 + below(25);
        for (std::uint64_t flow = 0; flow < flows; ++flow) {
            std::vector<ChannelShare> route;
            for (std::uint32_t i = 0; i < channels; ++i) {
                if (below(3) == 0) {
                    route.push_back(ChannelShare{first + i, 1.0});
                }
            }
            if (route.empty()) {
                route.push_back(ChannelShare{first, 1.0});
            }
            std::shuffle(route.begin(), route.end(), random);
            scenario.flows.routes.push_back(route);
            scenario.flows.sizes_bytes.push_back(1e6 + static_cast<double>(below(100'000'000)));
            scenario.ceilings_Bps.push_back(below(3) == 0 ? 1e6 * static_cast<double>(1 + below(20))
                                                          : no_ceiling);
        }
    }
    return scenario;
}

std::vector<double> run_ours(RandomScenario const& scenario) {
    FlowSet flows(scenario.flows.capacities_Bps);
    std::vector<double> ends(scenario.flows.routes.size());
    for (std::uint32_t i = 0; i < ends.size(); ++i) {
        flows.start(
            i, scenario.flows.routes[i], scenario.flows.sizes_bytes[i], scenario.ceilings_Bps[i]);
    }
    while (!flows.empty()) {
        for (std::uint32_t const flow : flows.advance(flows.next_event())) {
            ends[flow] = to_seconds(flows.now());
        }
    }
    return ends;
}

double worst_difference(std::vector<double> const& ours, std::vector<double> const& theirs) {
    double worst = 0.0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        worst = std::max(worst, std::abs(ours[i] / theirs[i] - 1.0));
    }
    return worst;
}

TEST(SimGrid, CompletionTimesAreEqualOnRandomNetworks) {
    RandomScenario const scenario = random_scenario(seed_of_run(), 100);
    SimGridEnds const theirs = run_in_simgrid(scenario.flows, scenario.ceilings_Bps);
    EXPECT_LE(worst_difference(run_ours(scenario), theirs.seconds), tolerance);
}

TEST(SimGrid, ACompletionTimeThatIsOffIsSeen) {
    // Planted fault: one channel is a thousandth wider for us than for SimGrid.
    RandomScenario scenario = random_scenario(7, 1);
    SimGridEnds const theirs = run_in_simgrid(scenario.flows, scenario.ceilings_Bps);
    for (double& capacity : scenario.flows.capacities_Bps) {
        capacity *= 1.001;
    }
    EXPECT_GT(worst_difference(run_ours(scenario), theirs.seconds), tolerance);
}

/// All-to-all on 72 GPUs with sizes in whole bytes, as SimGrid requires.
TEST(SimGrid, AnAllToAllOn72GpusIsEqual) {
    auto const topology = Topology::of(*load_platform("gb200-nvl72"));
    FlowScenario scenario = all_to_all(*topology, 72, 1e9, 1);
    for (double& size : scenario.sizes_bytes) {
        size = std::floor(size);
    }
    auto const begin = std::clock();
    FlowEnds const ours = run_flows(scenario);
    double const cpu_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    SimGridEnds const theirs = run_in_simgrid(scenario);
    double const worst = worst_difference(ours.seconds, theirs.seconds);
    double const ratio = theirs.cpu_seconds / cpu_seconds;
    std::cout << scenario.routes.size() << " flows: " << cpu_seconds * 1e3 << " ms of CPU, SimGrid "
              << theirs.cpu_seconds * 1e3 << " ms (" << ratio
              << " times as much); worst difference " << worst << std::endl;
    EXPECT_LE(worst, tolerance);
}

/// Temporary file with an exported platform; removed by the destructor.
class ExportedFile {
  public:
    explicit ExportedFile(Platform const& platform)
        : path_(std::filesystem::temp_directory_path() /
                ("keyswap-simgrid-" + std::to_string(::getpid()) + ".xml")) {
        std::ofstream(path_) << *export_simgrid(platform);
    }
    ExportedFile(ExportedFile const&) = delete;
    ExportedFile& operator=(ExportedFile const&) = delete;
    ~ExportedFile() { std::filesystem::remove(path_); }
    [[nodiscard]] std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

TEST(SimGrid, ReadsAnExportedPlatformAndCopiesAtItsRoutesRate) {
    Platform const platform = *load_platform("dgx-a100");
    ExportedFile const file(platform);
    auto const topology = Topology::of(platform);
    Route const route = *topology->route(host_memory(0), gpu_memory(5));
    double rate_Bps = 1e300;
    for (ChannelShare const& share : route.shares) {
        rate_Bps = std::min(rate_Bps, topology->channels()[share.channel].capacity_Bps);
    }
    constexpr std::uint64_t size_bytes = 4'000'000'000;
    double const expected = to_seconds(route.latency) + static_cast<double>(size_bytes) / rate_Bps;
    double const seconds = copy_seconds_in_simgrid(file.path(), "cpu0", "gpu5", size_bytes);
    EXPECT_NEAR(seconds / expected, 1.0, tolerance);
}

} // namespace
} // namespace keyswap::simulator
