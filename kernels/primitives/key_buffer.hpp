#pragma once

/// \file Selects which of a step's two buffers holds the keys it reads.

#include "traces/records/digest.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Steps read their input buffer, with one exception: the first step after a swap reads the GPU's
/// own part, if not moved, from the output buffer, where no result overwrites it before.
enum class KeyBuffer : std::uint32_t { input, output };

/// A step's buffers in device memory, for keys or for values.
struct StepBuffers {
    void const* input = nullptr;
    void const* output = nullptr; ///< may be null if nothing is read from it

    template <class Word>
    [[nodiscard]] KEYSWAP_HOST_DEVICE Word const* of(KeyBuffer buffer) const {
        return static_cast<Word const*>(buffer == KeyBuffer::input ? input : output);
    }
};

} // namespace keyswap::kernels
