#include "simulator/engine.hpp"

#include "simulator/channel_recorder.hpp"
#include "simulator/flow.hpp"
#include "traces/contracts.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace keyswap::simulator {
namespace {

constexpr std::uint32_t whole_ppm = 1'000'000;
constexpr std::uint32_t pools_per_gpu = 4; ///< engines to device, to host, peer; SMs

/// Something that tasks hold while they work, granted first come first served.
struct Pool {
    std::uint64_t free = 0;
    std::deque<std::uint32_t> waiting; ///< tasks
};

struct Claim {
    std::uint32_t pool = 0;
    std::uint64_t amount = 0; ///< 0 = needs none
};

enum class EventKind { begin, arrive, end, warm };

struct Event {
    SimTime at;
    std::uint64_t sequence = 0;
    EventKind kind = EventKind::begin;
    std::uint32_t task = 0;
    friend bool operator>(Event const& a, Event const& b) {
        return std::pair(a.at, a.sequence) > std::pair(b.at, b.sequence);
    }
};

/// Bytes that flow for a task after a delay; no bytes: the delay is all.
struct Motion {
    SimTime delay;
    double size_bytes = 0.0;
    double ceiling_Bps = no_ceiling;
    std::vector<ChannelShare> const* shares = nullptr;
};

std::string place_name(MemoryPlace place) {
    return (place.kind == MemoryKind::host ? "host memory " : "GPU ") + std::to_string(place.index);
}

class Engine {
  public:
    Engine(TaskGraph const& graph,
           Platform const& platform,
           Topology const& topology,
           EngineOptions const& options)
        : graph_(graph), topology_(topology),
          flows_(topology.capacities(), options.rerating_tolerance),
          recorder_(topology, options.recording), cpu_count_(platform.cpus.size()),
          gpu_count_(platform.gpus.size()) {
        for (std::uint32_t gpu = 0; gpu < gpu_count_; ++gpu) {
            Device const& device = device_of(platform, gpu);
            pools_.push_back(Pool{device.engines_to_device, {}});
            pools_.push_back(Pool{device.engines_to_host, {}});
            pools_.push_back(Pool{device.engines_peer, {}});
            pools_.push_back(Pool{whole_ppm, {}});
            copy_rates_.push_back(device.copy_rate_max_Bps
                                      ? static_cast<double>(*device.copy_rate_max_Bps)
                                      : no_ceiling);
        }
        pools_.resize(pools_.size() + cpu_count_, Pool{whole_ppm, {}});
    }

    std::optional<InputError> prepare();
    Timeline run();

  private:
    [[nodiscard]] std::optional<InputError> check(Task const& task);
    [[nodiscard]] Claim claim_of(Task const& task) const;
    [[nodiscard]] Motion motion_of(Task const& task);
    std::vector<ChannelShare> const& cpu_shares(CpuWork const& work);
    void schedule(SimTime at, EventKind kind, std::uint32_t task);
    void handle(Event const& event);
    void queue(std::uint32_t task);
    void launch(std::uint32_t task);
    void begin(std::uint32_t task);
    void start_flow(std::uint32_t task);
    void lift_cold_ceilings();
    [[nodiscard]] bool is_cold(Task const& task) const {
        return task.cold_slowdown > 1.0 && now_ < graph_.warm_at;
    }
    [[nodiscard]] Motion copy_motion(Task const& task, CopyWork const& copy);
    void end(std::uint32_t task);
    void settle_ended();

    using RouteKey = std::tuple<MemoryPlace, MemoryPlace, CopyExtent>;

    TaskGraph const& graph_;
    Topology const& topology_;
    FlowSet flows_;
    ChannelRecorder recorder_;
    std::size_t cpu_count_;
    std::size_t gpu_count_;
    std::vector<Pool> pools_;
    std::vector<double> copy_rates_;
    std::map<RouteKey, Route> routes_;
    std::map<std::uint32_t, std::vector<ChannelShare>> hbm_shares_; ///< by GPU
    std::vector<ChannelShare> cpu_shares_; ///< of the CPU task that starts now
    std::vector<std::pair<std::uint32_t, FlowSet::Slot>> cold_copies_; ///< with a lowered ceiling
    std::vector<std::uint32_t> pending_; ///< by task: predecessors that have not ended
    std::vector<std::uint32_t> successors_;
    std::vector<std::uint32_t> successors_begin_;
    std::vector<std::uint32_t> ended_; ///< to be settled
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::uint64_t sequence_ = 0;
    std::size_t ended_count_ = 0;
    SimTime now_;
    Timeline timeline_;
};

std::optional<InputError> Engine::check(Task const& task) {
    auto const unknown = [](std::string const& what) {
        return InputError{
            "task graph", what + " is not part of the platform", "choose one that it has"};
    };
    if (auto const* copy = std::get_if<CopyWork>(&task.work)) {
        for (MemoryPlace const place : {copy->source, copy->destination}) {
            if (!topology_.has(place)) {
                return unknown(place_name(place));
            }
        }
        RouteKey const key{copy->source, copy->destination, copy->extent};
        if (!routes_.contains(key)) {
            auto route = topology_.route(copy->source, copy->destination, copy->extent);
            if (!route) {
                return InputError{"task graph",
                                  "no route from " + place_name(copy->source) + " to " +
                                      place_name(copy->destination),
                                  "add a link to the platform"};
            }
            routes_.emplace(key, std::move(*route));
        }
    } else if (auto const* kernel = std::get_if<KernelWork>(&task.work)) {
        if (kernel->gpu >= gpu_count_) {
            return unknown(place_name(gpu_memory(kernel->gpu)));
        }
        hbm_shares_[kernel->gpu] = {ChannelShare{topology_.hbm_channel(kernel->gpu), 1.0}};
        KEYSWAP_EXPECTS(kernel->occupancy_ppm <= whole_ppm && kernel->duration.ps >= 0);
    } else if (auto const* work = std::get_if<CpuWork>(&task.work)) {
        if (work->numa_node >= cpu_count_) {
            return unknown("NUMA node " + std::to_string(work->numa_node));
        }
        KEYSWAP_EXPECTS(work->occupancy_ppm <= whole_ppm && work->duration.ps >= 0);
    }
    if (task.stream && graph_.streams[task.stream->value].gpu.value_or(0) >= gpu_count_ &&
        graph_.streams[task.stream->value].gpu) {
        return unknown(place_name(gpu_memory(*graph_.streams[task.stream->value].gpu)));
    }
    return std::nullopt;
}

std::optional<InputError> Engine::prepare() {
    auto const count = static_cast<std::uint32_t>(graph_.tasks.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    std::vector<std::optional<std::uint32_t>> last_of_stream(graph_.streams.size());
    pending_.assign(count, 0);
    for (std::uint32_t task = 0; task < count; ++task) {
        if (auto error = check(graph_.tasks[task])) {
            return error;
        }
        for (TaskId const dependency : graph_.dependencies_of(TaskId{task})) {
            edges.emplace_back(dependency.value, task);
        }
        if (auto const stream = graph_.tasks[task].stream) {
            auto& last = last_of_stream[stream->value];
            if (last) {
                edges.emplace_back(*last, task);
            }
            last = task;
        }
    }
    successors_begin_.assign(count + 1, 0);
    for (auto const& [before, after] : edges) {
        ++successors_begin_[before + 1];
        ++pending_[after];
    }
    for (std::uint32_t task = 0; task < count; ++task) {
        successors_begin_[task + 1] += successors_begin_[task];
    }
    successors_.resize(edges.size());
    std::vector<std::uint32_t> at(successors_begin_.begin(), successors_begin_.end());
    for (auto const& [before, after] : edges) {
        successors_[at[before]++] = after;
    }
    timeline_.tasks.resize(count);
    return std::nullopt;
}

Claim Engine::claim_of(Task const& task) const {
    if (auto const* copy = std::get_if<CopyWork>(&task.work)) {
        bool const from_host = copy->source.kind == MemoryKind::host;
        bool const to_host = copy->destination.kind == MemoryKind::host;
        if (from_host && to_host) {
            return Claim{};
        }
        if (from_host) {
            return Claim{copy->destination.index * pools_per_gpu, 1};
        }
        if (to_host) {
            return Claim{copy->source.index * pools_per_gpu + 1, 1};
        }
        std::optional<std::uint32_t> const owner =
            task.stream ? graph_.streams[task.stream->value].gpu : std::nullopt;
        return Claim{owner.value_or(copy->source.index) * pools_per_gpu + 2, 1};
    }
    if (auto const* kernel = std::get_if<KernelWork>(&task.work)) {
        return Claim{kernel->gpu * pools_per_gpu + 3, kernel->occupancy_ppm};
    }
    if (auto const* work = std::get_if<CpuWork>(&task.work)) {
        auto const first = static_cast<std::uint32_t>(gpu_count_ * pools_per_gpu);
        return Claim{first + work->numa_node, work->occupancy_ppm};
    }
    return Claim{};
}

std::vector<ChannelShare> const& Engine::cpu_shares(CpuWork const& work) {
    auto const read = static_cast<double>(work.memory_read_bytes);
    auto const write = static_cast<double>(work.memory_write_bytes);
    cpu_shares_.clear();
    if (read > 0.0) {
        cpu_shares_.push_back({topology_.read_channel(work.numa_node), read / (read + write)});
    }
    if (write > 0.0) {
        cpu_shares_.push_back({topology_.write_channel(work.numa_node), write / (read + write)});
    }
    if (auto const total = topology_.total_channel(work.numa_node)) {
        double const cost = (read + write * topology_.write_cost(work.numa_node)) / (read + write);
        cpu_shares_.push_back({*total, cost});
    }
    return cpu_shares_;
}

Motion Engine::copy_motion(Task const& task, CopyWork const& copy) {
    Route const& route = routes_.at({copy.source, copy.destination, copy.extent});
    bool const is_within = copy.source == copy.destination;
    double ceiling = task.rate_max_Bps > 0.0 ? task.rate_max_Bps : no_ceiling;
    for (MemoryPlace const place : {copy.source, copy.destination}) {
        if (place.kind == MemoryKind::gpu && !is_within) {
            ceiling = std::min(ceiling, copy_rates_[place.index]);
        }
    }
    auto const size_bytes = static_cast<double>(copy.size_bytes);
    if (is_cold(task)) {
        for (ChannelShare const& share : route.shares) {
            double const capacity = topology_.channels()[share.channel].capacity_Bps;
            ceiling = std::min(ceiling, capacity / share.weight);
        }
        ceiling /= task.cold_slowdown;
    }
    return Motion{route.latency, size_bytes, ceiling, &route.shares};
}

Motion Engine::motion_of(Task const& task) {
    if (auto const* copy = std::get_if<CopyWork>(&task.work)) {
        return copy_motion(task, *copy);
    }
    auto const timed = [](SimTime duration, double bytes, std::vector<ChannelShare> const& shares) {
        if (bytes == 0.0 || duration.ps == 0) {
            return Motion{duration, 0.0, no_ceiling, nullptr};
        }
        return Motion{SimTime{0}, bytes, bytes / to_seconds(duration), &shares};
    };
    if (auto const* kernel = std::get_if<KernelWork>(&task.work)) {
        double const slowdown = is_cold(task) ? task.cold_slowdown : 1.0;
        SimTime const duration = from_seconds(to_seconds(kernel->duration) * slowdown);
        return timed(duration, static_cast<double>(kernel->hbm_bytes), hbm_shares_.at(kernel->gpu));
    }
    if (auto const* work = std::get_if<CpuWork>(&task.work)) {
        return timed(work->duration,
                     static_cast<double>(work->memory_read_bytes + work->memory_write_bytes),
                     cpu_shares(*work));
    }
    return Motion{};
}

void Engine::schedule(SimTime at, EventKind kind, std::uint32_t task) {
    events_.push(Event{at, sequence_++, kind, task});
}

void Engine::queue(std::uint32_t task) {
    timeline_.tasks[task].queued = now_;
    Claim const claim = claim_of(graph_.tasks[task]);
    if (claim.amount == 0) {
        launch(task);
        return;
    }
    Pool& pool = pools_[claim.pool];
    if (pool.waiting.empty() && pool.free >= claim.amount) {
        pool.free -= claim.amount;
        launch(task);
    } else {
        pool.waiting.push_back(task);
    }
}

void Engine::launch(std::uint32_t task) {
    timeline_.tasks[task].launched = now_;
    schedule(now_ + graph_.tasks[task].launch, EventKind::begin, task);
}

void Engine::begin(std::uint32_t task) {
    timeline_.tasks[task].began = now_;
    Motion const motion = motion_of(graph_.tasks[task]);
    if (motion.size_bytes == 0.0) {
        schedule(now_ + motion.delay, EventKind::end, task);
    } else if (motion.delay.ps > 0) {
        schedule(now_ + motion.delay, EventKind::arrive, task);
    } else {
        start_flow(task);
    }
}

void Engine::start_flow(std::uint32_t task) {
    Motion const motion = motion_of(graph_.tasks[task]);
    FlowSet::Slot const slot =
        flows_.start(task, *motion.shares, motion.size_bytes, motion.ceiling_Bps);
    if (std::holds_alternative<CopyWork>(graph_.tasks[task].work) && is_cold(graph_.tasks[task])) {
        cold_copies_.emplace_back(task, slot);
    }
}

/// The GPUs have reached their full clocks: copies under way go on at their routes' own rates.
void Engine::lift_cold_ceilings() {
    for (auto const& [task, slot] : std::exchange(cold_copies_, {})) {
        if (timeline_.tasks[task].ended == SimTime{}) {
            Motion const motion = motion_of(graph_.tasks[task]);
            flows_.restart(slot, *motion.shares, motion.ceiling_Bps);
        }
    }
}

void Engine::end(std::uint32_t task) {
    timeline_.tasks[task].ended = now_;
    ++ended_count_;
    ended_.push_back(task);
}

/// Lets go what ended tasks held and what waited for them.
void Engine::settle_ended() {
    std::vector<std::uint32_t> const ended = std::exchange(ended_, {});
    for (std::uint32_t const task : ended) {
        Claim const claim = claim_of(graph_.tasks[task]);
        if (claim.amount > 0) {
            Pool& pool = pools_[claim.pool];
            pool.free += claim.amount;
            while (!pool.waiting.empty()) {
                std::uint32_t const next = pool.waiting.front();
                std::uint64_t const amount = claim_of(graph_.tasks[next]).amount;
                if (amount > pool.free) {
                    break;
                }
                pool.free -= amount;
                pool.waiting.pop_front();
                launch(next);
            }
        }
        for (std::uint32_t i = successors_begin_[task]; i < successors_begin_[task + 1]; ++i) {
            if (--pending_[successors_[i]] == 0) {
                queue(successors_[i]);
            }
        }
    }
}

void Engine::handle(Event const& event) {
    switch (event.kind) {
    case EventKind::begin:
        begin(event.task);
        break;
    case EventKind::arrive:
        start_flow(event.task);
        break;
    case EventKind::end:
        end(event.task);
        break;
    case EventKind::warm:
        lift_cold_ceilings();
        break;
    }
}

Timeline Engine::run() {
    auto const count = static_cast<std::uint32_t>(graph_.tasks.size());
    for (std::uint32_t task = 0; task < count; ++task) {
        if (pending_[task] == 0) {
            queue(task);
        }
    }
    if (graph_.warm_at.ps > 0) {
        schedule(graph_.warm_at, EventKind::warm, 0);
    }
    // A task has at most four turns: begin, arrive, end, and a postponed rating after its end.
    std::uint64_t const turns_max = std::uint64_t{4} * count + 1;
    for (std::uint64_t turn = 0; ended_count_ < count; ++turn) {
        KEYSWAP_ENSURES(turn <= turns_max);
        SimTime next = events_.empty() ? sim_time_max : events_.top().at;
        if (!flows_.empty()) {
            std::uint64_t const ratings = flows_.rating_count();
            next = std::min(next, flows_.next_event());
            if (flows_.rating_count() != ratings) {
                recorder_.observe(flows_);
            }
        }
        now_ = next;
        for (FlowEnd const& flow : flows_.advance(now_)) {
            end(flow.tag);
        }
        settle_ended();
        while (!events_.empty() && events_.top().at == now_) {
            Event const event = events_.top();
            events_.pop();
            handle(event);
            settle_ended();
        }
        if (flows_.empty()) {
            recorder_.observe(flows_);
        }
    }
    KEYSWAP_ENSURES(ended_count_ == graph_.tasks.size());
    timeline_.makespan = now_;
    timeline_.ratings = flows_.rating_count();
    timeline_.channels = recorder_.finish(now_);
    return std::move(timeline_);
}

} // namespace

Expected<Timeline> run_task_graph(TaskGraph const& graph,
                                  Platform const& platform,
                                  Topology const& topology,
                                  EngineOptions const& options) {
    Engine engine(graph, platform, topology, options);
    if (auto error = engine.prepare()) {
        return tl::unexpected(*error);
    }
    return engine.run();
}

Expected<Timeline>
run_task_graph(TaskGraph const& graph, Platform const& platform, EngineOptions const& options) {
    return Topology::of(platform).and_then([&](Topology const& topology) {
        return run_task_graph(graph, platform, topology, options);
    });
}

} // namespace keyswap::simulator
