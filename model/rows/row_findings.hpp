#pragma once

/// \file Options and results of a check of rows.

#include "model/check/image_scan.hpp"
#include "model/rows/sort_keys.hpp"
#include "model/rows/table/row_table.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

struct RowCheckOptions {
    bool stable = false; ///< rows with equal keys must keep their input order
    ZeroOrder zero_order = ZeroOrder::total;
    NanOrder nan_order = NanOrder::total;
    std::optional<std::uint64_t> hash_seed; ///< process_hash_seed() if absent
    unsigned thread_count = 0;              ///< 0: one per hardware thread, at least two
    /// Progress: rows read since the last call and total rows of all tables; called by any thread.
    /// Not called during the further passes that diagnose a wrong output.
    std::function<void(std::uint64_t more, std::uint64_t all)> on_rows_read;
};

/// A multiset of rows: sums modulo 2^64 of two independent 64-bit digests per row. Independent of
/// the machine and the number of threads.
struct RowsDigest {
    std::uint64_t row_count = 0;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(RowsDigest const&, RowsDigest const&) = default;
};

/// Two adjacent rows out of order. Row numbers count from 0 across all parts.
struct RowOrderFinding {
    std::uint64_t row = 0;           ///< the second row of the first such pair
    std::optional<std::size_t> part; ///< part that begins with it; nullopt if none or the first
    std::string column;              ///< the first key column that differs
    std::string cell_before;         ///< formatted cell of this column
    std::string cell_at;
    std::uint64_t descent_count = 0; ///< adjacent pairs out of order in the whole output
    friend bool operator==(RowOrderFinding const&, RowOrderFinding const&) = default;
};

/// A row whose multiplicity differs between input and output.
struct RowFinding {
    std::uint64_t row = 0; ///< in the table that has more of it, from 0
    std::uint64_t in_before = 0;
    std::uint64_t in_after = 0;
    std::string cells; ///< "id=7, name='x'"
    friend bool operator==(RowFinding const&, RowFinding const&) = default;
};

/// A row with equal keys out of input order.
struct RowStabilityFinding {
    std::uint64_t row = 0;      ///< first row of the output that is not the expected one
    std::string keys;           ///< "region='N', amount=3"
    std::uint64_t expected = 0; ///< input row that belongs there
    std::uint64_t found = 0;    ///< input row found there
    friend bool operator==(RowStabilityFinding const&, RowStabilityFinding const&) = default;
};

/// Likely cause of a wrong output.
enum class RowCause {
    untouched,          ///< rows are in input order
    reversed,           ///< exactly reversed order
    other_direction,    ///< a key column is sorted in the opposite direction
    nulls_elsewhere,    ///< nulls are at the opposite end
    nans_elsewhere,     ///< NaNs or zeros are ordered differently
    other_case,         ///< text sorted ignoring case
    other_collation,    ///< text sorted by a collation instead of bytes
    numbers_as_text,    ///< numbers sorted as text
    text_as_numbers,    ///< text sorted by the numbers in it
    other_bits,         ///< signed numbers sorted as unsigned or by magnitude
    key_order,          ///< key columns applied in another order
    fewer_keys,         ///< sorted by only the first key columns
    other_column,       ///< sorted by another column
    unmerged_parts,     ///< each part is sorted, but their concatenation is not
    unmerged_runs,      ///< a few sorted runs, concatenated
    nulls_dropped,      ///< the missing rows have a null or NaN in a key column
    duplicates_dropped, ///< one copy is left of each repeated row
    rows_cut,           ///< the last rows of the input or of the sorted order are missing
    rows_doubled,       ///< rows are duplicated
    columns_swapped,    ///< the cells of two columns are exchanged
    torn_rows,          ///< one column was not permuted with the others
    changed_column      ///< only the cells of one column differ
};

/// "untouched", "nulls-elsewhere" ...
[[nodiscard]] std::string_view to_string(RowCause cause);

struct RowCauseGuess {
    RowCause cause = RowCause::untouched;
    std::string sentence; ///< no trailing full stop
    friend bool operator==(RowCauseGuess const&, RowCauseGuess const&) = default;
};

inline constexpr std::size_t rows_shown_max = 8;

struct RowCheck {
    std::vector<ColumnInfo> columns;
    SortKeys keys;                               ///< with column names
    std::uint64_t hash_seed = 0;                 ///< seed of both digests
    std::optional<RowsDigest> before;            ///< nullopt if only the order was checked
    RowsDigest after;                            ///< only row_count if only the order was checked
    std::optional<RowOrderFinding> order;        ///< nullopt if sorted
    std::uint64_t lost_count = 0;                ///< rows of the input that the output lacks
    std::uint64_t gained_count = 0;              ///< rows that the output has in excess
    std::vector<RowFinding> rows;                ///< at most rows_shown_max lost or gained rows
    std::optional<bool> stable;                  ///< nullopt if not requested or undecided
    std::optional<RowStabilityFinding> unstable; ///< nullopt if no row is out of input order
    std::optional<RowCauseGuess> guess;

    [[nodiscard]] bool sorted() const { return !order; }
    [[nodiscard]] bool permutation() const { return !before || *before == after; }
    [[nodiscard]] bool holds() const { return sorted() && permutation() && stable.value_or(true); }
};

/// The findings, one sentence each, worst first; a single sentence if the check holds.
[[nodiscard]] std::vector<std::string> sentences(RowCheck const& check);

} // namespace keyswap::model
