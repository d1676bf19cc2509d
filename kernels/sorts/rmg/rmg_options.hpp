#pragma once

/// \file RMG sort's options, parsed for its driver. Plain C++.

#include "kernels/sort.hpp"

namespace keyswap::kernels {

/// Variants of the key swap and the bucket sort; placement and result are the same.
enum class RmgVariant {
    paper,   ///< as published: one copy per bucket, destinations ascending
    rotated, ///< contiguous copies merged, next GPU first
    fast     ///< swap in rounds, overlapped with the bucket sort of earlier rounds
};

/// \pre the options choose RMG sort
[[nodiscard]] RmgVariant rmg_variant(SortOptions const& options);

} // namespace keyswap::kernels
