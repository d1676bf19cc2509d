#pragma once

/// \file One pass over a table: its digest and its descents.

#include "model/rows/row_digest.hpp"
#include "model/rows/row_findings.hpp"
#include "model/rows/row_order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

struct RowScan {
    RowsDigest digest;
    Descents descents;
};
/// \param digest_columns in chaining order; empty: the digest is not computed
/// \param orders empty: the descents are not computed
/// \pre here and below: options.hash_seed
[[nodiscard]] RowScan scan_rows(RowTable const& table,
                                std::span<std::size_t const> digest_columns,
                                std::span<ColumnOrder const> orders,
                                RowCheckOptions const& options);

/// [row] hashes over some columns.
[[nodiscard]] std::vector<RowHash> hashes_of(RowTable const& table,
                                             std::span<std::size_t const> columns,
                                             RowCheckOptions const& options);

/// A row whose multiplicity differs between the tables.
struct UnevenRow {
    std::uint64_t row = 0;
    std::uint64_t in_before = 0;
    std::uint64_t in_after = 0;
};
struct RowDifferences {
    std::vector<UnevenRow> lost;   ///< rows of `before`, ascending
    std::vector<UnevenRow> gained; ///< rows of `after`, ascending
};
/// Compares the multisets of rows by sorting their hashes; takes 24 bytes of memory per row.
[[nodiscard]] RowDifferences
find_differences(RowTable const& before, RowTable const& after, RowCheckOptions const& options);

/// The first row of `after` whose equal keys are not in the order of `before`; nullopt if all are.
/// \pre both hold the same rows, and `after` is sorted
[[nodiscard]] std::optional<RowStabilityFinding>
find_instability(RowTable const& before,
                 RowTable const& after,
                 std::span<ColumnOrder const> orders,
                 RowCheckOptions const& options);

/// Formats some columns of a row: "region='N', amount=3".
[[nodiscard]] std::string
format_cells(RowTable const& table, std::uint64_t row, std::span<std::size_t const> columns);

} // namespace keyswap::model
