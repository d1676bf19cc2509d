#include "model/buckets/chunks.hpp"
#include "simulator/schedules/schedule_builder.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"

namespace keyswap::simulator {

namespace {

/// Each GPU sorts its chunk and downloads it; then the CPU merges the chunks.
Expected<Schedule> schedule(ScheduleInput const& input) {
    std::uint32_t const gpus = input.config.gpu_count;
    if (gpus == 1) {
        return schedule_one_gpu(input);
    }
    ScheduleBuilder builder(input);
    model::Chunks const chunks(input.config.key_count, gpus);
    int const bits = key_bits(input.config.key_type);
    builder.upload(chunks);
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        std::uint64_t const keys = chunks.of(GpuId{gpu}).size();
        if (keys > 0) {
            builder.kernel(
                gpu, whole_sort_cost(input.device, builder.record(), keys, bits), Phase::sort);
        }
    }
    builder.barrier();
    builder.download(chunks);
    // Bound by memory, so independent of the number of runs (RMG paper, section 5.3).
    std::uint64_t const bytes = input.config.key_count * builder.record_bytes();
    Task merge;
    merge.work =
        CpuWork{input.host_node,
                from_seconds(input.host.merge_base_ms * 1e-3 +
                             static_cast<double>(bytes) * input.host.merge_byte_ps * 1e-12),
                bytes,
                bytes,
                0};
    builder.add(merge, Phase::cpu_merge);
    return Schedule{std::move(builder.graph), 0, 0, gpus};
}

} // namespace

ScheduleKind const& het_merge_schedule() {
    static constexpr ScheduleKind kind{"het-merge", "published", schedule, host_merge_memory};
    return kind;
}

} // namespace keyswap::simulator
