#pragma once

/// \file Equal keys that a kernel generates. Plain C++.

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// A run of equal keys.
struct KeyFill {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    std::uint64_t image = 0;
};

/// Limit of a launch: kernel arguments have at most 4 KiB.
inline constexpr std::size_t fills_per_launch = 128;

} // namespace keyswap::kernels
