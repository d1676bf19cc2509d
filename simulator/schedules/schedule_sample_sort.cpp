#include "model/sorts/algorithm.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"
#include "simulator/schedules/schedule_rmg.hpp"

#include <bit>

namespace keyswap::simulator {

namespace {

/// What finding a key's bucket among m costs beyond reading a digit, in times of a histogram of
/// digits: a walk down the tree of splitters, and a label that the scatter reads again. Fitted to
/// one H200 (kernels/FIGURES.md: `fused` of 32-bit keys by splitters, less that by digit, over an
/// even histogram's 1.065 ps a key): 1.6, 1.6, 2.1, 2.8 and 3.1 for 2, 8, 32, 128 and 256 buckets.
double walk_in_histograms(std::uint32_t buckets) {
    return 1.2 + 0.24 * std::bit_width(buckets - 1); // the levels of the tree
}

void add_walks(ScheduleBuilder& builder, model::Plan const& plan, DeviceProfile const& device) {
    for (model::PassPlan const& pass : plan.passes) {
        for (model::BucketHistogram const& histogram : pass.histograms) {
            double const factor = walk_in_histograms(histogram.digit_count());
            for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
                std::uint64_t const keys = keys_in(histogram.of(GpuId{gpu}));
                if (keys > 0) {
                    KernelCost cost = histogram_cost(device, builder.key_bytes(), keys);
                    cost.duration = from_seconds(factor * to_seconds(cost.duration));
                    cost.hbm_bytes = 2 * keys; // a label of a byte, written and read
                    builder.kernel(gpu, cost, Phase::histogram, pass.pass);
                }
            }
        }
    }
    builder.barrier();
}

/// The steps of RMG sort's `rotated` with splitters in place of digits; buckets are sorted by
/// digits, on the bits in which their keys can differ.
Expected<Schedule> sample_sort(ScheduleInput const& input) {
    if (input.config.gpu_count == 1) {
        return schedule_one_gpu(input, Phase::bucket_sort);
    }
    auto const sort_plan = (*model::find_algorithm("sample-sort"))->plan(input.config, *input.keys);
    if (!sort_plan) {
        return tl::unexpected(sort_plan.error());
    }
    model::Plan const& plan = *(*sort_plan)->buckets();
    ScheduleBuilder builder(input);
    Schedule schedule;
    add_upload(builder, plan);
    add_walks(builder, plan, input.device);
    ScheduleInput by_splitters = input;
    by_splitters.expected.reset(); // chances are those of digits
    add_partitioning(builder, plan, by_splitters);
    builder.host_work(input.device.swap_launch_us, Phase::key_swap);
    builder.barrier();
    schedule.copies = add_rotated_swap(builder, plan);
    builder.barrier();
    schedule.sort_calls = add_bucket_sort(builder, plan, input.device, SortBits::needed);
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

} // namespace

ScheduleKind const& sample_sort_schedule() {
    static constexpr ScheduleKind kind{"sample-sort", "fast", sample_sort, labelled_memory};
    return kind;
}

} // namespace keyswap::simulator
