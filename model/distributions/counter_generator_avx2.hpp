#pragma once

#include "model/distributions/philox.hpp"

#include <cstdint>

namespace keyswap::model {

/// True if the CPU supports the instructions of philox_blocks_avx2.
[[nodiscard]] bool has_avx2();

/// Blocks generated per call of philox_blocks_avx2.
inline constexpr std::uint64_t avx2_blocks = 8;

/// Gives the same words as philox() for blocks first .. first + 7: four blocks per vector, two
/// vectors interleaved to hide the multiplier's latency.
/// \param words [32] in sequence order
/// \pre has_avx2()
void philox_blocks_avx2(std::uint64_t first,
                        std::uint32_t stream,
                        PhiloxKey key,
                        std::uint32_t* words);

} // namespace keyswap::model
