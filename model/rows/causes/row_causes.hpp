#pragma once

/// \file Likely causes of wrong rows: known mistakes, each tested against all rows. A guess
/// describes what the output looks like, not what the program did.

#include "model/rows/row_scan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model {

/// A wrong output and the facts known about it.
struct RowCauseContext {
    RowTable const* before = nullptr; ///< nullptr if only the order is checked
    RowTable const& after;
    std::vector<std::uint64_t>
        part_begins;      ///< first row of each part but the first; empty for one part
    SortKeys const& keys; ///< with column names
    std::vector<ColumnOrder> const& orders;
    Descents descents;
    RowCheckOptions const& options; ///< with the seed, without on_rows_read
};

/// "1 row", "1,000 rows".
[[nodiscard]] std::string rows_text(std::uint64_t count);

/// Likely cause of lost or gained rows; nullopt if none fits. \pre some rows are lost or gained
[[nodiscard]] std::optional<RowCauseGuess> guess_content_cause(RowCauseContext const& rows,
                                                               RowDifferences const& differences);

/// Likely cause of a wrong order. \pre rows are out of order, but none are lost or gained
[[nodiscard]] std::optional<RowCauseGuess> guess_order_cause(RowCauseContext const& rows);

} // namespace keyswap::model
