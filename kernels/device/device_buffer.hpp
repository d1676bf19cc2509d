#pragma once

/// \file RAII for device memory and pinned host memory.

#include "kernels/device/cuda_check.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace keyswap::kernels {

/// Makes a device current for the lifetime of the object; the destructor restores the previous one.
class DeviceScope {
  public:
    explicit DeviceScope(int device) {
        KEYSWAP_CUDA(cudaGetDevice(&previous_));
        KEYSWAP_CUDA(cudaSetDevice(device));
    }
    DeviceScope(DeviceScope const&) = delete;
    DeviceScope& operator=(DeviceScope const&) = delete;
    ~DeviceScope() { static_cast<void>(cudaSetDevice(previous_)); }

  private:
    int previous_ = 0;
};

/// Bytes in all DeviceBuffers of this process, on all devices; excludes other processes.
inline std::atomic<std::int64_t> device_bytes_held{0};

/// An array of `T` in a device's memory; contents are undefined after construction.
template <class T>
class DeviceBuffer {
  public:
    DeviceBuffer() = default;
    /// \throws CudaFailure, code cudaErrorMemoryAllocation if the memory cannot be allocated
    DeviceBuffer(int device, std::size_t count) : count_(count) {
        if (count == 0) {
            return;
        }
        DeviceScope const scope{device};
        KEYSWAP_CUDA(cudaMalloc(&data_, count * sizeof(T)));
        device_bytes_held += bytes();
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~DeviceBuffer() {
        if (data_ != nullptr && cudaFree(data_) == cudaSuccess) {
            device_bytes_held -= bytes();
        }
    }

    [[nodiscard]] T* data() const { return static_cast<T*>(data_); }
    [[nodiscard]] std::size_t size() const { return count_; }

  private:
    [[nodiscard]] std::int64_t bytes() const {
        return static_cast<std::int64_t>(count_ * sizeof(T));
    }

    void* data_ = nullptr;
    std::size_t count_ = 0;
};

/// An array of `T` in pinned host memory that every device can read and write.
template <class T>
class PinnedBuffer {
  public:
    PinnedBuffer() = default;
    explicit PinnedBuffer(std::size_t count) : count_(count) {
        if (count > 0) {
            KEYSWAP_CUDA(cudaHostAlloc(&data_, count * sizeof(T), cudaHostAllocPortable));
        }
    }
    PinnedBuffer(PinnedBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~PinnedBuffer() { static_cast<void>(cudaFreeHost(data_)); }

    [[nodiscard]] T* data() const { return static_cast<T*>(data_); }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] std::span<T> span() const { return {data(), count_}; }

  private:
    void* data_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace keyswap::kernels
