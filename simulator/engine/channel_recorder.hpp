#pragma once

#include "simulator/engine/engine.hpp"
#include "simulator/engine/timeline.hpp"
#include "simulator/network/flow.hpp"
#include "simulator/platform/topology.hpp"

#include <vector>

namespace keyswap::simulator {

/// Integrates the rate of every channel over time while an engine runs.
class ChannelRecorder {
  public:
    ChannelRecorder(Topology const& topology, ChannelRecording recording);

    /// Rates changed at flows.now(): closes the span that began at the last call.
    void observe(FlowSet const& flows);

    /// \return the channels' use; means are over the makespan
    [[nodiscard]] std::vector<ChannelUse> finish(SimTime makespan);

  private:
    void close_span(SimTime now);

    ChannelRecording recording_;
    std::vector<ChannelUse> uses_;
    std::vector<double> rates_; ///< since `since_`
    SimTime since_;
};

} // namespace keyswap::simulator
