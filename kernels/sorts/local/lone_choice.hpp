#pragma once

/// \file How variant `fast` sorts on one GPU, by what its elements are: a table of rows that were
/// measured, and one of candidates that were not, which are taken only where they are asked for.
/// Plain C++.

#include "kernels/primitives/leaf_sizes.hpp"
#include "kernels/sort.hpp"

#include <cstdint>
#include <optional>

namespace keyswap::kernels {

/// What divides a GPU's keys until a block can sort what is left.
enum class LoneDivision {
    none,     ///< CUB sorts the whole range
    digits,   ///< from the highest bits on
    splitters ///< drawn from the keys
};

/// What is done with elements of one shape.
struct LoneRow {
    int key_bytes = 4;
    int value_bytes = 0;
    /// Dense keys are divided by digits and sorted by counting.
    bool counting = false;
    /// Keys that the digits divide about evenly.
    LoneDivision even = LoneDivision::none;
    /// Keys most of which few values of the digits hold.
    LoneDivision crowded = LoneDivision::none;
    LeafMethod leaves = LeafMethod::merge;

    [[nodiscard]] constexpr bool divides_by(LoneDivision division) const {
        return even == division || crowded == division;
    }
};

/// \pre keys of 4 or 8 bytes, values of 0, 4 or 8
[[nodiscard]] LoneRow const& lone_row(int key_bytes, int value_bytes, LoneRows rows);

/// The row by which one GPU may sort; nothing where the order of equal keys is asked for, which
/// only CUB keeps, and where the row leaves all to CUB.
[[nodiscard]] std::optional<LoneRow> lone_row_of(SortOptions const& options);

/// Bits of the widest digit of a level.
inline constexpr int lone_digit_bits_max = 9;
/// Bits that divide so many keys, if they are spread evenly, into leaves of a third to two thirds
/// of the largest size. \pre count > leaf
[[nodiscard]] int bits_to_leaves(std::uint64_t count, std::uint32_t leaf);
/// Of them, those of the first of as few levels as can be.
[[nodiscard]] int bits_of_level(std::uint64_t count, std::uint32_t leaf);

} // namespace keyswap::kernels
