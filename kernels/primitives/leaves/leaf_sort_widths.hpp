#pragma once

/// \file Leaf sorts and segment trees for the three key widths, each in its own translation
/// unit.

#include "kernels/primitives/leaves/leaf_tables.hpp"

#include <cuda_runtime_api.h>

#include <span>

namespace keyswap::kernels::leaf_sort_detail {

template <class Key>
void sort_leaves(std::span<cudaStream_t const> streams, LeafSort const& sort);

template <class Key>
void build_trees(cudaStream_t stream, SegmentTrees const& trees);

} // namespace keyswap::kernels::leaf_sort_detail
