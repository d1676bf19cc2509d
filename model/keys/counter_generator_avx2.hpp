#pragma once

#include "model/keys/philox.hpp"

#include <cstdint>

namespace keyswap::model {

/// Whether this machine has the instructions that philox_blocks_avx2 needs.
[[nodiscard]] bool has_avx2();

/// Blocks made by one call of philox_blocks_avx2.
inline constexpr std::uint64_t avx2_blocks = 8;

/// The same words as philox() for blocks first .. first + 7, four blocks a vector, two vectors
/// interleaved to hide the multiplier's latency.
/// \param words [32] in the order of the sequence
/// \pre has_avx2()
void philox_blocks_avx2(std::uint64_t first,
                        std::uint32_t stream,
                        PhiloxKey key,
                        std::uint32_t* words);

} // namespace keyswap::model
