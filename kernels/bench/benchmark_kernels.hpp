#pragma once

/// \file Kernels that generate keys for measurements.

#include "kernels/bench/bench_job.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// Key i of the whole input depends only on seed and i, so any GPU can generate any part.
void launch_bench_keys(cudaStream_t stream,
                       int key_bytes,
                       void* keys,
                       std::uint64_t first,
                       std::uint64_t count,
                       std::uint64_t key_count,
                       BenchKeys pattern,
                       std::uint64_t seed);

} // namespace keyswap::kernels
