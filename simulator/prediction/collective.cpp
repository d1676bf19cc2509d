#include "simulator/prediction/collective.hpp"

#include "simulator/prediction/machine_constants.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace keyswap::simulator {

namespace {

constexpr std::array kind_names{std::pair{CollectiveKind::all_to_all, "all-to-all"},
                                std::pair{CollectiveKind::all_gather, "all-gather"},
                                std::pair{CollectiveKind::scatter, "scatter"}};

/// Ratio of rates of copy engines and kernels between GPUs of a machine: kernels that push an
/// all-to-all reach 363, 352 and 330 GB/s out of each of 2, 4 and 8 H200, copies 389, 386 and 368.
/// Source: hardware notes of the 8 x H200 machine, 2026-11-21.
constexpr double copies_over_kernels = 368.0 / 330.0;
/// Launch with the first handshake, and the delay of each further step of a ring.
constexpr SimTime first_launch = microseconds(25);
constexpr SimTime ring_step = microseconds(2);

/// Assumed errors, as no run of a collective was held out: inside a machine, over a network, and if
/// launches dominate.
constexpr double error_inside = 0.12;
constexpr double error_of_network = 0.08;
constexpr double error_of_launches = 0.5;
constexpr double launch_bound_ms = 0.2;

/// Largest number of copies in graphs for which constants are varied.
constexpr std::size_t moved_tasks_max = 20'000;

/// Node of a cluster's GPU, from its name: "n3" of "n3.gpu0"; empty without a cluster. GPUs of a
/// node reach each other without network adapters.
std::string_view node_of(Platform const& platform, std::uint32_t gpu) {
    std::string_view const name = platform.gpus[gpu].name;
    std::size_t const dot = name.find('.');
    return name.substr(0, dot == std::string_view::npos ? 0 : dot);
}

/// Builds the copies of a collective.
class CollectiveGraph {
  public:
    CollectiveGraph(Platform const& platform, Collective const& collective)
        : platform_(platform), collective_(collective),
          size_(static_cast<double>(collective.size_bytes)),
          count_(static_cast<double>(collective.gpus.size())) {}

    TaskGraph direct() && {
        auto const& gpus = collective_.gpus;
        std::size_t const sources =
            collective_.kind == CollectiveKind::scatter ? 1 : collective_.gpus.size();
        // Interleaves the sources, so that no GPU's copies are queued first.
        for (std::size_t step = 1; step < gpus.size(); ++step) {
            for (std::size_t source = 0; source < sources; ++source) {
                copy(gpus[source],
                     gpus[(source + step) % gpus.size()],
                     size_ / count_,
                     first_launch);
            }
        }
        return std::move(graph_);
    }

    /// As many rings as a node has GPUs, each with an equal part of the bytes: ring r leaves every
    /// node at a different GPU, so that all adapters are busy. \pre an all-gather
    TaskGraph rings() && {
        std::vector<std::vector<std::uint32_t>> nodes;
        for (std::uint32_t const gpu : collective_.gpus) {
            if (nodes.empty() ||
                node_of(platform_, nodes.back().front()) != node_of(platform_, gpu)) {
                nodes.emplace_back();
            }
            nodes.back().push_back(gpu);
        }
        std::size_t const rings =
            std::ranges::min(nodes, {}, &std::vector<std::uint32_t>::size).size();
        double const part = size_ * (count_ - 1.0) / count_ / static_cast<double>(rings);
        SimTime started = first_launch;
        for (std::size_t step = 2; step < collective_.gpus.size(); ++step) {
            started += ring_step;
        }
        for (std::size_t ring = 0; ring < rings; ++ring) {
            std::vector<std::uint32_t> order;
            for (auto const& gpus : nodes) {
                for (std::size_t i = 0; i < gpus.size(); ++i) {
                    order.push_back(gpus[(ring + i) % gpus.size()]);
                }
            }
            for (std::size_t i = 0; i < order.size(); ++i) {
                copy(order[i], order[(i + 1) % order.size()], part, started);
            }
        }
        return std::move(graph_);
    }

  private:
    void copy(std::uint32_t source, std::uint32_t destination, double bytes, SimTime begin) {
        bool const is_inside = node_of(platform_, source) == node_of(platform_, destination);
        Task task;
        task.work = CopyWork{
            gpu_memory(source),
            gpu_memory(destination),
            static_cast<std::uint64_t>(std::ceil(bytes * (is_inside ? copies_over_kernels : 1.0)))};
        task.launch = begin;
        task.phase = Phase::key_swap;
        graph_.add(task);
    }

    Platform const& platform_;
    Collective const& collective_;
    double size_;
    double count_;
    TaskGraph graph_;
};

/// NCCL copies with kernels: removes limits of copy engines.
Platform without_engines(Platform platform) {
    for (Device& device : platform.devices) {
        device.engines_peer = static_cast<std::uint32_t>(2 * platform.gpus.size());
        device.copy_rate_max_Bps.reset();
    }
    return platform;
}

struct Run {
    CollectiveWay way = CollectiveWay::direct;
    Timeline timeline;
    std::size_t tasks = 0;
};

Expected<Run> run_fastest(Platform const& with_engines, Collective const& collective) {
    Platform const platform = without_engines(with_engines);
    KEYSWAP_TRY(auto const topology, Topology::of(platform));
    TaskGraph const direct = CollectiveGraph(platform, collective).direct();
    KEYSWAP_TRY(auto timeline, run_task_graph(direct, platform, topology, collective.engine));
    Run best{CollectiveWay::direct, std::move(timeline), direct.tasks.size()};
    if (collective.kind == CollectiveKind::all_gather) {
        TaskGraph const rings = CollectiveGraph(platform, collective).rings();
        KEYSWAP_TRY(auto other, run_task_graph(rings, platform, topology, collective.engine));
        if (other.makespan < best.timeline.makespan) {
            best = {CollectiveWay::rings, std::move(other), rings.tasks.size()};
        }
    }
    return best;
}

/// Sums of squared changes by assumed constants of links, faster and slower separately.
Expected<std::pair<double, double>>
squares_of_assumptions(Machine const& machine, Collective const& collective, double total_ms) {
    Collective again = collective;
    again.engine.recording = ChannelRecording::none;
    std::pair<double, double> squares{0.0, 0.0};
    for (MachineConstant const& constant : platform_constants(machine)) {
        if (constant.kind() != OriginKind::assumed) {
            continue;
        }
        for (double const value : {constant.low(), constant.high()}) {
            Machine other = machine;
            constant.set(other, value);
            KEYSWAP_TRY(auto const moved, run_fastest(other.platform, again));
            double const change = to_milliseconds(moved.timeline.makespan) - total_ms;
            (change < 0.0 ? squares.first : squares.second) += change * change;
        }
    }
    return squares;
}

InputError gpus_error(std::string problem, std::string remedy) {
    return {setting("gpus"), std::move(problem), std::move(remedy)};
}

/// Buffer bytes per byte of the size on the GPU with most, as nccl-tests allocate them.
double buffers_per_byte(Collective const& collective) {
    switch (collective.kind) {
    case CollectiveKind::all_to_all:
        return 2.0; // send and receive buffers
    case CollectiveKind::all_gather:
        return 1.0 + 1.0 / static_cast<double>(collective.gpus.size());
    case CollectiveKind::scatter:
        break;
    }
    return 1.0;
}

std::optional<InputError> buffers_exceed_memory(Platform const& platform,
                                                Collective const& collective) {
    double const buffers = buffers_per_byte(collective);
    for (std::uint32_t const gpu : collective.gpus) {
        auto const memory = static_cast<double>(device_of(platform, gpu).memory_bytes);
        if (buffers * static_cast<double>(collective.size_bytes) > memory) {
            return InputError{"size",
                              "buffers of GPU " + std::to_string(gpu) + " take more than its " +
                                  grouped_count(device_of(platform, gpu).memory_bytes) + " bytes",
                              "give at most " +
                                  grouped_count(static_cast<std::uint64_t>(memory / buffers))};
        }
    }
    return std::nullopt;
}

std::optional<InputError> misfit(Platform const& platform, Collective const& collective) {
    std::set<std::uint32_t> const different(collective.gpus.begin(), collective.gpus.end());
    if (different.size() < 2 || different.size() < collective.gpus.size()) {
        return gpus_error("names fewer than two GPUs, or one twice, but bytes travel between GPUs",
                          "name two GPUs or more, each once");
    }
    if (*different.rbegin() >= platform.gpus.size()) {
        return gpus_error("names GPU " + std::to_string(*different.rbegin()) +
                              ", which the platform lacks",
                          "name some of 0-" + std::to_string(platform.gpus.size() - 1));
    }
    return buffers_exceed_memory(platform, collective);
}

} // namespace

std::string to_string(CollectiveKind kind) {
    return std::ranges::find(kind_names, kind, [](auto const& named) { return named.first; })
        ->second;
}

std::vector<std::string> collective_names() {
    std::vector<std::string> names;
    names.reserve(std::size(kind_names));
    for (auto const& [kind, name] : kind_names) {
        names.emplace_back(name);
    }
    return names;
}

Expected<CollectiveKind> parse_collective(std::string_view name, std::string_view option) {
    auto const name_of = [](auto const& row) { return row.second; };
    auto const found = std::ranges::find(kind_names, name, name_of);
    if (found != std::end(kind_names)) {
        return found->first;
    }
    return input_error(option,
                       "'" + std::string(name) + "' is not a known operation",
                       KnownNames(kind_names, name_of).remedy(name, "operations: "));
}

double CollectivePrediction::algorithm_GBps() const {
    return static_cast<double>(collective.size_bytes) / total_ms * 1e-6;
}

double CollectivePrediction::bus_GBps() const {
    auto const gpus = static_cast<double>(collective.gpus.size());
    return algorithm_GBps() * (gpus - 1.0) / gpus;
}

Expected<CollectivePrediction> predict_collective(Machine const& machine,
                                                  Collective const& collective) {
    if (auto error = misfit(machine.platform, collective)) {
        return tl::unexpected(std::move(*error));
    }
    KEYSWAP_TRY(auto best, run_fastest(machine.platform, collective));
    CollectivePrediction prediction{collective, best.way, std::move(best.timeline)};
    prediction.total_ms = to_milliseconds(prediction.timeline.makespan);
    double const total = prediction.total_ms;
    bool const crosses = std::ranges::any_of(collective.gpus, [&](std::uint32_t gpu) {
        return node_of(machine.platform, gpu) != node_of(machine.platform, collective.gpus.front());
    });
    prediction.model_error = total < launch_bound_ms ? error_of_launches
                             : crosses               ? std::hypot(error_inside, error_of_network)
                                                     : error_inside;
    auto squares = std::pair{std::pow(prediction.model_error * total, 2.0), 0.0};
    squares.second = squares.first;
    if (best.tasks <= moved_tasks_max) {
        KEYSWAP_TRY(auto const moved, squares_of_assumptions(machine, collective, total));
        squares.first += moved.first;
        squares.second += moved.second;
    }
    prediction.low_ms = std::max(0.0, total - std::sqrt(squares.first));
    prediction.high_ms = total + std::sqrt(squares.second);
    return prediction;
}

} // namespace keyswap::simulator
