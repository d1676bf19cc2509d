#include "simulator/prediction/external_sort.hpp"

#include "model/external/external_accesses.hpp"
#include "model/external/external_records.hpp"
#include "simulator/engine/engine.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

namespace keyswap::simulator {

namespace {

constexpr std::size_t rounds_max = 1'000;  ///< per phase; more would take longer without any effect
constexpr std::uint64_t page_bytes = 4096; ///< that a small read takes from the disk
/// Runs took up to 1.5 times as long as the highest costs and lowest rates predict (seven runs on a
/// loaded machine, tools/FIGURES.md).
constexpr double underestimate_max = 1.5;
constexpr double core_units = 1e9;       ///< work units per second and core, on a channel
constexpr double bytes_per_piece = 16.0; ///< per unit of digest_ns

/// A block that is read, processed and written as a unit.
struct ExternalRound {
    std::uint64_t bytes = 0;
    double work_s = 0.0;     ///< on one core
    double work_min_s = 0.0; ///< on all cores used, limited by memory bandwidth
    double reads = 0.0;      ///< requests; fractions, since long phases have too many rounds
    double writes = 0.0;
    double thread_starts = 0.0;
};

/// Times of syncs and removals, with storage_accesses in flight.
struct SavingTimes {
    double sync_s;
    double removal_s;

    explicit SavingTimes(Storage const& storage)
        : sync_s(to_seconds(storage.sync)), removal_s(to_seconds(storage.removal)) {}
    /// \param one seconds of one \param count of files
    [[nodiscard]] static double of_files(double one, double count) {
        return one * std::ceil(count / model::storage_accesses);
    }
    /// A manifest is synced, replaces the last one, whose file that removes, and so is its folder.
    [[nodiscard]] double manifest() const { return 2 * sync_s + removal_s; }
};

/// Number of saves before the last one: the engine saves at most every `bytes_between`, and so that
/// each takes at most a tenth of the time.
double saves_before_last(double work_s, double save_s, double bytes, double bytes_between) {
    double const by_time = save_s > 0 ? 1 + work_s / (model::work_per_save * save_s) : bytes;
    return std::floor(std::min(by_time, std::ceil(bytes / bytes_between) - 1));
}

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

/// Memory of the rounds in flight.
enum class RoundMemory {
    slots, ///< three, each for a round from its read to its write
    areas  ///< two to read and two to write: a round moves from one to the other as it is processed
};

/// Pipelines rounds: while one is read, another is processed and a third checked and written, each
/// with all threads.
class RoundGraph {
  public:
    /// \param worker name of the processing stage in ExternalPhase::limit
    RoundGraph(ExternalMachine const& machine,
               ExternalCost const& cost,
               double record_bytes,
               std::uint32_t threads,
               double request_s,
               RoundMemory memory,
               std::string worker)
        : machine_(machine), cost_(cost), record_bytes_(record_bytes), threads_(threads),
          request_s_(request_s), memory_(memory), worker_name_(std::move(worker)),
          reader_(graph_.add_stream("reads", std::nullopt)),
          worker_(graph_.add_stream("work", std::nullopt)),
          writer_(graph_.add_stream("writes", std::nullopt)) {}

    void add(ExternalRound const& round) {
        std::vector<TaskId> emptied;
        std::vector<TaskId> filled;
        if (memory_ == RoundMemory::slots) {
            emptied = latest(written_, 3);
        } else {
            emptied = latest(worked_, 2);
            filled = latest(written_, 2);
        }
        auto const bytes = static_cast<double>(round.bytes);
        double const copy_s = bytes / (cost_.copy_GBps * 1e9);
        double const pieces = std::max(1.0, record_bytes_ / bytes_per_piece);
        double const digest_s = bytes / record_bytes_ * std::ceil(pieces) * cost_.digest_ns * 1e-9;
        double const read_s = copy_s + round.reads * request_s_;
        double const write_s = digest_s + copy_s + round.writes * request_s_;
        double const start_s = round.thread_starts * cost_.thread_us * 1e-6;
        requests_ += round.reads + round.writes;
        TaskId const read = copy(reader_, machine_.storage, 0, round.bytes, emptied);
        filled.push_back(compute(reader_, read_s, read_s / threads_, {read}));
        TaskId const worked =
            compute(worker_, round.work_s + start_s, round.work_min_s + start_s / threads_, filled);
        worked_.push_back(worked);
        TaskId const handed = compute(writer_, write_s, write_s / threads_, {worked});
        written_.push_back(copy(writer_, 0, machine_.storage, round.bytes, {handed}));
    }

    /// \param saving_s of syncs and removals, given the seconds of everything else
    [[nodiscard]] Expected<ExternalPhase> run(std::string name,
                                              std::function<double(double)> const& saving_s) const {
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
        phase.requests = static_cast<std::uint64_t>(requests_);
        phase.saving = from_seconds(saving_s(to_seconds(timeline.makespan)));
        phase.duration += phase.saving;
        double const whole = std::max(to_seconds(phase.duration), 1e-12);
        phase.limited *= to_seconds(timeline.makespan) / whole;
        if (to_seconds(phase.saving) / whole > std::max(phase.limited, 0.5)) {
            phase.limit = "file syncs";
            phase.limited = to_seconds(phase.saving) / whole;
        }
        return phase;
    }

    /// Adds reads of single records, some in parallel. \param page_count > 0, pages that hold any
    void sample(std::uint64_t page_count) {
        CopyWork work{host_memory(machine_.storage), host_memory(0), page_bytes * page_count};
        work.pieces = static_cast<std::uint32_t>((page_count + model::sample_accesses - 1) /
                                                 model::sample_accesses);
        Task task;
        task.work = work;
        task.stream = reader_;
        double const core_s = static_cast<double>(page_count) * request_s_;
        compute(reader_, core_s, core_s / threads_, {graph_.add(task)});
        requests_ += static_cast<double>(page_count);
    }

    /// Adds the first use of memory before the first round: the OS clears its pages.
    void clear_memory(std::uint64_t size_bytes) {
        double const core_s = static_cast<double>(size_bytes) / (cost_.copy_GBps * 1e9);
        compute(reader_, core_s, core_s / threads_, {});
    }

  private:
    /// The task `lead` rounds before the next one, if any.
    static std::vector<TaskId> latest(std::vector<TaskId> const& tasks, std::size_t lead) {
        return tasks.size() < lead ? std::vector<TaskId>{}
                                   : std::vector{tasks[tasks.size() - lead]};
    }
    TaskId copy(StreamId stream,
                std::uint32_t from,
                std::uint32_t to,
                std::uint64_t bytes,
                std::vector<TaskId> const& before) {
        Task task;
        task.work = CopyWork{host_memory(from), host_memory(to), bytes};
        task.stream = stream;
        return graph_.add(task, before);
    }
    TaskId
    compute(StreamId stream, double core_s, double alone_s, std::vector<TaskId> const& before) {
        Task task;
        task.work = CpuWork{machine_.cores,
                            from_seconds(alone_s),
                            static_cast<std::uint64_t>(core_s * core_units),
                            0,
                            0};
        task.stream = stream;
        return graph_.add(task, before);
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
    double request_s_;
    RoundMemory memory_;
    double requests_ = 0.0;
    std::string worker_name_;
    TaskGraph graph_;
    StreamId reader_;
    StreamId worker_;
    StreamId writer_;
    std::vector<TaskId> worked_;  ///< [rounds]
    std::vector<TaskId> written_; ///< [rounds] last task
};

/// Threads that a stage uses on so many bytes at once, and their starts in the three stages.
struct StageThreads {
    std::uint32_t used;
    double starts;

    StageThreads(std::uint64_t size_bytes, std::uint32_t threads)
        : used(model::useful_threads(size_bytes, threads)) {
        unsigned const waiting = model::useful_threads(size_bytes, model::storage_threads(threads));
        starts = (used > 1 ? used : 0) + (waiting > 1 ? 2.0 * waiting : 0.0);
    }
};

double reads_of(std::uint64_t size_bytes, std::uint32_t threads) {
    unsigned const readers = model::useful_threads(size_bytes, model::storage_threads(threads));
    return std::ceil(static_cast<double>(size_bytes) /
                     static_cast<double>(model::access_bytes(size_bytes, readers)));
}

/// Rounds of the partition, combined if there are too many.
struct PartitionWork {
    std::uint32_t threads = 1;
    std::vector<ExternalRound> rounds;
};

/// Time of a core for a record, whose bytes beyond a key's are copied as well.
double distribute_s(model::RecordLayout const& layout, ExternalCost const& cost) {
    constexpr double key_bytes = 8.0;
    return 1e-9 *
           (cost.distribute_ns + std::max(layout.record_bytes - key_bytes, 0.0) / cost.copy_GBps);
}

PartitionWork
partition_work(model::ExternalPlan const& plan, std::uint32_t threads, ExternalCost const& cost) {
    std::uint64_t const records = plan.record_count + plan.redivided_records();
    std::uint64_t const size = plan.layout.record_bytes;
    model::PartitionRounds const by_engine =
        model::partition_rounds(plan.layout, plan.memory, plan.ranges.size());
    std::uint64_t const round_bytes = by_engine.records * size;
    std::uint64_t const engine_count = (records + by_engine.records - 1) / by_engine.records;
    std::uint64_t const count = std::min<std::uint64_t>(engine_count, rounds_max);
    double const combined = static_cast<double>(engine_count) / static_cast<double>(count);
    StageThreads const used(round_bytes, threads);
    PartitionWork work{used.used, {}};
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t const of_round = records * (i + 1) / count - records * i / count;
        double const work_s = static_cast<double>(of_round) * distribute_s(plan.layout, cost);
        work.rounds.push_back({of_round * size,
                               work_s,
                               work_s / used.used,
                               combined * reads_of(round_bytes, threads),
                               combined * static_cast<double>(plan.ranges.size()),
                               combined * used.starts});
    }
    return work;
}

/// What cores sort: records that are keys, or words of a key's image and the record's index, for
/// which each record is read.
struct SortedWords {
    bool are_records;
    double bytes;
    double passes; ///< of 8 bits; a word's upper bits are sorted first, and few lower ones matter
    double width;  ///< in units of the words whose cost is known, of at most 8 bytes

    explicit SortedWords(model::RecordLayout const& layout)
        : are_records(layout.is_plain_key()), bytes(are_records             ? layout.key_bytes
                                                    : layout.key_bytes <= 4 ? 8.0
                                                                            : 16.0),
          passes(are_records ? layout.key_bytes : std::min(layout.key_bytes, 8U)),
          width(are_records ? 1.0 : bytes / 8.0) {}
};

/// Pages of the input that hold the records of the sample; each is read once, however often it is
/// drawn.
std::uint64_t sampled_pages(model::ExternalPlan const& plan) {
    std::uint64_t const size = plan.layout.record_bytes;
    std::uint64_t count = 0;
    std::optional<std::uint64_t> last;
    for (std::uint64_t const position : model::sample_positions(
             model::range_target(plan.memory, plan.record_count), model::external_sample_seed)) {
        std::uint64_t const begin = position * size / page_bytes;
        std::uint64_t const end = (position * size + size - 1) / page_bytes;
        count += end - begin + (last == begin ? 0 : 1);
        last = end;
    }
    return count;
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
    auto const output_bytes = static_cast<double>(
        model::output_buffers(plan.layout, plan.memory, model::storage_threads(threads))
            .size_bytes);
    std::size_t const group = plan.ranges.size() / rounds_max + 1;
    SortedWords const words(plan.layout);
    double const read_ns = words.are_records ? 0.0 : plan.layout.record_bytes / cost.copy_GBps;
    double const record_s = 1e-9 * (words.passes * cost.radix_ns * words.width + read_ns);
    std::vector<ExternalRound> rounds;
    for (std::size_t i = 0; i < plan.ranges.size(); ++i) {
        if (i % group == 0) {
            rounds.emplace_back();
        }
        model::PlannedRange const& range = plan.ranges[i];
        auto const bytes = range.count * plan.layout.record_bytes;
        rounds.back().bytes += bytes;
        rounds.back().reads += reads_of(bytes, threads);
        rounds.back().writes += std::ceil(static_cast<double>(bytes) / output_bytes);
        rounds.back().thread_starts += StageThreads(bytes, threads).starts;
        if (!range.images.single_valued() && gpus) {
            rounds.back().work_min_s += static_cast<double>(range.count) * gpus->record_ns * 1e-9;
        } else if (!range.images.single_valued()) {
            auto const count = static_cast<double>(range.count);
            double const work_s = count * record_s;
            double const moved_bytes = count * words.bytes * words.passes;
            rounds.back().work_s += work_s;
            rounds.back().work_min_s +=
                std::max(work_s / model::useful_threads(bytes, threads), moved_bytes / memory_Bps);
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
    SavingTimes const times(storage);
    double const request_s = to_seconds(storage.request_overhead);
    double const size = plan.layout.record_bytes;
    auto const ranges = static_cast<double>(plan.ranges.size());
    std::uint64_t const used_memory = std::min(
        plan.memory.given_bytes, 2 * plan.record_count * std::uint64_t{plan.layout.record_bytes});
    auto const run = [&](RoundGraph const& graph,
                         char const* name,
                         std::function<double(double)> const& saving_s) -> Expected<void> {
        KEYSWAP_TRY(auto phase, graph.run(name, saving_s));
        prediction.total = prediction.total + phase.duration;
        prediction.phases.push_back(std::move(phase));
        return {};
    };
    if (plan.passes() > 1) {
        RoundGraph sampling(machine, cost, size, threads, request_s, RoundMemory::areas, "sample");
        sampling.sample(sampled_pages(plan));
        // Manifests before and after the sample.
        KEYSWAP_RETURN_IF_ERROR(
            run(sampling, "sample", [&](double) { return 2 * times.manifest(); }));
        auto const work = partition_work(plan, threads, cost);
        RoundGraph partition(
            machine, cost, size, work.threads, request_s, RoundMemory::areas, "distributing");
        partition.clear_memory(used_memory);
        for (ExternalRound const& round : work.rounds) {
            partition.add(round);
        }
        auto const checkpoints = [&](double work_s) {
            double const save_s = SavingTimes::of_files(times.sync_s, ranges) + times.manifest();
            double const before_last =
                saves_before_last(work_s,
                                  save_s,
                                  size * static_cast<double>(plan.record_count),
                                  static_cast<double>(model::checkpoint_bytes(plan.memory)));
            return (before_last + 1) * save_s + times.manifest(); // and one without its input
        };
        KEYSWAP_RETURN_IF_ERROR(run(partition, "partition", checkpoints));
    }
    RoundGraph sort(
        machine, cost, size, threads, request_s, RoundMemory::slots, gpus ? "GPUs" : "sorting");
    if (plan.passes() == 1) {
        sort.clear_memory(used_memory);
    }
    for (ExternalRound const& round : sort_rounds(plan, platform, threads, gpus, cost)) {
        sort.add(round);
    }
    auto const saves = [&](double work_s) {
        double const made_s = times.sync_s + times.manifest();
        double const save_s = times.sync_s + times.manifest() + times.removal_s;
        double const before_last = saves_before_last(work_s, save_s, ranges, 1);
        double const runs = plan.passes() > 1 ? ranges : 0;
        double const removals =
            before_last + std::ceil(std::max(runs - before_last, 0.0) / model::storage_accesses);
        // The output is renamed, and its folder synced.
        return made_s + (before_last + 1) * (times.sync_s + times.manifest()) +
               removals * times.removal_s + times.sync_s;
    };
    KEYSWAP_RETURN_IF_ERROR(run(sort, "sort", saves));
    return prediction;
}

Expected<std::optional<ExternalInterval>> external_interval(Platform const& platform,
                                                            Storage const& storage,
                                                            model::ExternalPlan const& plan,
                                                            std::uint32_t threads,
                                                            std::optional<RangeGpus> gpus,
                                                            ExternalCost const& cost) {
    if (!storage.is_measured()) {
        return std::nullopt;
    }
    auto const total = [&](double faster, double dearer) -> Expected<SimTime> {
        Storage other = with_scaled_rates(storage, faster);
        for (SimTime* const time : {&other.latency, &other.sync, &other.removal}) {
            *time = from_seconds(to_seconds(*time) / faster);
        }
        other.request_overhead = from_seconds(to_seconds(other.request_overhead) * dearer);
        ExternalCost costs = cost;
        for (double* const one :
             {&costs.distribute_ns, &costs.digest_ns, &costs.radix_ns, &costs.thread_us}) {
            *one *= dearer;
        }
        costs.copy_GBps /= dearer;
        KEYSWAP_TRY(auto const prediction,
                    predict_external_sort(platform, other, plan, threads, gpus, costs));
        return prediction.total;
    };
    KEYSWAP_TRY(SimTime const least, total(storage.spread, 1.0));
    KEYSWAP_TRY(SimTime const most, total(1.0 / storage.spread, cost.spread));
    return ExternalInterval{least, from_seconds(to_seconds(most) * underestimate_max)};
}

} // namespace keyswap::simulator
