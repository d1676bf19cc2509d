#pragma once

/// \file Which policy CUB's radix sort takes: threads of a block and keys of a thread.

#include "kernels/primitives/sort_buffers.hpp"

namespace keyswap::kernels {

enum class RadixPolicy {
    own,  ///< CUB's own, as the published sorts have it
    tuned ///< a faster one on GPUs of compute capability 9, if one is known; else CUB's own
};

/// True if another policy than CUB's own is the fastest known for such elements.
[[nodiscard]] constexpr bool has_tuned_policy(ElementShape shape) {
    return shape.key_bytes == 4 && shape.value_bytes <= 4;
}

} // namespace keyswap::kernels
