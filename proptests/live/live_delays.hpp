#pragma once

/// \file Delays of a case in the streams of its GPUs, so that missing waits show.

#include "kernels/device/delay_injection.hpp"
#include "proptests/live/live_case.hpp"

namespace keyswap::proptests {

/// Delays streams while it lives, where the case asks for it.
class StreamDelays {
  public:
    explicit StreamDelays(LiveCase const& live_case) {
        if (live_case.delay_seed) {
            kernels::delay_injection::start(*live_case.delay_seed);
        }
    }
    StreamDelays(StreamDelays const&) = delete;
    StreamDelays& operator=(StreamDelays const&) = delete;
    ~StreamDelays() { kernels::delay_injection::stop(); }
};

} // namespace keyswap::proptests
