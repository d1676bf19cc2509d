#pragma once

#include <cstdint>
#include <span>

namespace keyswap::tools {

/// Whether this build has libstdc++'s parallel mode (g++ with OpenMP).
[[nodiscard]] bool has_reference_sort();

/// Sorts with libstdc++'s parallel mode on as many threads as it finds cores: what a replay is
/// measured against. \pre has_reference_sort()
void reference_sort(std::span<std::uint32_t> keys);

} // namespace keyswap::tools
