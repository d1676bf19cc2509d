#include "simulator/engine/engine.hpp"

#include "simulator/engine/channel_recorder.hpp"
#include "simulator/engine/work_demands.hpp"
#include "simulator/network/flow.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/interruption.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <utility>

namespace keyswap::simulator {
namespace {

/// A resource with a capacity; waiting tasks are granted it first come, first served.
struct Pool {
    std::uint64_t free = 0;
    std::deque<std::uint32_t> waiting; ///< tasks
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

class Engine {
  public:
    Engine(TaskGraph const& graph,
           Platform const& platform,
           Topology const& topology,
           EngineOptions const& options)
        : graph_(graph), demands_(graph, platform, topology),
          flows_(topology.capacities(), options.rate_tolerance),
          recorder_(topology, options.recording) {
        for (std::uint64_t const size : demands_.pool_sizes()) {
            pools_.push_back(Pool{size, {}});
        }
    }

    std::optional<InputError> prepare();
    /// \return an error if the run would exceed sim_time_limit
    Expected<Timeline> run();

  private:
    void schedule(SimTime at, EventKind kind, std::uint32_t task);
    void handle(Event const& event);
    void queue(std::uint32_t task);
    void launch(std::uint32_t task);
    void begin(std::uint32_t task);
    void start_flow(std::uint32_t task);
    void lift_cold_ceilings();
    [[nodiscard]] bool is_cold(std::uint32_t task) const {
        return graph_.tasks[task].cold_slowdown > 1.0 && now_ < graph_.warm_at;
    }
    [[nodiscard]] Motion motion_of(std::uint32_t task) {
        return demands_.motion_of(task, is_cold(task));
    }
    void end(std::uint32_t task);
    void settle_ended();

    TaskGraph const& graph_;
    WorkDemands demands_;
    FlowSet flows_;
    ChannelRecorder recorder_;
    std::vector<Pool> pools_;
    std::vector<std::pair<std::uint32_t, FlowSet::Slot>> cold_copies_; ///< ceiling lowered
    std::vector<std::uint32_t> pending_; ///< by task: predecessors that have not ended
    std::vector<std::uint32_t> successors_;
    std::vector<std::uint32_t> successors_begin_;
    std::vector<std::uint32_t> ended_;   ///< not settled yet
    std::vector<std::uint32_t> settled_; ///< empty; keeps its memory for reuse
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::uint64_t sequence_ = 0;
    std::size_t ended_count_ = 0;
    SimTime now_;
    Timeline timeline_;
};

/// Calls visit(before, after) for each dependency and stream order, ascending by `after`.
template <class Visit>
void for_each_edge(TaskGraph const& graph, Visit const& visit) {
    std::vector<std::optional<std::uint32_t>> last_of_stream(graph.streams.size());
    for (std::uint32_t task = 0; task < graph.tasks.size(); ++task) {
        for (TaskId const dependency : graph.dependencies_of(TaskId{task})) {
            visit(dependency.value, task);
        }
        if (auto const stream = graph.tasks[task].stream) {
            auto& last = last_of_stream[stream->value];
            if (last) {
                visit(*last, task);
            }
            last = task;
        }
    }
}

std::optional<InputError> Engine::prepare() {
    auto const count = static_cast<std::uint32_t>(graph_.tasks.size());
    for (std::uint32_t task = 0; task < count; ++task) {
        if (auto error = demands_.admit_next()) {
            return error;
        }
    }
    pending_.assign(count, 0);
    successors_begin_.assign(count + 1, 0);
    for_each_edge(graph_, [this](std::uint32_t before, std::uint32_t after) {
        ++successors_begin_[before + 1];
        ++pending_[after];
    });
    for (std::uint32_t task = 0; task < count; ++task) {
        successors_begin_[task + 1] += successors_begin_[task];
    }
    successors_.resize(successors_begin_.back());
    std::vector<std::uint32_t> at(successors_begin_.begin(), successors_begin_.end());
    for_each_edge(graph_, [this, &at](std::uint32_t before, std::uint32_t after) {
        successors_[at[before]++] = after;
    });
    timeline_.tasks.resize(count);
    return std::nullopt;
}

void Engine::schedule(SimTime at, EventKind kind, std::uint32_t task) {
    events_.push(Event{at, sequence_++, kind, task});
}

void Engine::queue(std::uint32_t task) {
    timeline_.tasks[task].queued = now_;
    Claim const claim = demands_.claim_of(task);
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
    Motion const motion = motion_of(task);
    if (motion.size_bytes == 0.0) {
        schedule(now_ + motion.delay, EventKind::end, task);
    } else if (motion.delay.ps > 0) {
        schedule(now_ + motion.delay, EventKind::arrive, task);
    } else {
        start_flow(task);
    }
}

void Engine::start_flow(std::uint32_t task) {
    Motion const motion = motion_of(task);
    FlowSet::Slot const slot =
        flows_.start(task, *motion.shares, motion.size_bytes, motion.ceiling_Bps);
    if (std::holds_alternative<CopyWork>(graph_.tasks[task].work) && is_cold(task)) {
        cold_copies_.emplace_back(task, slot);
    }
}

/// At full clocks: restarts the copies in flight with the ceilings of their routes.
void Engine::lift_cold_ceilings() {
    for (auto const& [task, slot] : std::exchange(cold_copies_, {})) {
        if (timeline_.tasks[task].ended == SimTime{}) {
            Motion const motion = motion_of(task);
            flows_.restart(slot, *motion.shares, motion.ceiling_Bps);
        }
    }
}

void Engine::end(std::uint32_t task) {
    timeline_.tasks[task].ended = now_;
    ++ended_count_;
    ended_.push_back(task);
}

/// Releases resources of ended tasks, and starts tasks that waited for these or for the tasks.
void Engine::settle_ended() {
    std::swap(ended_, settled_);
    for (std::uint32_t const task : settled_) {
        Claim const claim = demands_.claim_of(task);
        if (claim.amount > 0) {
            Pool& pool = pools_[claim.pool];
            pool.free += claim.amount;
            while (!pool.waiting.empty()) {
                std::uint32_t const next = pool.waiting.front();
                std::uint32_t const amount = demands_.claim_of(next).amount;
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
    settled_.clear();
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

Expected<Timeline> Engine::run() {
    auto const count = static_cast<std::uint32_t>(graph_.tasks.size());
    for (std::uint32_t task = 0; task < count; ++task) {
        if (pending_[task] == 0) {
            queue(task);
        }
    }
    if (graph_.warm_at.ps > 0) {
        schedule(graph_.warm_at, EventKind::warm, 0);
    }
    // Per task at most four: begin, arrive, end, and a postponed solution after its end.
    std::uint64_t const iterations_max = std::uint64_t{4} * count + 1;
    for (std::uint64_t iteration = 0; ended_count_ < count; ++iteration) {
        KEYSWAP_ENSURES(iteration <= iterations_max);
        poll_interruption();
        SimTime next = events_.empty() ? sim_time_max : events_.top().at;
        if (!flows_.empty()) {
            std::uint64_t const solves = flows_.solve_count();
            next = std::min(next, flows_.next_event());
            if (flows_.solve_count() != solves) {
                recorder_.observe(flows_);
            }
        }
        if (next >= sim_time_limit) {
            return input_error("simulation",
                               "this would take more than 23 days",
                               "use fewer keys, or look for a bandwidth that is far too small or a "
                               "latency, launch or cost per key that is far too large");
        }
        now_ = next;
        for (std::uint32_t const task : flows_.advance(now_)) {
            end(task);
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
    add_phases(graph_, timeline_);
    timeline_.solves = flows_.solve_count();
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
