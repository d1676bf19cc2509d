#pragma once

/// \file Library sorts as our program launches them: one host thread serves one GPU after another,
/// and each GPU runs its sorts in one stream.

#include "simulator/schedules/schedule_builder.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace keyswap::simulator {

/// Kernels of one sort without launches, and the time of the launches.
struct LibrarySort {
    KernelCost cost;
    double launch_us = 0.0;
    int calls = 0; ///< of the host; 0 = nothing to sort

    [[nodiscard]] SimTime duration() const;
};

/// The sort of `key_count` keys, with their values, on `bits` of their bits.
/// \pre device.fast has a value
[[nodiscard]] LibrarySort library_sort(ScheduleBuilder const& builder,
                                       DeviceProfile const& device,
                                       std::uint64_t key_count,
                                       int bits);

/// Queues sorts on several GPUs, all of one GPU before the next. Each call takes time of the node's
/// host thread: with 65 sorts of 19 calls each, two GPUs wait for it and finish later than their
/// own work would take. It can be ahead of a GPU by as many calls as a stream holds; then it
/// blocks, and later GPUs wait too.
class LibraryQueue {
  public:
    LibraryQueue(ScheduleBuilder& builder, DeviceProfile const& device);

    /// \pre sort.calls > 0 \return the task of the sort
    TaskId sort(std::uint32_t gpu, LibrarySort const& sort, Phase phase, int pass = 0);
    /// Converts images back to keys if the sort uses images.
    void change_back(std::uint32_t gpu, std::uint64_t key_count);

  private:
    struct Queued {
        TaskId task;
        int calls = 0;
    };
    struct Stream {
        std::deque<Queued> queued;
        int calls = 0; ///< sum over queued
    };

    TaskId queue(std::uint32_t gpu, Task const& task, int calls, Phase phase);

    ScheduleBuilder& builder_;
    double launch_us_;            ///< of our kernels
    std::vector<Stream> streams_; ///< [gpu]
};

} // namespace keyswap::simulator
