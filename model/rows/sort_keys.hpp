#pragma once

/// \file The columns by which rows are sorted.

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

enum class NullPlace { first, last };

/// "nulls-first" or "nulls-last".
[[nodiscard]] std::string_view to_string(NullPlace place);

struct SortKey {
    std::string column; ///< name, or number (from 1) if no column has this name
    Direction direction = Direction::ascending;
    NullPlace nulls = NullPlace::last; ///< independent of the direction, as in pandas
    friend bool operator==(SortKey const&, SortKey const&) = default;
};

/// Lexicographic: each column decides among rows that are equal in all previous ones.
using SortKeys = std::vector<SortKey>;

/// Parses "region,amount:desc:nulls-last". A name with a comma, colon or quotation mark must be
/// quoted; a quotation mark inside is doubled.
[[nodiscard]] Expected<SortKeys> parse_sort_keys(std::string_view text);

/// The inverse, with every default spelled out: "region:asc:nulls-last,amount:desc:nulls-last".
[[nodiscard]] std::string to_string(SortKeys const& keys);

} // namespace keyswap::model
