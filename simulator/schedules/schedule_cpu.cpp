#include "simulator/schedules/schedule_builder.hpp"

namespace keyswap::simulator {

namespace {

Expected<Schedule> cpu_schedule(ScheduleInput const& input, std::string_view algorithm) {
    auto const cost = cpu_sort_cost(input.host, algorithm, input.cpu_threads);
    if (!cost) {
        return tl::unexpected(InputError{std::string(algorithm),
                                         "was never measured on the CPUs '" + input.host.name + "'",
                                         "add its cost to the host profile"});
    }
    // No separate 64-bit constants: CPU sorts are bound by bytes (RMG paper, section 5.1).
    auto const keys = static_cast<double>(input.config.key_count);
    double const width = static_cast<double>(key_size_bytes(input.config.key_type)) / 4.0;
    double const per_key_ps = cost->key_ps + cost->growth_ps_per_Gkey * keys * 1e-9;
    ScheduleInput no_gpus = input;
    no_gpus.gpus.clear();
    no_gpus.config.gpu_count = 0;
    ScheduleBuilder builder(no_gpus);
    Task task;
    task.work = CpuWork{input.host_node,
                        from_seconds(cost->base_ms * 1e-3 + keys * width * per_key_ps * 1e-12),
                        0,
                        0,
                        0};
    builder.add(task, Phase::cpu_sort);
    return Schedule{std::move(builder.graph), 0, 0, 0};
}

template <char const* algorithm>
Expected<Schedule> schedule(ScheduleInput const& input) {
    return cpu_schedule(input, algorithm);
}

/// As host profiles name them.
constexpr char gnu_parallel[] = "gnu-parallel";
constexpr char paradis[] = "paradis";

} // namespace

ScheduleKind const& cpu_gnu_parallel_schedule() {
    static constexpr ScheduleKind kind{"cpu-gnu-parallel", "published", schedule<gnu_parallel>};
    return kind;
}

ScheduleKind const& cpu_paradis_schedule() {
    static constexpr ScheduleKind kind{"cpu-paradis", "published", schedule<paradis>};
    return kind;
}

} // namespace keyswap::simulator
