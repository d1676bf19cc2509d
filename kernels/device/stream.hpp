#pragma once

/// \file RAII for streams and events.

#include "kernels/device/delay_injection.hpp"
#include "kernels/device/device_buffer.hpp"

#include <utility>

namespace keyswap::kernels {

/// A stream that does not synchronize with the legacy default stream.
enum class StreamPriority { usual, high };

class Stream {
  public:
    Stream() = default;
    /// \param priority of its kernels in the scheduling of blocks
    explicit Stream(int device, StreamPriority priority = StreamPriority::usual) {
        DeviceScope const scope{device};
        int least = 0;
        int greatest = 0;
        KEYSWAP_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        KEYSWAP_CUDA(cudaStreamCreateWithPriority(
            &stream_, cudaStreamNonBlocking, priority == StreamPriority::high ? greatest : least));
    }
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    Stream& operator=(Stream&& other) noexcept {
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~Stream() {
        if (stream_ != nullptr) {
            static_cast<void>(cudaStreamDestroy(stream_));
        }
    }
    [[nodiscard]] cudaStream_t get() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

enum class EventTiming { off, on };

/// A point in a stream for which streams of any device can wait.
class Event {
  public:
    Event() = default;
    Event(int device, EventTiming timing) {
        DeviceScope const scope{device};
        KEYSWAP_CUDA(cudaEventCreateWithFlags(
            &event_, timing == EventTiming::on ? cudaEventDefault : cudaEventDisableTiming));
    }
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&& other) noexcept {
        std::swap(event_, other.event_);
        return *this;
    }
    ~Event() {
        if (event_ != nullptr) {
            static_cast<void>(cudaEventDestroy(event_));
        }
    }
    void record(cudaStream_t stream) const {
        KEYSWAP_CUDA(cudaEventRecord(event_, stream));
        delay_injection::delay(stream);
    }
    void make_wait(cudaStream_t stream) const {
        KEYSWAP_CUDA(cudaStreamWaitEvent(stream, event_));
        delay_injection::delay(stream);
    }
    [[nodiscard]] cudaEvent_t get() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

/// Waits for all work queued in a stream. \throws CudaFailure
inline void wait_for(cudaStream_t stream) {
    KEYSWAP_CUDA(cudaStreamSynchronize(stream));
    delay_injection::delay(stream);
}

} // namespace keyswap::kernels
