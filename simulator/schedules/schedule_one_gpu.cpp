#include "simulator/schedules/schedule_one_gpu.hpp"

#include "simulator/schedules/pass_concentration.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::simulator {

Schedule schedule_one_gpu(ScheduleInput const& input,
                          std::function<void(ScheduleBuilder&)> const& add_sort) {
    ScheduleBuilder builder(input);
    std::uint64_t const keys = input.config.key_count;
    builder.upload(0, keys);
    builder.barrier();
    add_sort(builder);
    builder.barrier();
    return Schedule{std::move(builder.graph), 0, 0, 1};
}

Expected<Schedule> schedule_one_gpu(ScheduleInput const& input, Phase sort_phase) {
    if (input.config.gpu_count != 1) {
        return input_error("one-gpu",
                           "sorts on one GPU, not on " + std::to_string(input.config.gpu_count),
                           "name one GPU, or take 'rmg-fast'");
    }
    return schedule_one_gpu(input, [&](ScheduleBuilder& builder) {
        std::uint64_t const keys = input.config.key_count;
        int const bits = key_bits(input.config.key_type);
        KernelCost const cost = whole_sort_cost(
            input.device, builder.record(), keys, bits, pass_concentration(input, bits));
        if (keys > 0) {
            builder.image_change(0, keys, sort_phase);
            builder.kernel(0, cost, sort_phase);
            builder.image_change(0, keys, sort_phase);
        }
        builder.barrier();
        builder.download(0, keys, {});
    });
}

ScheduleKind const& one_gpu_schedule() {
    static constexpr ScheduleKind kind{
        "one-gpu", "published", [](ScheduleInput const& input) { return schedule_one_gpu(input); }};
    return kind;
}

} // namespace keyswap::simulator
