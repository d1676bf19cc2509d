#pragma once

/// \file The library's sorts as our program queues them: one host thread calls GPU after GPU, and a
/// GPU's sorts follow each other on its one stream.

#include "simulator/schedules/schedule_builder.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace keyswap::simulator {

/// What a call takes of the host's thread, as launches are known to: 65 sorts of 19 calls keep two
/// GPUs waiting for it that would each be done sooner.
inline constexpr double host_call_us = 2.0;

/// A sort's kernels, without their launches, and the time of these.
struct LibrarySort {
    KernelCost cost;
    double launch_us = 0.0;
    int calls = 0; ///< of the host; none sorts nothing

    [[nodiscard]] SimTime duration() const;
};

/// One of `key_count` keys, with their values, by some of their bits.
/// \pre the device has costs of our kernels
[[nodiscard]] LibrarySort library_sort(ScheduleBuilder const& builder,
                                       DeviceProfile const& device,
                                       std::uint64_t key_count,
                                       int bits);

/// Sorts that are queued on several GPUs, on all of one GPU before the next. The host thread of a
/// node takes its time for each call and is ahead of a GPU by as many calls as a stream holds; then
/// it waits, and with it the GPUs that it has not come to.
class LibraryQueue {
  public:
    LibraryQueue(ScheduleBuilder& builder, DeviceProfile const& device);

    /// \pre sort.calls > 0 \return its task
    TaskId sort(std::uint32_t gpu, LibrarySort const& sort, Phase phase, int pass = 0);
    /// Turns images back into keys, if the sort does.
    void change_back(std::uint32_t gpu, std::uint64_t key_count);

  private:
    struct Queued {
        TaskId task;
        int calls = 0;
    };
    struct Stream {
        std::deque<Queued> queued;
        int calls = 0; ///< of all that are queued
    };

    TaskId queue(std::uint32_t gpu, Task const& task, int calls, Phase phase);

    ScheduleBuilder& builder_;
    double launch_us_;            ///< of our kernels
    std::vector<Stream> streams_; ///< [gpu]
};

} // namespace keyswap::simulator
