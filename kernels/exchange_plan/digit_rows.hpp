#pragma once

/// \file Which elements variant `fast` divides by digits from the highest on until a block can sort
/// what is left: a table of rows, each of which was measured to be faster than CUB from a number of
/// keys on. Plain C++; the simulator reads it too.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace keyswap::kernels {

/// What sorts keys of one GPU most of which few values of the digits hold.
enum class CrowdedSort {
    cub,       ///< the whole range
    splitters, ///< divide the keys, which are drawn from them
    counting   ///< of what two digits leave, however many keys have a value (stretch_counts.hpp)
};

/// Elements of one shape that are divided by digits.
struct DigitRow {
    std::size_t key_bytes = 4;
    std::size_t value_bytes = 0;
    std::uint64_t least_keys = 0; ///< of a GPU: other ways are as fast with fewer
    CrowdedSort crowded = CrowdedSort::cub;
    /// Of a GPU that sorts alone, if crowded keys are counted: CUB sorts fewer.
    std::uint64_t least_counted_alone = 0;
};

inline constexpr std::uint64_t mega = std::uint64_t{1} << 20;

/// Compared with CUB on H200, 2026-11-23 to -27 (FIGURES.md), of all distributions. Where CUB sorts
/// what crowds, the look at some keys, 15 us, is less than three parts in a hundred from these
/// numbers on. Splitters need labels of a byte a key, which is an eighth of a chunk of u64.
inline constexpr std::array digit_rows{DigitRow{4, 0, 32 * mega, CrowdedSort::counting, 128 * mega},
                                       DigitRow{4, 4, 32 * mega, CrowdedSort::cub},
                                       DigitRow{4, 8, 32 * mega, CrowdedSort::cub},
                                       DigitRow{8, 0, 8 * mega, CrowdedSort::splitters},
                                       DigitRow{8, 4, 8 * mega, CrowdedSort::splitters},
                                       DigitRow{8, 8, 8 * mega, CrowdedSort::splitters}};

/// nullopt if CUB is faster with any number of keys.
[[nodiscard]] constexpr std::optional<DigitRow> find_digit_row(std::size_t key_bytes,
                                                               std::size_t value_bytes) {
    auto const* const found =
        std::ranges::find_if(digit_rows, [key_bytes, value_bytes](DigitRow const& row) {
            return row.key_bytes == key_bytes && row.value_bytes == value_bytes;
        });
    return found != digit_rows.end() ? std::optional(*found) : std::nullopt;
}

} // namespace keyswap::kernels
