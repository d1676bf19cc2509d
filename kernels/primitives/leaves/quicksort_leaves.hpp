#pragma once

/// \file Leaves of sample sort as it was published: a block sorts one by quicksort until what is
/// left fits its shared memory, and that by Batcher's merge network. Sources: GPU Sample Sort,
/// section 4; Cederman, Tsigas: GPU-Quicksort, 2009, from which a block's partition is.

#include "kernels/primitives/leaves/leaf_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// Two buffers of which a leaf has the same indices in both.
struct QuicksortArrays {
    void* keys[2] = {};
    void* values[2] = {};
    int from = 0;     ///< the buffer in which images lie
    int to = 1;       ///< the buffer for the result; may be the same
    ImageCode decode; ///< the result becomes raw keys of this code
};

/// Sorts all leaves, a block each, the largest class first. Not stable. Leaves the other buffer's
/// part of each undefined.
/// \param kinds of the table by quicksort_leaf_sizes, on the host
void launch_quicksort_leaves(cudaStream_t stream,
                             ElementShape shape,
                             ChildTable const& table,
                             ChildKinds const& kinds,
                             QuicksortArrays const& arrays);

} // namespace keyswap::kernels
