#include "kernels/runtime/round_streams.hpp"

namespace keyswap::kernels {

void RoundStreams::drain() const {
    for (Stream const* const stream : {&send, &arrive}) {
        if (stream->get() != nullptr) {
            static_cast<void>(cudaStreamSynchronize(stream->get()));
        }
    }
}

RoundStreams make_round_streams(int device, std::size_t gpu_count) {
    RoundStreams streams;
    streams.send = Stream{device, StreamPriority::high};
    streams.arrive = Stream{device, StreamPriority::high};
    streams.copied = Event{device, EventTiming::off};
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
