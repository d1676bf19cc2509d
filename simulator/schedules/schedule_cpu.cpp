#include "simulator/schedules/schedule_builder.hpp"

#include "traces/errors/try.hpp"

namespace keyswap::simulator {

namespace {

/// \param algorithm name in host profiles
Expected<Schedule> cpu_schedule(ScheduleInput const& input, std::string_view algorithm) {
    auto const cost = cpu_sort_cost(input.host, algorithm, input.cpu_threads);
    if (!cost) {
        return input_error(algorithm,
                           "was never measured on the CPUs '" + input.host.name + "'",
                           "add its cost to the host profile");
    }
    std::size_t const key_bytes = key_size_bytes(input.config.key_type);
    std::uint64_t const bytes =
        input.config.key_count * key_bytes; // at least one read and one write
    ScheduleInput no_gpus = input;
    no_gpus.gpus.clear();
    no_gpus.machines.clear();
    no_gpus.input_memories.clear();
    no_gpus.output_memories.clear();
    no_gpus.config.gpu_count = 0;
    ScheduleBuilder builder(no_gpus);
    Task task;
    task.work = CpuWork{input.host_node,
                        from_seconds(cpu_sort_seconds(*cost, input.config.key_count, key_bytes)),
                        bytes,
                        bytes,
                        0};
    builder.add(task, Phase::cpu_sort);
    return Schedule{std::move(builder.graph), 0, 0, 0};
}

} // namespace

ScheduleKind const& cpu_gnu_parallel_schedule() {
    static constexpr ScheduleKind kind{
        "cpu-gnu-parallel",
        "published",
        [](ScheduleInput const& input) { return cpu_schedule(input, "gnu-parallel"); },
        host_out_of_place_memory};
    return kind;
}

ScheduleKind const& cpu_paradis_schedule() {
    static constexpr ScheduleKind kind{
        "cpu-paradis",
        "published",
        [](ScheduleInput const& input) { return cpu_schedule(input, "paradis"); },
        host_in_place_memory};
    return kind;
}

} // namespace keyswap::simulator
