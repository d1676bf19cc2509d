#include "kernels/sorts/local/lone_choice.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace keyswap::kernels {

namespace {

using enum LoneDivision;
using enum LeafMethod;

/// Beside CUB on one H100 and one H200, 2026-11-23: u64 1.07 to 1.57 from 2^20 keys on, dense u32
/// 1.31 and 1.39. Leaves of fewer u32 keys took 1.1 to 2.1 times as long as CUB's other digits.
constexpr std::array measured_rows{LoneRow{4, 0, true, none, none, merge},
                                   LoneRow{4, 4},
                                   LoneRow{4, 8},
                                   LoneRow{8, 0, false, digits, none, merge},
                                   LoneRow{8, 4},
                                   LoneRow{8, 8}};

/// No row of these was measured (2026-11-23); bytes that they move, beside CUB's, are in
/// DECISIONS.md. Splitters need labels of a byte a key, which is an eighth of a chunk of u64.
constexpr std::array candidate_rows{LoneRow{4, 0, true, digits, none, bins},
                                    LoneRow{4, 4, false, digits, none, bins},
                                    LoneRow{4, 8, false, digits, none, bins},
                                    LoneRow{8, 0, false, digits, splitters, bins},
                                    LoneRow{8, 4, false, digits, splitters, bins},
                                    LoneRow{8, 8, false, digits, splitters, bins}};

} // namespace

LoneRow const& lone_row(int key_bytes, int value_bytes, LoneRows rows) {
    auto const& table = rows == LoneRows::measured ? measured_rows : candidate_rows;
    auto const found = std::ranges::find_if(table, [key_bytes, value_bytes](LoneRow const& row) {
        return row.key_bytes == key_bytes && row.value_bytes == value_bytes;
    });
    KEYSWAP_EXPECTS(found != table.end());
    return *found;
}

std::optional<LoneRow> lone_row_of(SortOptions const& options) {
    LoneRow const& row = lone_row(static_cast<int>(key_size_bytes(options.key_type)),
                                  static_cast<int>(value_size_bytes(options.value_type)),
                                  options.lone_rows);
    bool const shows_order = row.value_bytes > 0 && options.stability == Stability::stable;
    bool const is_cub = !row.counting && row.even == none && row.crowded == none;
    return shows_order || is_cub ? std::nullopt : std::optional(row);
}

int bits_to_leaves(std::uint64_t count, std::uint32_t leaf) {
    return static_cast<int>(std::bit_width((count + count / 2) / leaf));
}

int bits_of_level(std::uint64_t count, std::uint32_t leaf) {
    int const bits = bits_to_leaves(count, leaf);
    int const levels = (bits + lone_digit_bits_max - 1) / lone_digit_bits_max;
    return bits / levels;
}

} // namespace keyswap::kernels
