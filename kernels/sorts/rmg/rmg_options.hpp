#pragma once

/// \file RMG sort's options as its driver reads them. Plain C++.

#include "kernels/sort.hpp"

namespace keyswap::kernels {

/// How the key swap and the bucket sort are carried out; placement and result are the same.
enum class RmgVariant {
    paper,   ///< as published: one copy a bucket, destinations ascending
    rotated, ///< contiguous copies merged, destinations from the next GPU on
    fast     ///< swap in rounds behind the bucket sort of earlier rounds
};

/// \pre the options choose RMG sort
[[nodiscard]] RmgVariant rmg_variant(SortOptions const& options);

} // namespace keyswap::kernels
