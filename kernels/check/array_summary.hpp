#pragma once

/// \file The kernel that reads an array once: its digest, and which neighbours are out of order.

#include "kernels/check/array_digest.hpp"
#include "kernels/device/key_image.hpp"
#include "kernels/primitives/key_shape.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// One launch.
struct SummarizedArray {
    void const* keys = nullptr;   ///< raw keys of the code, [count]
    void const* values = nullptr; ///< [count]; ignored without values
    std::uint64_t count = 0;
    ImageCode code{};
    std::uint64_t seed = 0;
};

/// What a launch adds to: zeros, and no violation yet.
struct ArraySums {
    std::uint64_t words = 0;
    std::uint64_t products = 0;
    std::uint64_t violations = 0;
    std::uint64_t first_violation = ~std::uint64_t{0};
};

/// \param key_bytes 4, 8 or 16 \param value_bytes 0, 4 or 8 \param sums [1] device, added to
void launch_array_summary(cudaStream_t stream,
                          int key_bytes,
                          int value_bytes,
                          SummarizedArray const& array,
                          ArraySums* sums);

} // namespace keyswap::kernels
