#pragma once

/// \file Conversion of failures to the error type of the public headers.

#include "kernels/device/cuda_check.hpp"
#include "kernels/sort.hpp"

#include <optional>
#include <string>

namespace keyswap::kernels {

/// Converts a CUDA failure; `input` is the state of the caller's keys.
[[nodiscard]] SortError error_of(CudaFailure const& failure, InputState input);

/// Returns the result of `call`; converts a CUDA failure to an error.
/// \param input state of the caller's keys after such a failure
template <class Call>
[[nodiscard]] auto guarded(Call const& call, InputState input = InputState::intact)
    -> decltype(call()) {
    try {
        return call();
    } catch (CudaFailure const& failure) {
        return tl::unexpected(error_of(failure, input));
    }
}

/// Error for a device number that does not exist; nullopt if it does.
[[nodiscard]] std::optional<SortError> missing_device(int device);

/// Error for an invalid option or argument, found before the call had any effect.
/// \param message what is wrong and what to try
[[nodiscard]] SortError refused(std::string message);

} // namespace keyswap::kernels
