#pragma once

/// \file Keys that a kernel writes instead of copying them. Plain C++.

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Keys of one value.
struct KeyFill {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    std::uint64_t image = 0;
};

/// What one kernel fills: its arguments hold at most 4 KiB.
inline constexpr std::size_t fills_per_launch = 128;

} // namespace keyswap::kernels
