#pragma once

#include "traces/key_type.hpp"
#include "traces/records.hpp"

#include <cstdint>

namespace keyswap::model {

/// What is sorted, on how many GPUs and by which parameters of RMG sort (paper, sections 3 and 4).
struct SortConfig {
    std::uint64_t key_count = 0; ///< n, at most 2^63
    std::uint32_t gpu_count = 1; ///< g, 1 to 1,024
    KeyType key_type = KeyType::u32;
    Direction direction = Direction::ascending;
    ValueType value_type = ValueType::none;
    Stability stability = Stability::unstable;
    ZeroOrder zero_order = ZeroOrder::total;
    int digit_bits = 8;                 ///< c, 1 to 16 (paper, section 4.2: 8)
    std::uint32_t tolerance_ppm = 5000; ///< paper, section 3.2: 0.5 % of a chunk
    std::uint32_t fuse_ppm = 10000;     ///< paper, section 3.3: 1 % of a chunk

    friend bool operator==(SortConfig const&, SortConfig const&) = default;
};

inline constexpr std::uint64_t key_count_max = std::uint64_t{1} << 63;
inline constexpr std::uint32_t gpu_count_max = 1024;
inline constexpr int digit_bits_max = 16;

/// Says what in a configuration cannot be planned, or returns it unchanged.
[[nodiscard]] Expected<SortConfig> validated(SortConfig const& config);

} // namespace keyswap::model
