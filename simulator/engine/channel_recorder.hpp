#pragma once

#include "simulator/engine/timeline.hpp"
#include "simulator/network/flow.hpp"
#include "simulator/platform/topology.hpp"

#include <vector>

namespace keyswap::simulator {

/// Integrates each channel's rate over time while an engine runs.
class ChannelRecorder {
  public:
    ChannelRecorder(Topology const& topology, ChannelRecording recording);

    /// Call after rates change, at flows.now(): ends the spans of channels whose rate changed.
    void observe(FlowSet& flows);

    /// \return the use of each channel; means are over the makespan
    [[nodiscard]] std::vector<ChannelUse> finish(SimTime makespan);

  private:
    void close_span(std::uint32_t channel, SimTime now);

    /// A constant rate since a point in time. Closed only when the rate changes, so idle channels
    /// cost nothing.
    struct Span {
        double rate_Bps = 0.0;
        SimTime since;
    };

    ChannelRecording recording_;
    std::vector<ChannelUse> uses_;
    std::vector<Span> spans_; ///< by channel
};

} // namespace keyswap::simulator
