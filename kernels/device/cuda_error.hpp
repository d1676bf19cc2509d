#pragma once

/// \file CUDA's failures in the words of the public headers.

#include "kernels/device/cuda_check.hpp"
#include "kernels/sort.hpp"

namespace keyswap::kernels {

/// What a CUDA failure is to the caller, whose input is in the given state.
[[nodiscard]] SortError error_of(CudaFailure const& failure, InputState input);

} // namespace keyswap::kernels
