#pragma once

/// \file Conversion of failures to the error type of the public headers.

#include "kernels/device/cuda_check.hpp"
#include "kernels/sort.hpp"

#include <optional>
#include <string>

namespace keyswap::kernels {

/// Converts a CUDA failure; `input` is the state of the caller's keys.
[[nodiscard]] SortError error_of(CudaFailure const& failure, InputState input);

/// What a call returns, or its CUDA failure as an error.
/// \param input what such a failure leaves of the caller's input
template <class Call>
[[nodiscard]] auto guarded(Call const& call, InputState input = InputState::intact)
    -> decltype(call()) {
    try {
        return call();
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, input));
    }
}

/// Says that no device has that number; nullopt if one has.
[[nodiscard]] std::optional<SortError> missing_device(int device);

/// An option or an argument that cannot be, before anything was done.
/// \param message what is wrong and what to try
[[nodiscard]] SortError refused(std::string message);

} // namespace keyswap::kernels
