#pragma once

/// \file Sizes of counts by the leading bits of images (steps/leading_counts.hpp). Plain C++; the
/// simulator includes it too.

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Leading bits that one reading of the keys counts for the first two levels: those of dense 32-bit
/// keys, and of 2^29 64-bit keys. \param key_bytes 4 or 8
[[nodiscard]] constexpr int leading_bits(int key_bytes) {
    return key_bytes == 8 ? 18 : 17;
}
[[nodiscard]] constexpr std::size_t leading_values(int key_bytes) {
    return std::size_t{1} << leading_bits(key_bytes);
}
/// Words before the counts: whether a counter overflowed, and a gap, so that rows are aligned to 8
/// bytes.
inline constexpr std::size_t leading_counts_begin = 2;
[[nodiscard]] constexpr std::size_t leading_words(int key_bytes) {
    return leading_counts_begin + leading_values(key_bytes);
}
/// True if a digit lies in the leading bits. \param begin bits below the digit
[[nodiscard]] constexpr bool is_in_leading_bits(int begin, int key_bytes) {
    return begin >= key_bytes * 8 - leading_bits(key_bytes);
}

/// Fewest bytes of a GPU's keys that are counted so. Adding the counters of all multiprocessors
/// takes as long as reading a quarter of them.
inline constexpr std::uint64_t leading_bytes_min = std::uint64_t{1} << 29;
/// Most GPUs that exchange their counts, a megabyte from each to each.
inline constexpr std::size_t leading_gpus_max = 8;
/// True if a GPU's keys are so many that they are counted by their leading bits.
[[nodiscard]] constexpr bool
counts_leading_bits(std::uint64_t key_count, int key_bytes, std::uint64_t bytes_min) {
    return key_count >= (bytes_min + static_cast<std::uint64_t>(key_bytes) - 1) /
                            static_cast<std::uint64_t>(key_bytes);
}
/// Words that each of several GPUs has for the counts of each GPU and their sum; 0 if its keys are
/// never counted so. \param capacity most keys of a GPU
[[nodiscard]] constexpr std::size_t exchanged_leading_words(std::size_t gpus,
                                                            std::uint64_t capacity,
                                                            int key_bytes,
                                                            std::uint64_t bytes_min) {
    return gpus <= leading_gpus_max && counts_leading_bits(capacity, key_bytes, bytes_min)
               ? (gpus + 1) * leading_words(key_bytes)
               : 0;
}
/// Most samples of crowding_samples with equal leading bits. If more keys crowd, threads of a warp
/// wait for each other, and counters may overflow.
inline constexpr std::uint32_t leading_samples_max = 128;

} // namespace keyswap::kernels
