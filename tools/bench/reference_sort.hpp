#pragma once

#include <cstdint>
#include <span>

namespace keyswap::tools {

/// True if this build has libstdc++'s parallel mode (g++ with OpenMP).
[[nodiscard]] bool has_reference_sort();

/// Sorts with libstdc++'s parallel mode, one thread per core: the baseline for replays.
/// \pre has_reference_sort()
void reference_sort(std::span<std::uint32_t> keys);

} // namespace keyswap::tools
