#pragma once

/// \file Steps that schedules have in common: uploads, barriers, kernels, downloads.

#include "model/buckets/chunks.hpp"
#include "simulator/cost/cost_model.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/schedule.hpp"

#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// Sum of a histogram's counts.
[[nodiscard]] std::uint64_t keys_in(std::span<std::uint64_t const> counts);

/// True if keys sort correctly as unsigned integers without conversion. Other types, and descending
/// order, need images, to which most of our sorts convert all keys first.
[[nodiscard]] bool are_images(model::SortConfig const& config);

/// Pieces are queued back to back: launches after the first are hidden.
enum class QueuedPiece { first, later };

/// Builds the task graph of a schedule. Each GPU has a stream for kernels and swaps and one for
/// downloads; each node has a host thread. GPUs are numbered in the sort's order.
class ScheduleBuilder {
  public:
    explicit ScheduleBuilder(ScheduleInput const& input);

    /// Bytes of a key and its value.
    [[nodiscard]] std::uint64_t record_bytes() const { return record_bytes_; }
    [[nodiscard]] std::size_t key_bytes() const { return key_bytes_; }
    [[nodiscard]] RecordBytes record() const { return {key_bytes_, record_bytes_ - key_bytes_}; }
    [[nodiscard]] std::uint32_t gpu_count() const;
    [[nodiscard]] SwapOrder swap_order() const { return input_.swap; }
    /// [g] Node of each GPU.
    [[nodiscard]] std::span<std::uint32_t const> machines() const { return input_.machines; }

    /// Uploads `key_count` keys from the input memory to a GPU after the last barrier; no-op if
    /// that memory is the GPU's own.
    void upload(std::uint32_t gpu, std::uint64_t key_count);
    /// Uploads every GPU's chunk, then a barrier. Likewise download().
    void upload(model::Chunks const& chunks);
    void download(model::Chunks const& chunks);
    /// True if the GPU's input is not in its own memory.
    [[nodiscard]] bool needs_upload(std::uint32_t gpu) const;
    /// True if our program sorts and the profile has our kernels' costs. Published programs begin
    /// and end in host memory.
    [[nodiscard]] bool uses_fast_kernels() const {
        return (input_.own_program || !needs_upload(0)) && input_.device.fast.has_value();
    }
    /// True if kernels convert keys to images and back; published programs leave it to the library.
    [[nodiscard]] bool changes_images() const {
        return uses_fast_kernels() && !are_images(input_.config);
    }
    /// Uploads a piece in a stream other than the kernels'; waits for earlier pieces in it only.
    TaskId upload_piece(std::uint32_t gpu, StreamId stream, std::uint64_t bytes, QueuedPiece place);
    /// Creates the task of a kernel on the GPU's stream without adding it.
    [[nodiscard]] Task
    kernel_task(std::uint32_t gpu, KernelCost cost, double launch_us, int pass = 0) const;

    /// Launches our kernels back to back after `after`. \pre the profile has our kernels' costs
    TaskId launch_kernels(std::uint32_t gpu,
                          KernelCost cost,
                          int launches,
                          Phase phase,
                          std::span<TaskId const> after);
    /// Runs a kernel on the GPU's stream after `called`, or after the last barrier if `called` is
    /// empty.
    TaskId kernel(std::uint32_t gpu,
                  KernelCost cost,
                  Phase phase,
                  int pass = 0,
                  std::span<TaskId const> called = {});
    /// Creates, without adding it, the task of an image conversion; nullopt if the sort has none.
    [[nodiscard]] std::optional<Task>
    image_change_task(std::uint32_t gpu, std::uint64_t key_count, double launch_us) const;
    /// Adds that task, if any, to the GPU's stream after the last barrier.
    void image_change(std::uint32_t gpu, std::uint64_t key_count, Phase phase);
    /// Adds host work after the last barrier, concurrent with the GPUs.
    void host_work(double microseconds, Phase phase, int pass = 0);
    /// Occupies the host thread before it can launch what is queued next.
    /// \return task that the launched tasks wait for
    TaskId occupy_host(double microseconds);
    /// Occupies the host thread of the GPU's node with `calls` launches, each as long as that of a
    /// peer copy. \return task that the launched tasks wait for
    TaskId host_calls(std::uint32_t gpu, int calls);
    /// Occupies the same thread with `calls` CUDA calls as soon as its earlier calls and `after`
    /// have ended, ahead of the GPUs' work. \return task that the launched tasks wait for
    TaskId calls_ahead(std::uint32_t gpu, double calls, std::span<TaskId const> after = {});
    /// Dependencies of tasks added after the last barrier; empty before the first barrier.
    [[nodiscard]] std::span<TaskId const> last_barrier() const;
    /// Queues a copy between or within GPUs on the source's stream after the last barrier.
    /// \param pieces > 1: a train of this many consecutive copies with `key_count` keys in total
    void peer_copy(std::uint32_t source,
                   std::uint32_t destination,
                   std::uint64_t key_count,
                   Phase phase,
                   std::uint32_t pieces = 1);
    /// True if the GPU's output is not in its own memory.
    [[nodiscard]] bool needs_download(std::uint32_t gpu) const;
    /// Downloads keys on the GPU's second stream, after `after` (if empty, after the last barrier);
    /// no-op if the output memory is the GPU's own.
    void download(std::uint32_t gpu,
                  std::uint64_t key_count,
                  std::span<TaskId const> after,
                  CopyExtent extent = CopyExtent::whole);
    /// Makes all later tasks wait for all tasks since the last barrier.
    void barrier();

    TaskId add(Task task, std::optional<Phase> phase);
    /// Likewise after `after` instead of the last barrier.
    TaskId add_after(Task task, std::optional<Phase> phase, std::span<TaskId const> after);

    /// An additional stream of the GPU, next to those for kernels and downloads.
    [[nodiscard]] StreamId add_stream(std::uint32_t gpu, std::string const& purpose);
    [[nodiscard]] MemoryPlace memory_of(std::uint32_t gpu) const;

    /// Rank of a destination in a source's rotated swap: the next GPU comes first, the source
    /// itself last. With several machines, first the own one, then the next one, in step with all
    /// GPUs, so that each network adapter sends and receives one copy at a time.
    [[nodiscard]] std::uint32_t turn(std::uint32_t source, std::uint32_t destination) const;

    TaskGraph graph;

  private:
    [[nodiscard]] Task upload_task(std::uint32_t gpu, StreamId stream, std::uint64_t bytes) const;
    /// Host thread of the GPU's node.
    [[nodiscard]] StreamId thread_of(std::uint32_t gpu) const {
        return node_threads_.at(input_.machines[gpu]);
    }
    TaskId occupy_thread(StreamId thread, double microseconds, std::span<TaskId const> after);

    ScheduleInput const& input_;
    std::uint64_t record_bytes_;
    std::size_t key_bytes_;
    std::vector<StreamId> kernel_streams_;
    std::vector<StreamId> host_streams_;
    std::vector<std::uint32_t> places_;              ///< [g] rank among the GPUs of its machine
    std::uint32_t machine_count_ = 1;                ///< highest machine number + 1
    StreamId thread_;                                ///< host thread of the first GPU's node
    std::map<std::uint32_t, StreamId> node_threads_; ///< host threads by node
    std::vector<TaskId> barrier_;                    ///< at most one
    std::vector<TaskId> since_barrier_;
};

} // namespace keyswap::simulator
