#pragma once

#include <cstddef>

namespace keyswap::kernels {

/// Keys per run that is sorted in registers.
inline constexpr std::size_t column_keys = 16;

} // namespace keyswap::kernels
