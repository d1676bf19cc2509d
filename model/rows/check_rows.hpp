#pragma once

/// \file Checks that the rows of one table are those of another, sorted by given columns; if not,
/// describes the difference and its likely cause.

#include "model/rows/row_findings.hpp"

#include <span>

namespace keyswap::model {

/// Checks that the rows of `after` (its parts concatenated) are those of `before`, sorted by
/// `keys`. A wrong output is a result; an error means that the check is impossible: a column is
/// missing or has another type. The order of columns does not matter. \pre after is not empty
[[nodiscard]] Expected<RowCheck> check_rows(RowTable const& before,
                                            std::span<RowTable const> after,
                                            SortKeys const& keys,
                                            RowCheckOptions const& options);

/// Checks only the order, without an input to compare with. \pre as above
[[nodiscard]] Expected<RowCheck> check_row_order(std::span<RowTable const> after,
                                                 SortKeys const& keys,
                                                 RowCheckOptions const& options);

} // namespace keyswap::model
