#include "kernels/runtime/round_streams.hpp"

namespace keyswap::kernels {

void RoundStreams::drain() const {
    if (send.get() != nullptr) {
        static_cast<void>(cudaStreamSynchronize(send.get()));
    }
}

RoundStreams make_round_streams(int device, std::size_t gpu_count) {
    RoundStreams streams;
    streams.send = Stream{device, StreamPriority::high};
    for (std::size_t round = 0; round < rounds_max; ++round) {
        streams.sent.emplace_back(device, EventTiming::off);
    }
    for (std::size_t gpu = 0; gpu < gpu_count; ++gpu) {
        streams.sent_to.emplace_back(device, EventTiming::off);
    }
    streams.sorted = Event{device, EventTiming::off};
    return streams;
}

} // namespace keyswap::kernels
