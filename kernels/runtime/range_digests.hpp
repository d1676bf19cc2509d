#pragma once

/// \file Digests for trace records, copied to the host.

#include "kernels/primitives/partition/partition_kernels.hpp"
#include "traces/records/digest.hpp"

#include <cuda_runtime_api.h>

#include <vector>

namespace keyswap::kernels {

/// Digests of ranges of elements on the current device. Waits for the stream.
/// \return [ranges]
[[nodiscard]] std::vector<MultisetDigest> digests_of_ranges(cudaStream_t stream,
                                                            DigestedElements const& elements,
                                                            std::vector<KeyRange> const& ranges);

} // namespace keyswap::kernels
