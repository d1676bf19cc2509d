#include "simulator/schedules/library_sorts.hpp"

#include "simulator/cost/cost_model.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::simulator {

namespace {

/// Most bytes of keys that one block sorts in a single launch. Source: CUB, the single-tile policy
/// of DeviceRadixSort, 256 threads of 19 words.
constexpr std::uint64_t single_tile_bytes = 256 * 19 * 4;

/// Calls that a stream queues before the next one blocks. Source: CUDA's driver, undocumented; 128
/// sorts of 10 calls take two GPUs 1.2 times as long as 64 sorts take four GPUs each.
constexpr int stream_calls_max = 1024;

} // namespace

SimTime LibrarySort::duration() const {
    return cost.duration + from_seconds(launch_us * 1e-6);
}

LibrarySort library_sort(ScheduleBuilder const& builder,
                         DeviceProfile const& device,
                         std::uint64_t key_count,
                         int bits) {
    KEYSWAP_EXPECTS(device.fast.has_value());
    if (key_count == 0 || bits <= 0) {
        return {};
    }
    if (key_count * builder.key_bytes() <= single_tile_bytes) {
        return {sort_cost(device, builder.record(), key_count, bits), 0.0, 1};
    }
    // Launches a histogram, its prefix sum and a kernel per pass, each after a call that clears its
    // counters. Source: CUB, DispatchRadixSort::InvokeOnesweep.
    int const passes = sort_passes(device, bits);
    return {sort_cost_of_passes(device, builder.record(), key_count, passes),
            device.histogram_launch_us + passes * device.fast->launch_us,
            2 * (2 + passes)};
}

LibraryQueue::LibraryQueue(ScheduleBuilder& builder, DeviceProfile const& device)
    : builder_(builder), launch_us_(device.fast ? device.fast->launch_us : 0.0),
      streams_(builder.gpu_count()) {}

TaskId LibraryQueue::sort(std::uint32_t gpu, LibrarySort const& sort, Phase phase, int pass) {
    KEYSWAP_EXPECTS(sort.calls > 0);
    return queue(
        gpu, builder_.kernel_task(gpu, sort.cost, sort.launch_us, pass), sort.calls, phase);
}

void LibraryQueue::change_back(std::uint32_t gpu, std::uint64_t key_count) {
    if (auto const task = builder_.image_change_task(gpu, key_count, launch_us_)) {
        queue(gpu, *task, 1, Phase::bucket_sort);
    }
}

TaskId LibraryQueue::queue(std::uint32_t gpu, Task const& task, int calls, Phase phase) {
    auto& [queued, held] = streams_[gpu];
    std::vector<TaskId> room;
    for (held += calls; held > stream_calls_max && !queued.empty(); queued.pop_front()) {
        room = {queued.front().task};
        held -= queued.front().calls;
    }
    auto const before = builder_.last_barrier();
    std::vector<TaskId> after(before.begin(), before.end());
    after.push_back(builder_.calls_ahead(gpu, calls, room));
    TaskId const added = builder_.add_after(task, phase, after);
    queued.push_back({added, calls});
    return added;
}

} // namespace keyswap::simulator
