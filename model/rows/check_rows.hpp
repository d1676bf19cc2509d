#pragma once

/// \file Are the rows of one table those of another, sorted by some columns? If not, what is wrong,
/// in rows and columns, and why?

#include "model/rows/row_findings.hpp"

#include <span>

namespace keyswap::model {

/// Checks that the rows of `after`, its parts one after the other, are those of `before`, sorted by
/// `keys`. A wrong output is a result; an error is what cannot be checked: a column that is
/// missing, or of another type. Columns may stand in any order. \pre after is not empty
[[nodiscard]] Expected<RowCheck> check_rows(RowTable const& before,
                                            std::span<RowTable const> after,
                                            SortKeys const& keys,
                                            RowCheckOptions const& options);

/// Checks the order alone. \pre as above
[[nodiscard]] Expected<RowCheck> check_row_order(std::span<RowTable const> after,
                                                 SortKeys const& keys,
                                                 RowCheckOptions const& options);

} // namespace keyswap::model
