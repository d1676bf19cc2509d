#pragma once

/// \file has_fault() for kernels. Each translation unit of kernels has its own copy of the active
/// fault, which the host uploads before the first launch.

#include "kernels/device/cuda_check.hpp"
#include "kernels/faults/device_faults.hpp"

namespace keyswap::kernels {

#if defined(KEYSWAP_DEVICE_FAULTS)

namespace {

__constant__ DeviceFault planted_in_kernels;

__device__ inline bool kernel_has_fault(DeviceFault fault) {
    return planted_in_kernels == fault;
}

/// Uploads the active fault to the current device, once per translation unit.
inline void upload_active_fault() {
    constexpr int device_count_max = 64;
    static bool uploaded[device_count_max] = {};
    int device = 0;
    KEYSWAP_CUDA(cudaGetDevice(&device));
    if (device >= device_count_max || uploaded[device]) {
        return;
    }
    for (NamedFault const& entry : named_faults()) {
        if (has_fault(entry.fault)) {
            KEYSWAP_CUDA(cudaMemcpyToSymbol(planted_in_kernels, &entry.fault, sizeof(entry.fault)));
        }
    }
    uploaded[device] = true;
}

/// Bounds check: elements misplaced by a fault are never written outside the output.
__device__ inline bool is_place(std::uint64_t place, std::uint64_t count) {
    return place < count;
}

} // namespace

#else

__device__ constexpr bool kernel_has_fault(DeviceFault /*fault*/) {
    return false;
}

__device__ constexpr bool is_place(std::uint64_t /*place*/, std::uint64_t /*count*/) {
    return true;
}

inline void upload_active_fault() {}

#endif

/// Applies faults of zeros and NaNs to a float's bits.
template <class Word>
__device__ Word float_with_fault(Word raw) {
    constexpr Word sign = Word{1} << (sizeof(Word) * 8 - 1);
    constexpr Word infinity =
        sizeof(Word) == 4 ? Word{0x7f800000U} : static_cast<Word>(0x7ff0000000000000ULL);
    bool const is_minus_zero = raw == sign;
    bool const is_nan = (raw & ~sign) > infinity;
    bool const loses_sign = (kernel_has_fault(DeviceFault::minus_zero) && is_minus_zero) ||
                            (kernel_has_fault(DeviceFault::nan_sign) && is_nan);
    return loses_sign ? raw & ~sign : raw;
}

} // namespace keyswap::kernels
