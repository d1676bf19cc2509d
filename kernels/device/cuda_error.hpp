#pragma once

/// \file Failures in the words of the public headers.

#include "kernels/device/cuda_check.hpp"
#include "kernels/sort.hpp"

#include <string>

namespace keyswap::kernels {

/// What a CUDA failure is to the caller, whose input is in the given state.
[[nodiscard]] SortError error_of(CudaFailure const& failure, InputState input);

/// An option or an argument that cannot be, before anything was done.
/// \param message what is wrong and what to try
[[nodiscard]] SortError refused(std::string message);

} // namespace keyswap::kernels
