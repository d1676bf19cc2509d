#pragma once

/// \file What the kernels of variant `fast` take, each alone. No CUDA header is needed.

#include <cstdint>

namespace keyswap::kernels {

/// Kernels of variant `fast` on uniform keys, in picoseconds a key of many keys. Steps divide one
/// segment by 8 bits.
struct FastRates {
    double step32_ps = 0;        ///< of u32 keys, in any order of equal digits
    double step64_ps = 0;        ///< the same of u64 keys
    double step_few_ps = 0;      ///< the same of u32 keys, by 4 bits
    double step_pairs_ps = 0;    ///< the same of (u32, u32) pairs
    double stable_step32_ps = 0; ///< of u32 keys, in the order of equal digits
    double stable_step64_ps = 0; ///< the same of u64 keys
    double count_ps = 0;         ///< of u32 keys by three digits in one reading
    double leaf32_ps = 0;        ///< of leaves of u32 keys
    double leaf64_ps = 0;        ///< of leaves of u64 keys
    double leaf_pairs_ps = 0;    ///< of leaves of (u32, u32) pairs
};

/// \param key_count of the measurements, at least 1 \throws CudaFailure
[[nodiscard]] FastRates measure_fast_kernels(int device, std::uint64_t key_count);

} // namespace keyswap::kernels
