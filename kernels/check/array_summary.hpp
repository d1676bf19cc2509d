#pragma once

/// \file The kernel that reads an array once, for its digest and adjacent keys out of order.

#include "kernels/check/sequence_summary.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// Result of a launch.
struct ArraySums {
    std::uint64_t words = 0;
    std::uint64_t products = 0;
    std::uint64_t violations = 0;
    std::uint64_t first_violation = ~std::uint64_t{0};
    KeyImage first; ///< the first key's compared image
    KeyImage last;
};

/// Reads a part on the current device, which has memory for the sums of only one: call
/// take_array_sums() before the next launch there. \pre the part has keys
void launch_array_summary(cudaStream_t stream,
                          SortShape const& shape,
                          SequencePart const& part,
                          SummaryOptions const& options);
/// Waits for the stream of the launch and returns its sums.
[[nodiscard]] ArraySums take_array_sums(cudaStream_t stream);

} // namespace keyswap::kernels
