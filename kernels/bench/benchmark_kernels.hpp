#pragma once

/// \file Kernels that make the keys of measurements.

#include "kernels/bench/bench_job.hpp"

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

} // namespace keyswap::kernels
