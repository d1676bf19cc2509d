#pragma once

/// \file The steps that schedules share: chunks in, barriers, kernels, ranges out.

#include "simulator/cost_model.hpp"
#include "simulator/schedule.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Builds the graph of a schedule. Every GPU has a stream for kernels and swaps, and one for copies
/// back; the host has one thread. GPUs are meant by their place in the sort's order.
class ScheduleBuilder {
  public:
    explicit ScheduleBuilder(ScheduleInput const& input);

    /// Bytes of a key and its value.
    [[nodiscard]] std::uint64_t record_bytes() const { return record_bytes_; }
    [[nodiscard]] std::size_t key_bytes() const { return key_bytes_; }
    [[nodiscard]] std::uint32_t gpu_count() const;

    /// Copies `key_count` keys from the host's memory to a GPU after the last barrier.
    void upload(std::uint32_t gpu, std::uint64_t key_count);
    /// Runs a kernel on the GPU's stream after the last barrier.
    TaskId kernel(std::uint32_t gpu, KernelCost cost, std::string_view phase_name, int pass = 0);
    /// Host work after the last barrier, beside what the GPUs do.
    void host_work(double microseconds, std::string_view phase_name, int pass = 0);
    /// Queues a copy between or within GPUs on the source's stream after the last barrier.
    void peer_copy(std::uint32_t source, std::uint32_t destination, std::uint64_t key_count);
    /// Copies keys back on the GPU's second stream, after `after` or the last barrier.
    void download(std::uint32_t gpu,
                  std::uint64_t key_count,
                  std::span<TaskId const> after,
                  CopyExtent extent = CopyExtent::whole);
    /// All tasks since the last barrier end before any later one begins.
    void barrier();

    TaskId add(Task task, std::string_view phase_name);

    TaskGraph graph;

  private:
    [[nodiscard]] MemoryPlace memory_of(std::uint32_t gpu) const;
    [[nodiscard]] std::span<TaskId const> barrier_span() const;

    ScheduleInput const& input_;
    std::uint64_t record_bytes_;
    std::size_t key_bytes_;
    std::vector<StreamId> kernel_streams_;
    std::vector<StreamId> host_streams_;
    StreamId thread_;
    std::vector<TaskId> barrier_; ///< at most one
    std::vector<TaskId> since_barrier_;
};

} // namespace keyswap::simulator
