#include "kernels/local/digit_choice.hpp"

#include <algorithm>
#include <array>

namespace keyswap::kernels {

namespace {

constexpr std::uint64_t million = std::uint64_t{1} << 20;

/// Beside CUB on one H200, 2026-11-23 (FIGURES.md), of all distributions. Where CUB sorts what
/// crowds, the look at some keys, 15 us, is less than one part in a hundred from these numbers on.
/// Splitters need labels of a byte a key, which is an eighth of a chunk of u64.
constexpr std::array rows{DigitRow{4, 0, 128 * million, CrowdedSort::counting},
                          DigitRow{4, 4, 64 * million, CrowdedSort::cub},
                          DigitRow{4, 8, 64 * million, CrowdedSort::cub},
                          DigitRow{8, 0, 8 * million, CrowdedSort::splitters},
                          DigitRow{8, 4, 8 * million, CrowdedSort::splitters},
                          DigitRow{8, 8, 8 * million, CrowdedSort::splitters}};

} // namespace

std::optional<DigitRow> digit_row_of(SortOptions const& options) {
    auto const key_bytes = static_cast<int>(key_size_bytes(options.key_type));
    auto const value_bytes = static_cast<int>(value_size_bytes(options.value_type));
    auto const found = std::ranges::find_if(rows, [key_bytes, value_bytes](DigitRow const& row) {
        return row.key_bytes == key_bytes && row.value_bytes == value_bytes;
    });
    if (found == rows.end()) {
        return std::nullopt;
    }
    DigitRow row = *found;
    if (options.ties() == Stability::stable && row.crowded == CrowdedSort::splitters) {
        row.crowded = CrowdedSort::cub; // splitters do not keep the order of equal keys
    }
    row.least_keys = options.tuning.digits_min.value_or(row.least_keys);
    return row;
}

} // namespace keyswap::kernels
