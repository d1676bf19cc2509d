#pragma once

/// \file Delays in the streams of a case's GPUs, which expose missing synchronization.

#include "kernels/device/delay_injection.hpp"
#include "proptests/live/live_case.hpp"

namespace keyswap::proptests {

/// RAII: delays stream operations if the case has a delay seed.
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
