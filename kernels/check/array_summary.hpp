#pragma once

/// \file The kernel that reads an array once: its digest, and which neighbours are out of order.

#include "kernels/check/sequence_summary.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// One launch.
struct SummarizedArray {
    void const* keys = nullptr;   ///< raw keys of the shape, [count]
    void const* values = nullptr; ///< [count]; ignored without values
    std::uint64_t count = 0;
    SortShape shape;
    SummaryOptions options;
};

/// What a launch finds.
struct ArraySums {
    std::uint64_t words = 0;
    std::uint64_t products = 0;
    std::uint64_t violations = 0;
    std::uint64_t first_violation = ~std::uint64_t{0};
    KeyImage first; ///< what compares for the first key, and the last
    KeyImage last;
};

/// Reads an array on the current device, which has memory for the sums of one: the next launch
/// there needs take_array_sums() first. \pre the array has keys
void launch_array_summary(cudaStream_t stream, SummarizedArray const& array);
/// Waits for the stream of the launch.
[[nodiscard]] ArraySums take_array_sums(cudaStream_t stream);

} // namespace keyswap::kernels
