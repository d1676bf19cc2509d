#pragma once

/// \file One reading of a table: its digest, and where it is out of order.

#include "model/rows/row_digest.hpp"
#include "model/rows/row_findings.hpp"
#include "model/rows/row_order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// What a reading is to find; an empty list is not looked at.
struct RowScanRequest {
    std::span<std::size_t const> digest_columns; ///< in the order in which they are chained
    std::span<ColumnOrder const> orders;
};
struct RowScan {
    RowsDigest digest;
    Descents descents;
};
[[nodiscard]] RowScan scan_rows(RowTable const& table,
                                RowScanRequest const& request,
                                std::uint64_t seed,
                                RowCheckOptions const& options);

/// The digest of some columns.
[[nodiscard]] RowsDigest digest_of(RowTable const& table,
                                   std::span<std::size_t const> columns,
                                   std::uint64_t seed,
                                   unsigned thread_count);

/// The hash of each row, in order.
[[nodiscard]] std::vector<RowHash> hashes_of(RowTable const& table,
                                             std::span<std::size_t const> columns,
                                             std::uint64_t seed,
                                             unsigned thread_count);

/// A row that one side has more often.
struct UnevenRow {
    std::uint64_t row = 0;
    std::uint64_t in_before = 0;
    std::uint64_t in_after = 0;
};
struct RowDifferences {
    std::vector<UnevenRow> lost;   ///< rows of the table before, ascending
    std::vector<UnevenRow> gained; ///< rows of the table after, ascending
};
/// Sorts the hashes of all rows: 24 bytes of memory each.
[[nodiscard]] RowDifferences find_differences(RowTable const& before,
                                              RowTable const& after,
                                              std::uint64_t seed,
                                              unsigned thread_count);

/// The first row of a sorted table whose equal keys do not keep the order of `before`; nullopt if
/// all do. \pre the rows are the same, and `after` is sorted
[[nodiscard]] std::optional<RowStabilityFinding>
find_instability(RowTable const& before,
                 RowTable const& after,
                 std::span<ColumnOrder const> orders,
                 std::uint64_t seed,
                 unsigned thread_count);

/// "region='N', amount=3" of some columns of a row.
[[nodiscard]] std::string
shown_cells(RowTable const& table, std::uint64_t row, std::span<std::size_t const> columns);

} // namespace keyswap::model
