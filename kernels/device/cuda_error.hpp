#pragma once

/// \file Conversion of failures to the error type of the public headers.

#include "kernels/device/cuda_check.hpp"
#include "kernels/sort.hpp"

#include <string>

namespace keyswap::kernels {

/// Converts a CUDA failure; `input` is the state of the caller's keys.
[[nodiscard]] SortError error_of(CudaFailure const& failure, InputState input);

/// Error for an invalid option or argument, found before any work.
/// \param message problem and remedy
[[nodiscard]] SortError refused(std::string message);

} // namespace keyswap::kernels
