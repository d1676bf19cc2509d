#pragma once

/// \file Search for a key's child in its segment's tree, including the effect of faults.

#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/steps/search_tree.hpp"

namespace keyswap::kernels {

/// The child of an image. \param tree [2^levels] shared
template <int levels = tree_levels, class Key>
__device__ std::uint32_t label_in_tree(Key const* tree, Key image) {
    if (kernel_has_fault(DeviceFault::tie_right) && image != 0) {
        return child_in_tree<levels>(tree, static_cast<Key>(image - 1));
    }
    std::uint32_t const child = child_in_tree<levels>(tree, image);
    return kernel_has_fault(DeviceFault::tree_level_skipped) ? child & ~1U : child;
}

} // namespace keyswap::kernels
