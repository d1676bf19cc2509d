#pragma once

/// \file The shape of a kernel's blocks. Plain C++.

#include <cstdint>

namespace keyswap::kernels {

struct BlockShape {
    int threads = 0;
    int items = 0; ///< keys or records per thread

    /// Keys or records per block.
    [[nodiscard]] constexpr std::uint32_t size() const {
        return static_cast<std::uint32_t>(threads * items);
    }
};

} // namespace keyswap::kernels
