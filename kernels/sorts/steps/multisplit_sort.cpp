/// \file Multisplit-sort (Ashkiani et al.: GPU Multisplit, TOPC 2017, section 7): stable steps over
/// all keys by a digit each, the lowest first. Variant `published` takes method `block` for a step.
/// Variant `fast` takes `fused` and counts the digits of all steps in one reading, which at 8 bits
/// is Onesweep (Adinets, Merrill, 2022). Keys stay as they are: a step encodes what it reads.

#include "kernels/multisplit/split_records.hpp"
#include "kernels/multisplit/split_workspace.hpp"
#include "kernels/sorts/sort_driver.hpp"
#include "kernels/sorts/sorter_options.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace keyswap::kernels {

namespace {

SplitNeeds needs_of(SortOptions const& options, std::uint64_t capacity) {
    SplitNeeds needs;
    needs.method =
        options.choice.variant->name == "fast" ? MultisplitMethod::fused : MultisplitMethod::block;
    needs.shape = element_shape(options);
    needs.buckets_max = 1U << options.digit_bits;
    needs.count_max = std::min(capacity, split_count_max);
    return needs;
}

/// The digits of all steps: floor(K / r) of r bits, then one of the K mod r bits that are left.
std::vector<DigitBuckets> digits_of(KeyShape const& shape) {
    std::vector<DigitBuckets> digits;
    for (int shift = 0; shift < shape.key_bits; shift += shape.digit_bits) {
        digits.push_back({shift, std::min(shape.digit_bits, shape.key_bits - shift)});
    }
    return digits;
}

/// Counters of all steps in one array, a row a step.
std::size_t counters_of(KeyShape const& shape) {
    return digits_of(shape).size() << shape.digit_bits;
}

struct StepMemory final : SortMemory {
    SplitWorkspace workspace;
    DeviceBuffer<std::uint64_t> counts; ///< [steps][2^digit bits]
    DeviceBuffer<std::uint64_t> starts; ///< [2^digit bits] of the last step

    StepMemory(SortOptions const& options, int device, std::uint64_t capacity)
        : workspace(needs_of(options, capacity)), counts(device, counters_of(key_shape(options))),
          starts(device, std::size_t{1} << options.digit_bits) {}
};

SortScratch step_scratch(SortOptions const& options, std::uint64_t capacity) {
    std::size_t const words =
        counters_of(key_shape(options)) + (std::size_t{1} << options.digit_bits);
    return {0,
            static_cast<std::size_t>(SplitWorkspace::bytes(needs_of(options, capacity))) +
                words * sizeof(std::uint64_t)};
}

std::unique_ptr<SortMemory>
make_step_memory(SortOptions const& options, GpuId gpu, std::uint64_t capacity) {
    return std::make_unique<StepMemory>(options, options.devices[gpu.value], capacity);
}

/// What is decided before any key moves.
void record_plan(RunContext const& context, std::vector<DigitBuckets> const& digits) {
    for (std::uint32_t step = 0; step < digits.size(); ++step) {
        context.trace->write(
            BucketFunctionRecord{step, {}, {1U << digits[step].bits, digits[step]}});
    }
    context.trace->write(OwnershipRecord{GpuId{0}, 0, context.key_count});
}

/// One step as a trace tells it. \param step from 0
void record_step(RunContext const& context, std::uint32_t step, SplitRecords records) {
    records.partition.step = static_cast<int>(step) + 1;
    records.partition.function = step;
    context.trace->write(
        HistogramRecord{{}, GpuId{0}, 0, std::move(records.counts), records.partition.step, step});
    context.trace->write(records.partition);
}

/// Where the digits of all steps can be counted at once: in one reading, in one slice.
bool counts_once(SplitNeeds const& needs, std::uint64_t count) {
    return needs.method == MultisplitMethod::fused && count <= needs.slice_count && count != 0;
}

void sort_by_steps(RunContext const& context, GpuState& gpu) {
    auto& memory = static_cast<StepMemory&>(*gpu.resources->own);
    int const digit_bits = context.key_shape.digit_bits;
    std::vector<DigitBuckets> const digits = digits_of(context.key_shape);
    if (context.trace != nullptr) {
        record_plan(context, digits);
    }
    bool const counted = counts_once(memory.workspace.needs(), gpu.count);
    if (counted) {
        auto const phase =
            context.clock->begin(gpu.id, gpu.device, gpu.stream, Phase::histogram, 0);
        launch_digit_counts(gpu.stream,
                            context.shape.key_bytes,
                            gpu.buffers.keys[0],
                            gpu.count,
                            context.code,
                            digit_bits,
                            static_cast<int>(digits.size()),
                            memory.counts.data());
        context.clock->end(phase, gpu.stream);
    }
    context.mark_chunks_overwritten();
    for (std::uint32_t step = 0; step < digits.size(); ++step) {
        DeviceRule rule;
        rule.kind = RuleKind::digit;
        rule.buckets = 1U << digits[step].bits;
        rule.code = context.code;
        rule.shift = digits[step].shift;
        rule.mask = rule.buckets - 1;
        auto const from = static_cast<std::size_t>(gpu.buffers.current);
        SplitArrays const arrays{gpu.buffers.keys[from],
                                 gpu.buffers.keys[1 - from],
                                 gpu.buffers.values[from],
                                 gpu.buffers.values[1 - from],
                                 gpu.count,
                                 context.shape};
        auto const phase = context.clock->begin(
            gpu.id, gpu.device, gpu.stream, Phase::scatter, static_cast<int>(step) + 1);
        memory.workspace.split(gpu.stream,
                               arrays,
                               rule,
                               counted ? memory.counts.data() + (std::size_t{step} << digit_bits)
                                       : nullptr,
                               memory.starts.data());
        context.clock->end(phase, gpu.stream);
        gpu.buffers.current = 1 - gpu.buffers.current;
        if (context.trace != nullptr) {
            record_step(
                context,
                step,
                read_records(gpu.stream, memory.workspace, arrays, rule, memory.starts.data()));
        }
    }
}

SortOutcome sort_by_multisplit(SortCall const& call) {
    RunContext& context = call.context;
    GpuState& gpu = call.gpus.front();
    {
        DeviceScope const scope{gpu.device};
        sort_by_steps(context, gpu);
    }
    if (call.host) {
        auto const phase =
            context.clock->begin(gpu.id, gpu.device, gpu.stream, Phase::device_to_host, 0);
        copy_to_host(context,
                     gpu,
                     gpu.stream,
                     {gpu.id, 0, gpu.count, 0, 0},
                     gpu.buffers.current,
                     0,
                     *call.host);
        context.clock->end(phase, gpu.stream);
    }
    return {0, {{GpuId{0}, 0, context.key_count}}};
}

} // namespace

SortDriver const& multisplit_sort_driver() {
    static constexpr SortDriver driver{.name = "multisplit-sort",
                                       .scratch = step_scratch,
                                       .memory = make_step_memory,
                                       .sort = sort_by_multisplit,
                                       .key_count_max = split_count_max};
    return driver;
}

} // namespace keyswap::kernels
