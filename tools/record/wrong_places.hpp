#pragma once

/// \file Where an output differs from the sorted keys, for people to look at.

#include "tools/record/output_verdicts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace keyswap::conformance {

/// A place of the output that has another key than it should.
struct WrongPlace {
    std::uint64_t index = 0;
    std::string found;    ///< empty past the output's end
    std::string expected; ///< empty past the input's end
};

/// A few neighbouring places of the output, drawn as one column.
struct PlaceColumn {
    std::uint32_t lowest = 0;  ///< place at which its lowest key belongs, in thousandths of all
    std::uint32_t highest = 0; ///< ... and its highest key
    bool wrong = false;        ///< whether a key is not the one that belongs there
};

struct WrongPlaces {
    std::uint64_t count = 0; ///< of places with another key than the sorted input's
    std::vector<WrongPlace> first;
    std::vector<PlaceColumn> columns; ///< none if all places are right
};

inline constexpr std::size_t wrong_places_shown_max = 8;
inline constexpr std::size_t place_columns_max = 200;

/// Compares the output with the keys in sorted order. Takes memory for another copy of the keys.
/// \param made [n] of the type, aligned to it
/// \param output [m] of the type, aligned to it; a part of a key at its end is left out
[[nodiscard]] WrongPlaces wrong_places(KeyType key_type,
                                       std::span<std::byte const> made,
                                       std::span<std::byte const> output,
                                       OrderRules const& rules);

} // namespace keyswap::conformance
