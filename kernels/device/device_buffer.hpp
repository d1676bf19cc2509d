#pragma once

/// \file RAII for device memory and pinned host memory.

#include "kernels/device/cuda_check.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace keyswap::kernels {

/// \throws CudaFailure
[[nodiscard]] inline int current_device() {
    int device = 0;
    KEYSWAP_CUDA(cudaGetDevice(&device));
    return device;
}

/// Makes a device current for the lifetime of the object; the destructor restores the previous one.
class DeviceScope {
  public:
    explicit DeviceScope(int device) : previous_(current_device()) {
        KEYSWAP_CUDA(cudaSetDevice(device));
    }
    DeviceScope(DeviceScope const&) = delete;
    DeviceScope& operator=(DeviceScope const&) = delete;
    ~DeviceScope() { static_cast<void>(cudaSetDevice(previous_)); }

  private:
    int previous_;
};

/// Bytes in all DeviceBuffers of this process, on all devices; excludes other processes.
inline std::atomic<std::int64_t> device_bytes_held{0};

/// An array of `T` in a device's memory; contents are undefined after construction.
template <class T>
class DeviceBuffer {
  public:
    DeviceBuffer() = default;
    /// \throws CudaFailure, code cudaErrorMemoryAllocation if the memory cannot be allocated
    DeviceBuffer(int device, std::size_t count) {
        if (count == 0) {
            return;
        }
        DeviceScope const scope{device};
        void* data = nullptr;
        KEYSWAP_CUDA(cudaMalloc(&data, count * sizeof(T)));
        data_ = {data, Free{count}};
        device_bytes_held += data_.get_deleter().bytes();
    }

    [[nodiscard]] T* data() const { return static_cast<T*>(data_.get()); }
    [[nodiscard]] std::size_t size() const {
        return data_ == nullptr ? 0 : data_.get_deleter().count;
    }

  private:
    struct Free {
        std::size_t count = 0;
        [[nodiscard]] std::int64_t bytes() const {
            return static_cast<std::int64_t>(count * sizeof(T));
        }
        void operator()(void* data) const noexcept {
            if (cudaFree(data) == cudaSuccess) {
                device_bytes_held -= bytes();
            }
        }
    };
    std::unique_ptr<void, Free> data_;
};

/// An array of `T` in pinned host memory that every device can read and write.
template <class T>
class PinnedBuffer {
  public:
    PinnedBuffer() = default;
    explicit PinnedBuffer(std::size_t count) : count_(count) {
        if (count > 0) {
            void* data = nullptr;
            KEYSWAP_CUDA(cudaHostAlloc(&data, count * sizeof(T), cudaHostAllocPortable));
            data_.reset(data);
        }
    }

    [[nodiscard]] T* data() const { return static_cast<T*>(data_.get()); }
    [[nodiscard]] std::size_t size() const { return data_ == nullptr ? 0 : count_; }
    [[nodiscard]] std::span<T> span() const { return {data(), size()}; }

  private:
    std::unique_ptr<void, Release<cudaFreeHost>> data_;
    std::size_t count_ = 0;
};

} // namespace keyswap::kernels
