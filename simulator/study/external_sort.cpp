#include "simulator/study/external_sort.hpp"

#include "simulator/engine/engine.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace keyswap::simulator {

namespace {

constexpr std::size_t rounds_max = 1'000; ///< per phase; more would take longer without any effect
constexpr std::size_t rounds_in_memory = 3; ///< one being read, one processed, one written
constexpr std::uint64_t sample_reads = 16;  ///< single records in parallel
constexpr double core_units = 1e9;          ///< work units per second and core, on a channel
constexpr double bytes_per_piece = 16.0;    ///< per unit of digest_ns

/// A block that is read, processed and written as a unit.
struct ExternalRound {
    std::uint64_t bytes = 0;
    double work_s = 0.0;     ///< on one core
    double work_min_s = 0.0; ///< on all cores used, limited by memory bandwidth
};

/// The machine with its disks, and with its cores as a channel shared by all steps.
struct ExternalMachine {
    Platform platform;
    std::uint32_t storage = 0; ///< index of a memory
    std::uint32_t cores = 0;   ///< index of a memory whose reads are work of cores
};

ExternalMachine
external_machine(Platform const& platform, Storage const& storage, std::uint32_t threads) {
    ExternalMachine machine{with_storage(platform, storage), 0, 0};
    machine.storage = static_cast<std::uint32_t>(machine.platform.cpus.size() - 1);
    machine.cores = machine.storage + 1;
    Cpu cores;
    cores.name = "cores";
    cores.memory_read_Bps = static_cast<std::uint64_t>(threads * core_units);
    cores.memory_write_Bps = cores.memory_read_Bps;
    machine.platform.cpus.push_back(std::move(cores));
    return machine;
}

/// Pipelines rounds: while one is read, another is processed and a third checked and written, each
/// with all threads.
class RoundGraph {
  public:
    /// \param worker name of the processing stage in ExternalPhase::limit
    RoundGraph(ExternalMachine const& machine,
               ExternalCost const& cost,
               double record_bytes,
               std::uint32_t threads,
               std::string worker)
        : machine_(machine), cost_(cost), record_bytes_(record_bytes), threads_(threads),
          worker_name_(std::move(worker)), reader_(graph_.add_stream("reads", std::nullopt)),
          worker_(graph_.add_stream("work", std::nullopt)),
          writer_(graph_.add_stream("writes", std::nullopt)) {}

    void add(ExternalRound const& round) {
        std::vector<TaskId> before;
        if (written_.size() >= rounds_in_memory) {
            before.push_back(written_[written_.size() - rounds_in_memory]);
        }
        auto const bytes = static_cast<double>(round.bytes);
        double const copy_s = bytes / (cost_.copy_GBps * 1e9);
        double const pieces = std::max(1.0, record_bytes_ / bytes_per_piece);
        double const digest_s = bytes / record_bytes_ * std::ceil(pieces) * cost_.digest_ns * 1e-9;
        double const write_s = digest_s + copy_s;
        TaskId const read = copy(reader_, machine_.storage, 0, round.bytes, before);
        TaskId const taken = compute(reader_, copy_s, copy_s / threads_, read);
        TaskId const worked = compute(worker_, round.work_s, round.work_min_s, taken);
        TaskId const handed = compute(writer_, write_s, write_s / threads_, worked);
        written_.push_back(copy(writer_, 0, machine_.storage, round.bytes, {handed}));
    }

    [[nodiscard]] Expected<ExternalPhase> run(std::string name) const {
        KEYSWAP_TRY(auto const topology, Topology::of(machine_.platform));
        KEYSWAP_TRY(auto const timeline, run_task_graph(graph_, machine_.platform, topology));
        ExternalPhase phase;
        phase.name = std::move(name);
        phase.duration = timeline.makespan;
        for (Task const& task : graph_.tasks) {
            if (auto const* const copied = std::get_if<CopyWork>(&task.work)) {
                (copied->source.index == machine_.storage ? phase.read_bytes
                                                          : phase.written_bytes) +=
                    copied->size_bytes;
            }
        }
        explain(timeline, topology, phase);
        return phase;
    }

    /// Adds reads of single records, some in parallel. \param count > 0
    void sample(std::uint64_t count) {
        CopyWork work;
        work.source = host_memory(machine_.storage);
        work.destination = host_memory(0);
        work.size_bytes = static_cast<std::uint64_t>(record_bytes_) * count;
        work.pieces = static_cast<std::uint32_t>((count + sample_reads - 1) / sample_reads);
        Task task;
        task.work = work;
        task.stream = reader_;
        graph_.add(task);
    }

  private:
    TaskId copy(StreamId stream,
                std::uint32_t from,
                std::uint32_t to,
                std::uint64_t bytes,
                std::vector<TaskId> const& before) {
        CopyWork work;
        work.source = host_memory(from);
        work.destination = host_memory(to);
        work.size_bytes = bytes;
        Task task;
        task.work = work;
        task.stream = stream;
        return graph_.add(task, before);
    }
    TaskId compute(StreamId stream, double core_s, double alone_s, TaskId before) {
        Task task;
        task.work = CpuWork{machine_.cores,
                            from_seconds(alone_s),
                            static_cast<std::uint64_t>(core_s * core_units),
                            0,
                            0};
        task.stream = stream;
        return graph_.add(task, std::array{before});
    }

    /// Finds what was at its limit for most of the phase: a channel or, if none was, a stage.
    void explain(Timeline const& timeline, Topology const& topology, ExternalPhase& phase) const {
        double const whole = std::max(to_seconds(timeline.makespan), 1e-12);
        auto const consider = [&](std::string name, double part) {
            if (part > phase.limited) {
                phase.limit = std::move(name);
                phase.limited = part;
            }
        };
        auto const channel = [&](std::uint32_t index, std::string name) {
            consider(std::move(name), to_seconds(timeline.channels[index].saturated) / whole);
        };
        channel(topology.read_channel(machine_.storage), "storage reads");
        channel(topology.write_channel(machine_.storage), "storage writes");
        if (auto const total = topology.total_channel(machine_.storage)) {
            channel(*total, "storage total");
        }
        channel(topology.read_channel(machine_.cores), "all cores");
        channel(topology.read_channel(0), "memory reads");
        channel(topology.write_channel(0), "memory writes");
        constexpr double clearly = 0.5; // a stage may merely wait for a saturated channel
        if (phase.limited >= clearly) {
            return;
        }
        std::array<double, 3> busy{};
        for (std::size_t i = 0; i < graph_.tasks.size(); ++i) {
            TaskTimes const& times = timeline.tasks[i];
            busy[graph_.tasks[i].stream->value] +=
                to_seconds(times.ended) - to_seconds(times.began);
        }
        consider("reading", busy[reader_.value] / whole);
        consider(worker_name_, busy[worker_.value] / whole);
        consider("writing", busy[writer_.value] / whole);
    }

    ExternalMachine const& machine_;
    ExternalCost cost_;
    double record_bytes_;
    std::uint32_t threads_;
    std::string worker_name_;
    TaskGraph graph_;
    StreamId reader_;
    StreamId worker_;
    StreamId writer_;
    std::vector<TaskId> written_; ///< last task of each round
};

std::vector<ExternalRound>
partition_rounds(model::ExternalPlan const& plan, std::uint32_t threads, ExternalCost const& cost) {
    std::uint64_t const records = plan.record_count + plan.redivided_records();
    std::uint64_t const size = plan.layout.record_bytes;
    std::uint64_t const blocks = records * size / plan.memory.block_bytes + 1;
    std::uint64_t const count = std::min<std::uint64_t>(blocks, rounds_max);
    std::vector<ExternalRound> rounds;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t const of_round = records * (i + 1) / count - records * i / count;
        double const work_s = static_cast<double>(of_round) * cost.distribute_ns * 1e-9;
        rounds.push_back({of_round * size, work_s, work_s / threads});
    }
    return rounds;
}

/// A round per range; if there are too many ranges, adjacent ones are combined.
std::vector<ExternalRound> sort_rounds(model::ExternalPlan const& plan,
                                       Platform const& platform,
                                       std::uint32_t threads,
                                       std::optional<RangeGpus> const& gpus,
                                       ExternalCost const& cost) {
    Cpu const& host = platform.cpus.front();
    double const memory_Bps =
        std::min(static_cast<double>(host.memory_read_Bps) * host.memory_read_efficiency,
                 static_cast<double>(host.memory_write_Bps) * host.memory_write_efficiency);
    std::size_t const group = plan.ranges.size() / rounds_max + 1;
    double const passes = plan.layout.key_bytes;
    std::vector<ExternalRound> rounds;
    for (std::size_t i = 0; i < plan.ranges.size(); ++i) {
        if (i % group == 0) {
            rounds.emplace_back();
        }
        model::PlannedRange const& range = plan.ranges[i];
        auto const bytes = range.count * plan.layout.record_bytes;
        rounds.back().bytes += bytes;
        if (!range.images.single_valued() && gpus) {
            rounds.back().work_min_s += static_cast<double>(range.count) * gpus->record_ns * 1e-9;
        } else if (!range.images.single_valued()) {
            double const work_s = static_cast<double>(range.count) * passes * cost.radix_ns * 1e-9;
            rounds.back().work_s += work_s;
            rounds.back().work_min_s +=
                std::max(work_s / threads, static_cast<double>(bytes) * passes / memory_Bps);
        }
    }
    std::erase_if(rounds, [](ExternalRound const& round) { return round.bytes == 0; });
    return rounds;
}

} // namespace

Expected<ExternalPrediction> predict_external_sort(Platform const& platform,
                                                   Storage const& storage,
                                                   model::ExternalPlan const& plan,
                                                   std::uint32_t threads,
                                                   std::optional<RangeGpus> gpus,
                                                   ExternalCost const& cost) {
    ExternalMachine const machine = external_machine(platform, storage, threads);
    ExternalPrediction prediction;
    auto const run = [&](RoundGraph const& graph, char const* name) -> Expected<void> {
        KEYSWAP_TRY(auto phase, graph.run(name));
        prediction.total = prediction.total + phase.duration;
        prediction.phases.push_back(std::move(phase));
        return {};
    };
    double const size = plan.layout.record_bytes;
    if (plan.passes() > 1) {
        RoundGraph sampling(machine, cost, size, threads, "sample");
        sampling.sample(model::range_target(plan.memory, plan.record_count).draws());
        KEYSWAP_RETURN_IF_ERROR(run(sampling, "sample"));
        RoundGraph partition(machine, cost, size, threads, "distributing");
        for (ExternalRound const& round : partition_rounds(plan, threads, cost)) {
            partition.add(round);
        }
        KEYSWAP_RETURN_IF_ERROR(run(partition, "partition"));
    }
    RoundGraph sort(machine, cost, size, threads, gpus ? "GPUs" : "sorting");
    for (ExternalRound const& round : sort_rounds(plan, platform, threads, gpus, cost)) {
        sort.add(round);
    }
    KEYSWAP_RETURN_IF_ERROR(run(sort, "sort"));
    return prediction;
}

} // namespace keyswap::simulator
