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
    std::string column; ///< its name, or its number from 1 on where no column is named so
    Direction direction = Direction::ascending;
    NullPlace nulls = NullPlace::last; ///< in either direction, as pandas has it
    friend bool operator==(SortKey const&, SortKey const&) = default;
};

/// The first column decides, the next one among rows that are equal in it, and so on.
using SortKeys = std::vector<SortKey>;

/// Reads "region,amount:desc:nulls-last". A name that holds a comma, a colon or a quotation mark
/// stands between quotation marks, in which two stand for one.
[[nodiscard]] Expected<SortKeys> parse_sort_keys(std::string_view text);

/// The inverse, with everything said: "region:asc:nulls-last,amount:desc:nulls-last".
[[nodiscard]] std::string to_string(SortKeys const& keys);

} // namespace keyswap::model
