#pragma once

/// \file What may have made rows wrong: known mistakes, each held against all rows. A guess says
/// what the output looks like, not what the program did.

#include "model/rows/row_scan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model {

/// A wrong output and what is known of it.
struct WrongRows {
    RowTable const* before = nullptr; ///< nullptr if there is none
    RowTable const& after;
    std::vector<std::uint64_t>
        part_begins;      ///< of the output, but the first; none if it has no rows
    SortKeys const& keys; ///< with the names of the columns
    std::vector<ColumnOrder> const& orders;
    Descents descents;
    RowCheckOptions const& options;
    std::uint64_t seed = 0;
};

/// "1 row", "1,000 rows"
[[nodiscard]] std::string rows_text(std::uint64_t count);

/// Why rows are lost or gained. \pre some are
[[nodiscard]] std::optional<RowCauseGuess> guess_content_cause(WrongRows const& rows,
                                                               RowDifferences const& differences);

/// Why rows are out of order. \pre they are, and none is lost or gained where there is an input
[[nodiscard]] std::optional<RowCauseGuess> guess_order_cause(WrongRows const& rows);

} // namespace keyswap::model
