#pragma once

/// \file What the kernels of variant `fast` take, each alone.

#include "kernels/bench/kernel_rates.hpp"

namespace keyswap::kernels {

/// \param key_count of the measurements, at least 1 \throws CudaFailure
[[nodiscard]] FastRates measure_fast_kernels(int device, std::uint64_t key_count);

} // namespace keyswap::kernels
