#pragma once

/// \file The steps that schedules share: chunks in, barriers, kernels, ranges out.

#include "simulator/cost/cost_model.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/schedule.hpp"

#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// Keys of a histogram.
[[nodiscard]] std::uint64_t keys_in(std::span<std::uint64_t const> counts);

/// Whether keys are sorted as they are. Other types and the descending direction have images, which
/// most of our sorts make of all keys at first.
[[nodiscard]] bool are_images(model::SortConfig const& config);

/// Pieces are queued one behind the other: only the first one's launch shows.
enum class QueuedPiece { first, later };

/// Builds the graph of a schedule. Every GPU has a stream for kernels and swaps, and one for copies
/// back; the host has one thread. GPUs are meant by their place in the sort's order.
class ScheduleBuilder {
  public:
    explicit ScheduleBuilder(ScheduleInput const& input);

    /// Bytes of a key and its value.
    [[nodiscard]] std::uint64_t record_bytes() const { return record_bytes_; }
    [[nodiscard]] std::size_t key_bytes() const { return key_bytes_; }
    [[nodiscard]] RecordBytes record() const { return {key_bytes_, record_bytes_ - key_bytes_}; }
    [[nodiscard]] std::uint32_t gpu_count() const;
    [[nodiscard]] SwapOrder swap_order() const { return input_.swap; }
    /// [g] The node of each GPU.
    [[nodiscard]] std::span<std::uint32_t const> machines() const { return input_.machines; }

    /// Copies `key_count` keys from where they lie to a GPU after the last barrier; nothing where
    /// they lie there already.
    void upload(std::uint32_t gpu, std::uint64_t key_count);
    /// Whether the GPU's keys lie elsewhere before the sort.
    [[nodiscard]] bool comes_in(std::uint32_t gpu) const;
    /// Whether our program sorts, if the device has its costs: the published ones begin and end in
    /// host memory.
    [[nodiscard]] bool is_ours() const { return !comes_in(0) && input_.device.fast.has_value(); }
    /// Whether keys are turned into images and back: published programs leave it to their library.
    [[nodiscard]] bool changes_images() const { return is_ours() && !are_images(input_.config); }
    /// Copies a piece of a GPU's input in a stream beside its kernels, after those before it alone.
    TaskId upload_piece(std::uint32_t gpu, StreamId stream, std::uint64_t bytes, QueuedPiece place);
    /// The task of a kernel on the GPU's stream. It is not added.
    [[nodiscard]] Task kernel_task(std::uint32_t gpu, KernelCost cost, double launch_us) const;
    /// Runs a kernel on the GPU's stream after the last barrier, or after `called`, which came
    /// after it.
    TaskId kernel(std::uint32_t gpu,
                  KernelCost cost,
                  Phase phase,
                  int pass = 0,
                  std::span<TaskId const> called = {});
    /// Turns keys into images or back; nullopt if the sort does not. It is not added.
    [[nodiscard]] std::optional<Task>
    image_change_task(std::uint32_t gpu, std::uint64_t key_count, double launch_us) const;
    /// The same on the GPU's stream after the last barrier.
    void image_change(std::uint32_t gpu, std::uint64_t key_count, Phase phase);
    /// Host work after the last barrier, beside what the GPUs do.
    void host_work(double microseconds, Phase phase, int pass = 0);
    /// The host thread is busy for so long before it can call what is queued next.
    /// \return what the called tasks wait for
    TaskId host_turn(double microseconds);
    /// The host thread of the GPU's node calls so many times, each call as long as a peer copy's
    /// launch. \return what the called tasks wait for
    TaskId host_calls(std::uint32_t gpu, int calls);
    /// The same thread calls for so long as soon as it has made its calls before and `after` is
    /// over, ahead of what the GPUs do. \return what the called tasks wait for
    TaskId calls_ahead(std::uint32_t gpu, double microseconds, std::span<TaskId const> after = {});
    /// What tasks wait for that are added after the last barrier.
    [[nodiscard]] std::span<TaskId const> last_barrier() const;
    /// Queues a copy between or within GPUs on the source's stream after the last barrier.
    /// \param pieces copies that together have so many keys, one after the other
    void peer_copy(std::uint32_t source,
                   std::uint32_t destination,
                   std::uint64_t key_count,
                   Phase phase,
                   std::uint32_t pieces = 1);
    /// Whether the keys of the GPU go back to where they came from, or stay on it.
    [[nodiscard]] bool goes_back(std::uint32_t gpu) const;
    /// Copies keys back on the GPU's second stream, after `after` or the last barrier; nothing
    /// where they stay on the GPU.
    void download(std::uint32_t gpu,
                  std::uint64_t key_count,
                  std::span<TaskId const> after,
                  CopyExtent extent = CopyExtent::whole);
    /// All tasks since the last barrier end before any later one begins.
    void barrier();

    TaskId add(Task task, std::optional<Phase> phase);
    /// The same after `after` in place of the last barrier.
    TaskId add_after(Task task, std::optional<Phase> phase, std::span<TaskId const> after);

    /// A stream of the GPU beside those for kernels and copies back.
    [[nodiscard]] StreamId add_stream(std::uint32_t gpu, std::string const& purpose);
    [[nodiscard]] StreamId kernel_stream(std::uint32_t gpu) const { return kernel_streams_[gpu]; }
    [[nodiscard]] MemoryPlace memory_of(std::uint32_t gpu) const;
    [[nodiscard]] std::uint32_t machine_gpu(std::uint32_t gpu) const { return input_.gpus[gpu]; }

    /// How long a rotated swap makes a source wait with a destination: the next GPU first, itself
    /// last. Of several machines the own one first, then the next one, in step with all other GPUs:
    /// so every network adapter sends and receives one copy at a time.
    [[nodiscard]] std::uint32_t turn(std::uint32_t source, std::uint32_t destination) const;

    TaskGraph graph;

  private:
    [[nodiscard]] Task upload_task(std::uint32_t gpu, StreamId stream, std::uint64_t bytes) const;

    ScheduleInput const& input_;
    std::uint64_t record_bytes_;
    std::size_t key_bytes_;
    std::vector<StreamId> kernel_streams_;
    std::vector<StreamId> host_streams_;
    std::vector<std::uint32_t> places_;              ///< [g] of each GPU among those of its machine
    std::uint32_t machine_count_ = 1;                ///< one more than the highest number
    StreamId thread_;                                ///< of the first GPU's node
    std::map<std::uint32_t, StreamId> node_threads_; ///< by node
    std::vector<TaskId> barrier_;                    ///< at most one
    std::vector<TaskId> since_barrier_;
};

} // namespace keyswap::simulator
