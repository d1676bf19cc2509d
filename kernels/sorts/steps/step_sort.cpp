#include "kernels/sorts/steps/step_sort.hpp"

#include "kernels/multisplit/split_records.hpp"
#include "kernels/multisplit/split_workspace.hpp"
#include "kernels/runtime/sorter_options.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// Number of counters for the schedule's widest digit.
std::size_t widest_digit(StepSchedule const& schedule) {
    return std::size_t{1} << std::ranges::max(schedule.digits, {}, &DigitBuckets::bits).bits;
}

/// Counters of all steps in one array, a row per step; 0 unless the method takes counts as input.
std::size_t counters_of(StepSchedule const& schedule) {
    return schedule.method == MultisplitMethod::fused
               ? schedule.digits.size() * widest_digit(schedule)
               : 0;
}

SplitNeeds
needs_of(StepSchedule const& schedule, SortOptions const& options, std::uint64_t capacity) {
    SplitNeeds needs;
    needs.method = schedule.method;
    needs.shape = element_shape(options);
    needs.buckets_max = static_cast<std::uint32_t>(widest_digit(schedule));
    needs.count_max = std::min(capacity, split_count_max);
    return needs;
}

struct StepMemory final : SortMemory {
    SplitWorkspace workspace;
    DeviceBuffer<std::uint64_t> counts; ///< [steps][2^digit bits]; empty unless passed to steps
    DeviceBuffer<std::uint64_t> starts; ///< [2^widest digit] of the last step

    StepMemory(StepSchedule const& schedule,
               SortOptions const& options,
               int device,
               std::uint64_t capacity)
        : workspace(needs_of(schedule, options, capacity)), counts(device, counters_of(schedule)),
          starts(device, widest_digit(schedule)) {}
};

/// Records everything decided before the keys move.
void record_plan(RunContext const& context, std::vector<DigitBuckets> const& digits) {
    for (std::uint32_t step = 0; step < digits.size(); ++step) {
        context.trace->write(
            BucketFunctionRecord{step, {}, {1U << digits[step].bits, digits[step]}});
    }
    context.trace->write(OwnershipRecord{GpuId{0}, 0, context.key_count});
}

/// Records one step. \param step index, from 0
void record_step(RunContext const& context, std::uint32_t step, SplitRecords records) {
    records.partition.step = static_cast<int>(step) + 1;
    records.partition.function = step;
    context.trace->write(
        HistogramRecord{{}, GpuId{0}, 0, std::move(records.counts), records.partition.step, step});
    context.trace->write(records.partition);
}

/// True if one read can count the digits of all steps: all keys must fit one slice.
bool counts_once(SplitNeeds const& needs, std::uint64_t count) {
    return needs.method == MultisplitMethod::fused && count <= needs.slice_count && count != 0;
}

/// Calls `queue` between the begin and end of a timed phase of the GPU.
template <class Queue>
void timed(
    RunContext const& context, GpuState const& gpu, Phase phase, int pass, Queue const& queue) {
    auto const timing = begin_phase(context, gpu, phase, pass);
    queue();
    context.clock->end(timing);
}

/// Queues one step; with `counts`, it is a single pass over the keys.
/// \param counts [rule.buckets] device, or null to count the digits first
void queue_step(RunContext const& context,
                GpuState const& gpu,
                int pass,
                OutOfPlaceArrays const& arrays,
                DeviceRule const& rule,
                std::uint64_t const* counts) {
    auto& memory = static_cast<StepMemory&>(*gpu.resources->own);
    bool const in_halves = memory.workspace.needs().method == MultisplitMethod::bit_split;
    if (in_halves) {
        timed(context, gpu, Phase::histogram, pass, [&] {
            memory.workspace.count_tiles(gpu.stream, arrays, rule);
        });
    }
    timed(context, gpu, Phase::scatter, pass, [&] {
        if (in_halves) {
            memory.workspace.move_tiles(gpu.stream, arrays, rule, memory.starts.data());
        } else {
            memory.workspace.split(gpu.stream, arrays, rule, counts, memory.starts.data());
        }
    });
}

void run_steps(RunContext const& context, GpuState& gpu, std::vector<DigitBuckets> const& digits) {
    auto& memory = static_cast<StepMemory&>(*gpu.resources->own);
    int const digit_bits = context.key_shape.digit_bits;
    if (context.trace != nullptr) {
        record_plan(context, digits);
    }
    bool const counted = counts_once(memory.workspace.needs(), gpu.count);
    if (counted) {
        timed(context, gpu, Phase::histogram, 0, [&] {
            launch_digit_counts(gpu.stream,
                                context.shape.key_bytes,
                                gpu.buffers.keys[0],
                                gpu.count,
                                context.code,
                                digit_bits,
                                static_cast<int>(digits.size()),
                                memory.counts.data());
        });
    }
    context.mark_chunks_overwritten();
    for (std::uint32_t step = 0; step < digits.size(); ++step) {
        DeviceRule rule;
        rule.kind = RuleKind::digit;
        rule.buckets = 1U << digits[step].bits;
        rule.code = context.code;
        rule.shift = digits[step].shift;
        rule.mask = rule.buckets - 1;
        OutOfPlaceArrays const arrays = arrays_to_other_buffer(gpu, context.shape);
        queue_step(context,
                   gpu,
                   static_cast<int>(step) + 1,
                   arrays,
                   rule,
                   counted ? memory.counts.data() + (std::size_t{step} << digit_bits) : nullptr);
        gpu.buffers.current = 1 - gpu.buffers.current;
        if (context.trace != nullptr) {
            record_step(
                context,
                step,
                read_records(gpu.stream, memory.workspace, arrays, rule, memory.starts.data()));
        }
    }
}

} // namespace

SortScratch
step_scratch(StepSchedule const& schedule, SortOptions const& options, std::uint64_t capacity) {
    std::size_t const words = counters_of(schedule) + widest_digit(schedule);
    return {0,
            static_cast<std::size_t>(SplitWorkspace::bytes(needs_of(schedule, options, capacity))) +
                words * sizeof(std::uint64_t)};
}

std::unique_ptr<SortMemory> make_step_memory(StepSchedule const& schedule,
                                             SortOptions const& options,
                                             GpuId gpu,
                                             std::uint64_t capacity) {
    return std::make_unique<StepMemory>(schedule, options, options.devices[gpu.value], capacity);
}

SortOutcome sort_by_steps(StepSchedule const& schedule, SortCall const& call) {
    RunContext& context = call.context;
    GpuState& gpu = call.gpus.front();
    {
        DeviceScope const scope{gpu.device};
        run_steps(context, gpu, schedule.digits);
    }
    if (call.host) {
        copy_owned_to_host(context, gpu, {gpu.id, 0, gpu.count}, *call.host);
    }
    return {0, {{GpuId{0}, 0, context.key_count}}};
}

} // namespace keyswap::kernels
