#pragma once

#include "traces/records/key_type.hpp"
#include "traces/records/records.hpp"

#include <cstdint>

namespace keyswap::model {

/// Types and order of the keys, their number, the number of GPUs, and parameters.
struct SortConfig : SortShape, SortParameters {
    std::uint64_t key_count = 0; ///< n, at most 2^63
    std::uint32_t gpu_count = 1; ///< g, 1 to 1,024

    friend bool operator==(SortConfig const&, SortConfig const&) = default;
};

inline constexpr std::uint32_t gpu_count_max = 1024;
inline constexpr int digit_bits_max = 16;

/// Returns the configuration unchanged, or an error if it cannot be planned.
[[nodiscard]] Expected<SortConfig> validated(SortConfig const& config);

} // namespace keyswap::model
