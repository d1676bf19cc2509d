#include "simulator/schedules/schedule_ranges.hpp"

#include "kernels/exchange_plan/range_blocks.hpp"
#include "model/distributions/closed_form_source.hpp"
#include "model/external/external_plan.hpp"
#include "model/external/external_records.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/local_sort.hpp"
#include "simulator/schedules/schedule_builder.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

namespace keyswap::simulator {

namespace {

constexpr std::uint64_t buckets_max = kernels::distribution_buckets_max;
constexpr std::uint64_t blocks_max = 1'000; ///< more would take longer without any effect
constexpr std::size_t slot_count = 2;       ///< buffers for uploads of blocks, and for downloads
constexpr std::size_t range_lead = 3;       ///< ranges from an upload to the download before it
/// Memory that the kernels' planner divides, at least.
constexpr std::uint64_t plan_memory_min = std::uint64_t{1} << 28U;

/// Labels of a block, and counts of each tile for the look-back.
std::uint64_t distribution_bytes(RecordBytes record, std::uint64_t range_keys) {
    std::uint64_t const keys = kernels::distribution_block(shape_of(record), range_keys);
    std::uint64_t const tiles = keys / stable_tile_keys(record) + 1;
    return keys + tiles * buckets_max * sizeof(std::uint32_t);
}

InputError distributed_by_cores(std::string why, std::string remedy) {
    return InputError{
        "GPU memory", std::move(why) + ", so that cores would distribute the keys", remedy};
}

/// Ranges of a sort, by ascending keys.
struct RangeList {
    std::vector<std::uint64_t> sorted; ///< keys of each range that GPUs sort
    std::uint64_t single_valued = 0;   ///< ranges of a single value
    std::uint64_t copied_keys = 0;     ///< in these
};

Expected<RangeList> plan_ranges(ScheduleInput const& input, std::uint64_t range_keys) {
    model::SortConfig const& config = input.config;
    constexpr std::size_t key_bytes_max = 8;
    if (key_size_bytes(config.key_type) > key_bytes_max) {
        return tl::unexpected(distributed_by_cores("GPUs do not distribute keys of 128 bits",
                                                   "choose keys of at most 64 bits"));
    }
    model::RecordLayout layout = model::layout_of_keys(config.key_type, config.direction);
    layout.record_bytes += static_cast<std::uint32_t>(value_size_bytes(config.value_type));
    KEYSWAP_TRY(
        auto const memory,
        model::divide_memory(layout,
                             std::max(2 * config.key_count * layout.record_bytes, plan_memory_min),
                             range_keys));
    KEYSWAP_TRY(
        auto const plan,
        model::plan_external_sort(layout, memory, *input.keys, model::external_sample_seed));
    if (plan.ranges.size() > buckets_max) {
        return tl::unexpected(distributed_by_cores(
            "leads to " + grouped_count(plan.ranges.size()) +
                " ranges of keys, and GPUs distribute among at most " + grouped_count(buckets_max),
            "give more"));
    }
    if (!plan.oversized.empty()) {
        return tl::unexpected(distributed_by_cores(
            "is too small for one of the ranges that a sample of the keys leads to",
            "give more or less, for other ranges"));
    }
    RangeList list;
    for (model::PlannedRange const& range : plan.ranges) {
        if (range.images.single_valued()) {
            list.single_valued += range.count > 0 ? 1 : 0;
            list.copied_keys += range.count;
        } else if (range.count > 0) {
            list.sorted.push_back(range.count);
        }
    }
    return list;
}

/// The schedule of a range of evenly distributed keys that lie on the GPUs.
Expected<Schedule>
schedule_of_range(ScheduleKind const& kind, ScheduleInput const& input, std::uint64_t key_count) {
    model::KeyRequest const wanted{"uniform", std::nullopt, input.config.key_type, key_count, 1};
    KEYSWAP_TRY(auto generator, model::KeyGenerator::make(wanted));
    model::ClosedFormSource keys(std::move(generator), input.config.direction);
    ScheduleInput on_gpus = input;
    on_gpus.config.key_count = key_count;
    on_gpus.keys = &keys;
    on_gpus.expected = wanted;
    for (std::size_t gpu = 0; gpu < input.gpus.size(); ++gpu) {
        on_gpus.input_memories[gpu] = on_gpus.output_memories[gpu] = gpu_memory(input.gpus[gpu]);
    }
    on_gpus.own_program = true;
    on_gpus.facts =
        input.facts->of("facts of a range", [] { return std::make_shared<KeyFacts>(); });
    return kind.build(on_gpus);
}

class RangeGraph {
  public:
    explicit RangeGraph(ScheduleInput const& input) : input_(input), builder_(input) {
        for (std::uint32_t gpu = 0; gpu < builder_.gpu_count(); ++gpu) {
            uploads_.push_back(builder_.add_stream(gpu, "uploads"));
            splits_.push_back(builder_.add_stream(gpu, "multisplits"));
            downloads_.push_back(builder_.add_stream(gpu, "downloads"));
        }
    }

    /// Each GPU takes every n-th block. \return task at the end
    TaskId distribute(std::uint64_t block_keys, std::uint64_t range_count) {
        std::uint64_t const keys = input_.config.key_count;
        block_keys = std::max(block_keys, (keys + blocks_max - 1) / blocks_max);
        std::uint64_t const blocks = (keys + block_keys - 1) / block_keys;
        std::uint64_t const gpus = builder_.gpu_count();
        std::vector<TaskId> splits;
        std::vector<TaskId> downloads;
        for (std::uint64_t block = 0; block < blocks; ++block) {
            auto const gpu = static_cast<std::uint32_t>(block % gpus);
            std::uint64_t const count = std::min(block_keys, keys - block * block_keys);
            MemoryPlace const place = input_.input_memories[block * gpus / blocks];
            // A buffer is filled again once its last user has finished.
            std::vector<TaskId> emptied;
            std::vector<TaskId> written;
            if (block >= slot_count * gpus) {
                emptied.push_back(splits[block - slot_count * gpus]);
                written.push_back(downloads[block - slot_count * gpus]);
            }
            written.push_back(upload(gpu, place, count, emptied));
            splits.push_back(split(gpu, count, range_count, written));
            downloads.push_back(download(gpu, place, count, std::array{splits.back()}));
        }
        return builder_.graph.add({}, downloads);
    }

    /// Uploads a range, sorts it once it and the previous one allow, and downloads it.
    void add_range(std::uint64_t count, Schedule const& sort) {
        std::uint64_t const gpus = builder_.gpu_count();
        std::vector<TaskId> uploaded = ends_; // of the previous sort
        std::vector<TaskId> before = starts_;
        starts_ = ends_;
        if (range_ends_.size() >= range_lead) {
            before.push_back(range_ends_[range_ends_.size() - range_lead]);
        }
        auto const share = [&](std::uint64_t gpu) {
            return count * (gpu + 1) / gpus - count * gpu / gpus;
        };
        for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
            uploaded.push_back(upload(gpu, input_.input_memories[gpu], share(gpu), before));
        }
        TaskId const begin = builder_.graph.add({}, uploaded);
        TaskId const end = append(sort.graph, begin);
        ends_ = {end};
        std::vector<TaskId> downloads;
        for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
            downloads.push_back(
                download(gpu, input_.output_memories[gpu], share(gpu), std::array{end}));
        }
        range_ends_.push_back(builder_.graph.add({}, downloads));
    }

    /// Ranges begin after this task.
    void begin_ranges(TaskId after) { starts_ = ends_ = {after}; }

    /// Cores copy these keys from the scratch array, limited by host memory only.
    void copy_by_cores(std::uint64_t key_count, TaskId after) {
        constexpr SimTime unlimited = nanoseconds(1);
        std::uint64_t const gpus = builder_.gpu_count();
        for (std::uint64_t gpu = 0; gpu < gpus && key_count > 0; ++gpu) {
            MemoryPlace const place = input_.output_memories[gpu];
            std::uint64_t const bytes = key_count / gpus * builder_.record_bytes();
            Task task;
            task.work = CpuWork{place.kind == MemoryKind::host ? place.index : input_.host_node,
                                unlimited,
                                bytes,
                                bytes,
                                0};
            builder_.add_after(task, Phase::cpu_sort, std::array{after});
        }
    }

    [[nodiscard]] TaskGraph take() { return std::move(builder_.graph); }

  private:
    using After = std::span<TaskId const>;

    TaskId copy(CopyWork const& work, StreamId stream, double cold_slowdown, Phase phase, After a) {
        Task task;
        task.work = work;
        task.stream = stream;
        task.cold_slowdown = cold_slowdown;
        return builder_.add_after(task, phase, a);
    }
    TaskId upload(std::uint32_t gpu, MemoryPlace from, std::uint64_t count, After after) {
        return copy({from, builder_.memory_of(gpu), count * builder_.record_bytes()},
                    uploads_[gpu],
                    input_.device.cold_to_device,
                    Phase::host_to_device,
                    after);
    }
    TaskId download(std::uint32_t gpu, MemoryPlace to, std::uint64_t count, After after) {
        return copy({builder_.memory_of(gpu), to, count * builder_.record_bytes()},
                    downloads_[gpu],
                    input_.device.cold_to_host,
                    Phase::device_to_host,
                    after);
    }

    /// A multisplit between splitters: labels and counts, then a stable step by labels.
    TaskId split(std::uint32_t gpu, std::uint64_t count, std::uint64_t range_count, After after) {
        FastKernels const kernels{input_.device};
        auto const levels =
            static_cast<int>(std::bit_width(std::max<std::uint64_t>(range_count, 2) - 1));
        KernelCost cost = kernels.label(
            builder_.key_bytes(), count, levels, 1.0 / static_cast<double>(range_count));
        KernelCost const step = kernels.stable_step(builder_.record(), count);
        cost.duration += step.duration;
        cost.hbm_bytes += step.hbm_bytes;
        Task task = builder_.kernel_task(gpu, cost, input_.device.fast->launch_us);
        task.stream = splits_[gpu];
        return builder_.add_after(task, Phase::scatter, after);
    }

    /// Appends the tasks of a sort, all after `begin`. \return task after all of them
    TaskId append(TaskGraph const& sort, TaskId begin) {
        TaskGraph& graph = builder_.graph;
        auto const first = static_cast<std::uint32_t>(graph.tasks.size());
        if (sort_streams_.empty()) {
            for (Stream const& stream : sort.streams) {
                sort_streams_.push_back(graph.add_stream(stream.name, stream.gpu));
            }
        }
        std::vector<bool> is_last(sort.tasks.size(), true);
        for (std::uint32_t i = 0; i < sort.tasks.size(); ++i) {
            std::vector<TaskId> after;
            for (TaskId const before : sort.dependencies_of(TaskId{i})) {
                after.push_back(TaskId{first + before.value});
                is_last[before.value] = false;
            }
            if (after.empty()) {
                after.push_back(begin);
            }
            Task task = sort.tasks[i];
            if (task.stream) {
                task.stream = sort_streams_[task.stream->value];
            }
            graph.add(task, after);
        }
        std::vector<TaskId> last{begin};
        for (std::uint32_t i = 0; i < sort.tasks.size(); ++i) {
            if (is_last[i]) {
                last.push_back(TaskId{first + i});
            }
        }
        return graph.add({}, last);
    }

    ScheduleInput const& input_;
    ScheduleBuilder builder_;
    std::vector<StreamId> uploads_; ///< [gpus]
    std::vector<StreamId> splits_;
    std::vector<StreamId> downloads_;
    std::vector<StreamId> sort_streams_; ///< of the sort's own graph
    std::vector<TaskId> starts_;         ///< before which the next upload is not queued
    std::vector<TaskId> ends_;           ///< of the latest sort
    std::vector<TaskId> range_ends_;     ///< [ranges] downloads
};

} // namespace

SortMemory range_sort_memory(ScheduleKind const& kind,
                             model::SortConfig const& config,
                             std::uint64_t range_keys) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    RecordBytes const record = record_of(config);
    model::SortConfig of_range = config;
    of_range.key_count = range_keys;
    AlgorithmInfo const& algorithm = *kind.choice().algorithm;
    SortMemory memory = kind.memory(algorithm, of_range);
    memory.buffer_bytes *= 2;
    memory.scratch_bytes += distribution_bytes(record, range_keys);
    memory.array_bytes =
        config.key_count > most / record.sum() ? most : config.key_count * record.sum();
    memory.host_arrays = 2;
    return memory;
}

std::uint64_t range_keys_that_fit(ScheduleKind const& kind,
                                  model::SortConfig const& config,
                                  std::uint64_t device_bytes) {
    std::uint64_t fits = 0;
    std::uint64_t too_many = std::uint64_t{1} << 32U;
    while (too_many - fits > 1) {
        std::uint64_t const middle = fits + (too_many - fits) / 2;
        bool const is_enough =
            range_sort_memory(kind, config, middle).device_bytes() <= device_bytes;
        (is_enough ? fits : too_many) = middle;
    }
    return fits;
}

std::uint64_t range_sort_keys_max(std::uint64_t range_keys) {
    return buckets_max *
           model::RangeTarget{0, std::max<std::uint64_t>(range_keys, 1)}.planned_records();
}

Expected<Schedule>
schedule_ranges(ScheduleKind const& kind, ScheduleInput const& input, std::uint64_t range_keys) {
    if (!input.device.fast) {
        return tl::unexpected(missing_fast_costs(input.device));
    }
    auto const& planned = input.facts->of("ranges", [&] { return plan_ranges(input, range_keys); });
    KEYSWAP_RETURN_IF_ERROR(planned);
    RangeList const& list = *planned;
    std::uint64_t const range_count = list.sorted.size() + list.single_valued;
    RangeGraph graph(input);
    std::uint64_t const block_keys =
        kernels::distribution_block(shape_of(record_of(input.config)), range_keys);
    TaskId const distributed = graph.distribute(block_keys, range_count);
    graph.begin_ranges(distributed);
    graph.copy_by_cores(list.copied_keys, distributed);
    Schedule schedule;
    if (!list.sorted.empty()) {
        std::uint64_t const mean = keys_in(list.sorted) / list.sorted.size();
        KEYSWAP_TRY(Schedule const sort, schedule_of_range(kind, input, mean));
        for (std::uint64_t const count : list.sorted) {
            graph.add_range(count, sort);
        }
        schedule.passes = sort.passes;
        schedule.copies = sort.copies * list.sorted.size();
        schedule.sort_calls = sort.sort_calls * list.sorted.size();
        schedule.fallback = sort.fallback;
    }
    schedule.graph = graph.take();
    schedule.ranges = ScheduledRanges{range_count, range_keys, distributed};
    return schedule;
}

} // namespace keyswap::simulator
