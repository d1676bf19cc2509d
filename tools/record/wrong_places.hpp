#pragma once

/// \file Finds the places where an output differs from the sorted keys, for display.

#include "tools/record/output_verdicts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace keyswap::conformance {

/// An output position with a wrong key.
struct WrongPlace {
    std::uint64_t index = 0;
    std::string found;    ///< empty past the output's end
    std::string expected; ///< empty past the input's end
};

/// Neighbouring output positions, drawn as one column of a plot.
struct PlaceColumn {
    std::uint32_t lowest = 0;  ///< correct place of its lowest key, in thousandths
    std::uint32_t highest = 0; ///< correct place of its highest key, in thousandths
    bool wrong = false;        ///< some key is wrong
};

struct WrongPlaces {
    std::uint64_t count = 0; ///< output positions with a wrong key
    std::vector<WrongPlace> first;
    std::vector<PlaceColumn> columns; ///< empty if all places are right
};

inline constexpr std::size_t wrong_places_shown_max = 8;
inline constexpr std::size_t place_columns_max = 200;

/// Compares the output with the sorted keys. Allocates one more copy of the keys.
/// \param made [n] of the type, aligned to it
/// \param output [m] of the type, aligned to it; a truncated last key is ignored
[[nodiscard]] WrongPlaces wrong_places(SortShape const& shape,
                                       std::span<std::byte const> made,
                                       std::span<std::byte const> output);

} // namespace keyswap::conformance
