#pragma once

/// \file Times of the kernels of variant `fast`, one at a time. No CUDA header is needed.

#include <cstdint>

namespace keyswap::kernels {

/// Kernels of variant `fast` on uniform keys, in picoseconds per key for large inputs. Steps divide
/// one segment by 8 bits.
struct FastRates {
    double step32_ps = 0;        ///< u32 keys, unstable
    double step64_ps = 0;        ///< u64 keys, unstable
    double step_few_ps = 0;      ///< u32 keys, unstable, by 4 bits
    double step_pairs_ps = 0;    ///< (u32, u32) pairs, unstable
    double stable_step32_ps = 0; ///< u32 keys, stable
    double stable_step64_ps = 0; ///< u64 keys, stable
    double count_ps = 0;         ///< u32 keys by three digits in one read
    double leaf32_ps = 0;        ///< leaves of u32 keys
    double leaf64_ps = 0;        ///< leaves of u64 keys
    double leaf_pairs_ps = 0;    ///< leaves of (u32, u32) pairs
};

/// \param key_count keys to measure with, at least 1 \throws CudaFailure
[[nodiscard]] FastRates measure_fast_kernels(int device, std::uint64_t key_count);

} // namespace keyswap::kernels
