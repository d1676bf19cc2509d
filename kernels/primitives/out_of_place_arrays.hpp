#pragma once

/// \file Arrays of a kernel that moves elements out of place, in the memory of the current device.

#include "kernels/primitives/sort_buffers.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Inputs and outputs must not overlap; inputs are not modified.
struct OutOfPlaceArrays {
    void const* keys_in = nullptr;   ///< [count] device
    void* keys_out = nullptr;        ///< [count] device
    void const* values_in = nullptr; ///< [count] device; null without values
    void* values_out = nullptr;      ///< [count] device; null without values
    std::uint64_t count = 0;         ///< at most as many as the launcher allows
    ElementShape shape;
};

} // namespace keyswap::kernels
