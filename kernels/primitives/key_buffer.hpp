#pragma once

/// \file In which of a step's two buffers keys lie that it reads.

#include "traces/records/digest.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// What a step reads lies in its input buffer; but the first step behind a swap finds in its output
/// buffer what was scattered there and has stayed on its GPU, out of reach of what it writes.
enum class KeyBuffer : std::uint32_t { input, output };

/// The buffers of a step, of keys or of values; both on the device.
struct StepBuffers {
    void const* input = nullptr;
    void const* output = nullptr; ///< may be null where nothing that is read lies there

    template <class Word>
    [[nodiscard]] KEYSWAP_HOST_DEVICE Word const* of(KeyBuffer buffer) const {
        return static_cast<Word const*>(buffer == KeyBuffer::input ? input : output);
    }
};

} // namespace keyswap::kernels
