#pragma once

/// \file Kernels that make and check the keys of measurements.

#include "kernels/bench/benchmark.hpp"
#include "kernels/device/key_image.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// Key i of the whole input is a function of seed and i, so any GPU can make any part.
void launch_bench_keys(cudaStream_t stream,
                       int key_bytes,
                       void* keys,
                       std::uint64_t first,
                       std::uint64_t count,
                       std::uint64_t key_count,
                       BenchKeys pattern,
                       std::uint64_t seed);

/// Adds the number of neighbours that are out of order to `*violations` (device).
void launch_order_check(cudaStream_t stream,
                        int key_bytes,
                        void const* keys,
                        std::uint64_t count,
                        ImageCode code,
                        std::uint64_t* violations);

} // namespace keyswap::kernels
