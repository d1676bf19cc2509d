#pragma once

/// \file Times of single kernels on one GPU, for a device profile. No CUDA header is needed.

#include "kernels/bench/fast_rates.hpp"
#include "kernels/sort.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Kernels on keys of one width, in picoseconds per key for large inputs.
struct KeyWidthRates {
    double histogram_ps = 0;
    double scatter_ps = 0;           ///< by 8 uniform bits
    double scatter_one_digit_ps = 0; ///< by 8 bits that are equal in all keys
    double sort_ps[4] = {};          ///< of the lowest 8, 16, 24 and 32 bits
    double merge_ps = 0;             ///< per key of the output
};

struct KernelRates {
    std::uint64_t memory_bytes = 0; ///< of the device
    KeyWidthRates key32;
    KeyWidthRates key64;
    FastRates fast;
    double histogram_us = 0; ///< of one key, like those below: the minimal time of a kernel
    double scatter_us = 0;
    double sort_us = 0;
    double merge_us = 0;
    double host_copy_us = 0;
    double peer_copy_us = 0;    ///< each of many consecutive small copies
    double host_call_us = 0;    ///< host time of a call of a bucket sort, queued without a wait
    double local_copy_GBps = 0; ///< bytes copied within the GPU's memory
};

/// \param key_count keys of the large measurements
[[nodiscard]] SortExpected<KernelRates> measure_kernels(int device, std::uint64_t key_count);

} // namespace keyswap::kernels
