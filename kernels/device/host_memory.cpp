#include "kernels/device/cuda_check.hpp"
#include "kernels/sort.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::kernels {

HostPin::HostPin(void* data, std::size_t bytes) {
    if (bytes > 0 && cudaHostRegister(data, bytes, cudaHostRegisterPortable) == cudaSuccess) {
        data_ = data;
    } else {
        static_cast<void>(cudaGetLastError()); // clears the error; pageable memory works as well
    }
}

HostPin::HostPin(HostPin&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
HostPin& HostPin::operator=(HostPin&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
}
HostPin::~HostPin() {
    if (data_ != nullptr) {
        static_cast<void>(cudaHostUnregister(data_));
    }
}

SortExpected<HostMemory> HostMemory::allocate(std::size_t bytes) {
    try {
        void* data = nullptr;
        KEYSWAP_CUDA(cudaHostAlloc(&data, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable));
        return HostMemory{data, bytes};
    } catch (CudaFailure const& failure) {
        return tl::unexpected(
            SortError{SortErrorCode::device_failure, failure.what(), InputState::intact});
    }
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}
HostMemory::~HostMemory() {
    if (data_ != nullptr) {
        static_cast<void>(cudaFreeHost(data_));
    }
}

} // namespace keyswap::kernels
