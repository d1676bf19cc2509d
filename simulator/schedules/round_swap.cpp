#include "simulator/schedules/round_swap.hpp"

#include "simulator/cost/fast_cost.hpp"

#include <array>
#include <map>

namespace keyswap::simulator {

namespace {

/// Adds the tasks of one swap; the arguments outlive the object.
class RoundSwap {
  public:
    RoundSwap(ScheduleBuilder& builder, DeviceProfile const& device, ExchangePlan const& plan)
        : builder_(builder), device_(device), plan_(plan), last_to_(builder.gpu_count()) {
        for (std::uint32_t gpu = 0; gpu < builder.gpu_count(); ++gpu) {
            streams_.push_back(builder.add_stream(gpu, "sends"));
        }
    }

    std::size_t add(RoundCalls calls,
                    std::function<LastTasks(std::size_t, TasksBefore)> const& sort_round) {
        constexpr std::size_t rounds_ahead = 2;
        std::uint32_t const gpus = builder_.gpu_count();
        std::size_t const rounds = plan_.rounds.rounds;
        std::size_t const first = calls == RoundCalls::at_once ? rounds : rounds_ahead;
        for (std::size_t round = 0; round < first; ++round) {
            send_next();
        }
        copy_local_parts();
        fill_parts();
        for (std::size_t round = 0; round < rounds; ++round) {
            for (auto const& ranges : plan_.rounds.ranges) {
                while (sent_.size() < ranges[round].rounds_sent_before) {
                    send_next(); // rounds that results overwrite must be sent
                }
            }
            LastTasks const last = sort_round(round, arrivals(round));
            for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
                if (last[gpu]) {
                    builder_.download(
                        gpu,
                        plan_.keys_of_round(GpuId{gpu}, static_cast<std::uint32_t>(round)),
                        {&*last[gpu], 1},
                        CopyExtent::piece);
                }
            }
            send_next();
        }
        builder_.barrier();
        return copies_;
    }

  private:
    /// Keys that kernels of one GPU move or fill, one kernel after another.
    struct MovedParts {
        std::uint64_t keys = 0;
        int parts = 0;

        void add(std::uint64_t keys_of_part) {
            keys += keys_of_part;
            parts += 1;
        }
    };

    void send_next() {
        if (sent_.size() == plan_.rounds.rounds) {
            return;
        }
        auto const round = static_cast<int>(sent_.size());
        auto const& copies = plan_.sends.copies;
        std::size_t const first = copies_;
        while (copies_ < copies.size() && copies[copies_].stage == round) {
            ++copies_;
        }
        // A node's host thread issues the copies that its GPUs send.
        std::span<std::uint32_t const> const nodes = builder_.machines();
        std::map<std::uint32_t, int> calls;
        for (std::size_t i = first; i < copies_; ++i) {
            ++calls[nodes[copies[i].source.value]];
        }
        std::map<std::uint32_t, TaskId> called;
        for (std::uint32_t gpu = 0; gpu < builder_.gpu_count(); ++gpu) {
            if (!called.contains(nodes[gpu])) {
                called.emplace(nodes[gpu], builder_.host_calls(gpu, calls[nodes[gpu]]));
            }
        }
        for (std::size_t i = first; i < copies_; ++i) {
            CopyRecord const& copy = copies[i];
            Task task;
            task.work = CopyWork{builder_.memory_of(copy.source.value),
                                 builder_.memory_of(copy.destination.value),
                                 copy.count * builder_.record_bytes()};
            task.stream = streams_[copy.source.value];
            task.launch = from_seconds(device_.peer_copy_launch_us * 1e-6);
            task.cold_slowdown = device_.cold_peer_copy;
            std::vector<TaskId> after{called.at(nodes[copy.source.value])};
            std::optional<TaskId>& last = last_to_[copy.destination.value];
            if (plan_.sends.after[i]) {
                after.push_back(last.value());
            }
            last = builder_.add_after(task, Phase::key_swap, after);
        }
        std::vector<TaskId> ends;
        for (std::uint32_t source = 0; source < builder_.gpu_count(); ++source) {
            Task sent; // an event that marks the end of the round's sends
            sent.stream = streams_[source];
            ends.push_back(
                builder_.add_after(sent, Phase::key_swap, {&called.at(nodes[source]), 1}));
        }
        sent_.push_back(std::move(ends));
    }

    /// \param moved [g] \param cost duration of moving that many bytes
    void add_kernels(std::vector<MovedParts> const& moved,
                     int parts_per_kernel,
                     KernelCost (FastKernels::*cost)(std::uint64_t) const) {
        FastKernels const kernels(device_);
        for (std::uint32_t gpu = 0; gpu < moved.size(); ++gpu) {
            auto const& [keys, parts] = moved[gpu];
            if (keys > 0) {
                int const count = (parts + parts_per_kernel - 1) / parts_per_kernel;
                builder_.launch_kernels(gpu,
                                        (kernels.*cost)(keys * builder_.record_bytes()),
                                        count,
                                        Phase::key_swap,
                                        std::array{builder_.host_calls(gpu, count)});
            }
        }
    }

    /// Copies local parts to their new offset with kernels, all of them before the first round is
    /// sorted.
    void copy_local_parts() {
        std::vector<MovedParts> parts(builder_.gpu_count());
        for (CopyRecord const& copy : plan_.rounds.copies) {
            bool const is_copied =
                plan_.rounds.range_of(copy).own_part == kernels::KeyBuffer::input;
            if (copy.source == copy.destination && is_copied) {
                parts[copy.source.value].add(copy.count);
            }
        }
        add_kernels(parts, 1, &FastKernels::copy);
    }

    /// Fills in runs of equal keys that are not sent, also before the first round is sorted.
    void fill_parts() {
        std::vector<MovedParts> parts(builder_.gpu_count());
        for (kernels::RoundFill const& fill : plan_.sends.fills) {
            parts[fill.gpu.value].add(fill.count);
        }
        add_kernels(parts, static_cast<int>(kernels::fills_per_launch), &FastKernels::fill);
    }

    [[nodiscard]] TasksBefore arrivals(std::size_t round) const {
        std::uint32_t const gpus = builder_.gpu_count();
        TasksBefore before(gpus);
        for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
            for (std::uint32_t source = 0; source < gpus; ++source) {
                if (source != gpu) {
                    before[gpu].push_back(sent_[round][source]);
                }
            }
            std::size_t const own = plan_.rounds.ranges[gpu][round].rounds_sent_before;
            if (own > 0) {
                before[gpu].push_back(sent_[own - 1][gpu]);
            }
        }
        return before;
    }

    ScheduleBuilder& builder_;
    DeviceProfile const& device_;
    ExchangePlan const& plan_;
    std::vector<StreamId> streams_;         ///< [g]
    std::vector<std::vector<TaskId>> sent_; ///< [round][g] event: the source has sent the round
    LastTasks last_to_; ///< [g] latest copy to a GPU, which receives from one source at a time
    std::size_t copies_ = 0;
};

} // namespace

std::size_t add_round_swap(ScheduleBuilder& builder,
                           DeviceProfile const& device,
                           ExchangePlan const& plan,
                           RoundCalls calls,
                           std::function<LastTasks(std::size_t, TasksBefore)> const& sort_round) {
    return RoundSwap(builder, device, plan).add(calls, sort_round);
}

LastTasks sort_arrived(ScheduleBuilder& builder,
                       std::span<std::vector<LocalBatch> const> batches,
                       TasksBefore before) {
    LastTasks last(batches.size());
    for (std::uint32_t gpu = 0; gpu < last.size(); ++gpu) {
        // The first batch waits for these; later ones follow in the GPU's stream.
        std::vector<TaskId> after = std::move(before[gpu]);
        for (LocalBatch const& batch : batches[gpu]) {
            for (auto const& steps : {batch.until_known, batch.then}) {
                for (LocalStep const& step : steps) {
                    last[gpu] = builder.launch_kernels(
                        gpu, step.cost, step.launches, Phase::bucket_sort, after);
                    after.clear();
                }
            }
        }
    }
    return last;
}

std::size_t add_arrived_rounds(
    ScheduleBuilder& builder,
    DeviceProfile const& device,
    ExchangePlan const& plan,
    std::function<std::vector<LocalBatch>(std::vector<LocalSegment> const&)> const& batches_of) {
    auto const sort_round = [&](std::size_t round, TasksBefore before) {
        std::vector<std::vector<LocalBatch>> batches;
        for (GpuId gpu{0}; gpu.value < builder.gpu_count(); ++gpu.value) {
            batches.push_back(batches_of(plan.arrived(gpu, static_cast<std::uint32_t>(round))));
        }
        return sort_arrived(builder, batches, std::move(before));
    };
    return add_round_swap(builder, device, plan, RoundCalls::at_once, sort_round);
}

} // namespace keyswap::simulator
