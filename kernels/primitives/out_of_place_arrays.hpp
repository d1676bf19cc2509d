#pragma once

/// \file Arrays of a kernel that moves elements, in the memory of the current device.

#include "kernels/primitives/key_buffer.hpp"
#include "kernels/primitives/sort_buffers.hpp"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Source and destination of keys and values; values are null without values.
struct MovedArrays {
    void const* keys_in = nullptr;
    void* keys_out = nullptr;
    void const* values_in = nullptr;
    void* values_out = nullptr;

    [[nodiscard]] KEYSWAP_HOST_DEVICE StepBuffers keys_read() const { return {keys_in, keys_out}; }
    [[nodiscard]] KEYSWAP_HOST_DEVICE StepBuffers values_read() const {
        return {values_in, values_out};
    }
};

/// \param from, to indices of buffers, which may be equal
[[nodiscard]] inline MovedArrays
arrays_between(SortBuffers const& buffers, std::size_t from, std::size_t to) {
    return {buffers.keys[from], buffers.keys[to], buffers.values[from], buffers.values[to]};
}

/// Arrays of `count` elements. Inputs and outputs must not overlap; inputs are not modified.
struct OutOfPlaceArrays : MovedArrays {
    std::uint64_t count = 0; ///< at most as many as the launcher allows
    ElementShape shape;
};

} // namespace keyswap::kernels
