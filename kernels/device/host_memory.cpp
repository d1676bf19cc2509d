#include "kernels/device/cuda_check.hpp"
#include "kernels/sort.hpp"

#include <algorithm>

namespace keyswap::kernels {

HostPin::HostPin(void* data, std::size_t bytes)
    : data_(nullptr, [](void* pinned) { static_cast<void>(cudaHostUnregister(pinned)); }) {
    if (bytes > 0 && cudaHostRegister(data, bytes, cudaHostRegisterPortable) == cudaSuccess) {
        data_.reset(data);
    } else {
        static_cast<void>(cudaGetLastError()); // clears the error; pageable memory works as well
    }
}

HostMemory::HostMemory(void* data, std::size_t bytes)
    : data_(data, [](void* pinned) { static_cast<void>(cudaFreeHost(pinned)); }), bytes_(bytes) {}

SortExpected<HostMemory> HostMemory::allocate(std::size_t bytes) {
    try {
        void* data = nullptr;
        KEYSWAP_CUDA(cudaHostAlloc(&data, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable));
        return HostMemory{data, bytes};
    } catch (CudaFailure const& failure) {
        return tl::unexpected(SortError{SortErrorCode::device_failure, failure.what()});
    }
}

} // namespace keyswap::kernels
