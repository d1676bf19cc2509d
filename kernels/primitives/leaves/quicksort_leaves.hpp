#pragma once

/// \file Leaves of sample sort as published: a block sorts a leaf by quicksort until the rest fits
/// its shared memory, then by Batcher's merge network. Sources: GPU Sample Sort, section 4;
/// Cederman, Tsigas: GPU-Quicksort, 2009, for the partitioning by a block.

#include "kernels/primitives/leaves/leaf_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// Two buffers; a leaf has the same indices in both.
struct QuicksortArrays {
    void* keys[2] = {};
    void* values[2] = {};
    int from = 0;     ///< buffer of the images
    int to = 1;       ///< buffer of the result; may equal `from`
    ImageCode decode; ///< code of the raw keys to write
};

/// Sorts each leaf by one block, largest class first. Not stable. The leaf's range in the other
/// buffer becomes undefined.
/// \param kinds on the host, classified by quicksort_leaf_sizes
void launch_quicksort_leaves(cudaStream_t stream,
                             ElementShape shape,
                             ChildTable const& table,
                             ChildKinds const& kinds,
                             QuicksortArrays const& arrays);

} // namespace keyswap::kernels
