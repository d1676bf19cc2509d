#pragma once

/// \file RAII for streams and events.

#include "kernels/device/delay_injection.hpp"
#include "kernels/device/device_buffer.hpp"

#include <memory>

namespace keyswap::kernels {

enum class StreamPriority { usual, high };

/// A stream that does not synchronize with the legacy default stream.
class Stream {
  public:
    Stream() = default;
    /// \param priority of its kernels in the scheduling of blocks
    explicit Stream(int device, StreamPriority priority = StreamPriority::usual) {
        DeviceScope const scope{device};
        int least = 0;
        int greatest = 0;
        KEYSWAP_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        cudaStream_t stream = nullptr;
        KEYSWAP_CUDA(cudaStreamCreateWithPriority(
            &stream, cudaStreamNonBlocking, priority == StreamPriority::high ? greatest : least));
        stream_.reset(stream);
    }
    [[nodiscard]] cudaStream_t get() const { return stream_.get(); }

  private:
    std::unique_ptr<CUstream_st, Release<cudaStreamDestroy>> stream_;
};

enum class EventTiming { off, on };

/// A point in a stream for which streams of any device can wait.
class Event {
  public:
    Event() = default;
    Event(int device, EventTiming timing) {
        DeviceScope const scope{device};
        cudaEvent_t event = nullptr;
        KEYSWAP_CUDA(cudaEventCreateWithFlags(
            &event, timing == EventTiming::on ? cudaEventDefault : cudaEventDisableTiming));
        event_.reset(event);
    }
    void record(cudaStream_t stream) const {
        KEYSWAP_CUDA(cudaEventRecord(get(), stream));
        delay_injection::delay(stream);
    }
    void make_wait(cudaStream_t stream) const {
        KEYSWAP_CUDA(cudaStreamWaitEvent(stream, get()));
        delay_injection::delay(stream);
    }
    /// Time between two recorded events. \pre both have timing and have taken place
    [[nodiscard]] double milliseconds_since(Event const& begin) const {
        float milliseconds = 0;
        KEYSWAP_CUDA(cudaEventElapsedTime(&milliseconds, begin.get(), get()));
        return static_cast<double>(milliseconds);
    }
    [[nodiscard]] cudaEvent_t get() const { return event_.get(); }

  private:
    std::unique_ptr<CUevent_st, Release<cudaEventDestroy>> event_;
};

/// Queues a copy between any two kinds of memory; pageable memory has been read on return.
/// \throws CudaFailure
inline void copy_bytes(cudaStream_t stream, void* to, void const* from, std::size_t bytes) {
    if (bytes != 0) {
        KEYSWAP_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    }
}

/// The same for an array. \param to, from [count]
template <class T>
void copy_array(cudaStream_t stream, T* to, T const* from, std::size_t count) {
    copy_bytes(stream, to, from, count * sizeof(T));
}

/// Queues a write of zeros. \param array [count] device \throws CudaFailure
template <class T>
void clear_array(cudaStream_t stream, T* array, std::size_t count) {
    KEYSWAP_CUDA(cudaMemsetAsync(array, 0, count * sizeof(T), stream));
}

/// Waits for all work queued in a stream. \throws CudaFailure
inline void wait_for(cudaStream_t stream) {
    KEYSWAP_CUDA(cudaStreamSynchronize(stream));
    delay_injection::delay(stream);
}

} // namespace keyswap::kernels
