#pragma once

#include "simulator/engine/timeline.hpp"
#include "simulator/network/flow.hpp"
#include "simulator/platform/topology.hpp"

#include <vector>

namespace keyswap::simulator {

/// Integrates the rate of every channel over time while an engine runs.
class ChannelRecorder {
  public:
    ChannelRecorder(Topology const& topology, ChannelRecording recording);

    /// Rates changed at flows.now(): closes the spans of the channels whose flows did.
    void observe(FlowSet& flows);

    /// \return the channels' use; means are over the makespan
    [[nodiscard]] std::vector<ChannelUse> finish(SimTime makespan);

  private:
    void close_span(std::uint32_t channel, SimTime now);

    /// A rate that goes on until it is known to change: a channel that nothing touches costs
    /// nothing, however many there are.
    struct Span {
        double rate_Bps = 0.0;
        SimTime since;
    };

    ChannelRecording recording_;
    std::vector<ChannelUse> uses_;
    std::vector<Span> spans_; ///< by channel
};

} // namespace keyswap::simulator
