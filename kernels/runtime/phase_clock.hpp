#pragma once

/// \file Times of phases on each GPU, measured by events, and NVTX ranges with the same names.

#include "kernels/device/stream.hpp"
#include "kernels/sort.hpp"

#include <cstddef>
#include <map>
#include <nvtx3/nvtx3.hpp>
#include <vector>

namespace keyswap::kernels {

/// A phase that has begun.
struct OpenPhase {
    std::size_t number = 0;
    cudaStream_t stream = nullptr;
};

/// Collects begin and end events of a run's phases. Does nothing without timing.
class PhaseClock {
  public:
    /// Begins a run; the events of the previous one are used again, as creating them takes time.
    void restart(PhaseTiming timing);
    /// Records the run's start on a GPU; its times are relative to it.
    void start(GpuId gpu, int device, cudaStream_t stream);
    /// Begins a phase of a GPU in a stream; pass the result to end().
    [[nodiscard]] OpenPhase
    begin(GpuId gpu, int device, cudaStream_t stream, keyswap::Phase phase, int pass);
    void end(OpenPhase const& phase);
    /// All phases so far, by GPU, in order of begin(). \pre the streams have finished
    [[nodiscard]] std::vector<PhaseTimeRecord> times() const;

  private:
    struct DeviceEvent {
        int device = 0;
        Event event;
    };
    struct Timed {
        PhaseTimeRecord record;
        DeviceEvent begin;
        DeviceEvent end;
    };
    [[nodiscard]] DeviceEvent take(int device);
    void give_back(DeviceEvent& event);

    PhaseTiming timing_ = PhaseTiming::off;
    std::vector<DeviceEvent> starts_; ///< [g]
    std::vector<Timed> phases_;
    std::map<int, std::vector<Event>> spare_; ///< by device
};

/// An NVTX range on the calling thread for the lifetime of the object.
using NvtxRange = nvtx3::scoped_range;

} // namespace keyswap::kernels
