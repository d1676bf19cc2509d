#pragma once

/// \file What a check of rows is asked for, and what it finds.

#include "model/check/image_scan.hpp"
#include "model/rows/row_table.hpp"
#include "model/rows/sort_keys.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

struct RowCheckOptions {
    bool stable = false; ///< rows that are equal in all key columns must keep their order
    ZeroOrder zero_order = ZeroOrder::total;
    NanOrder nan_order = NanOrder::total;
    std::optional<std::uint64_t> hash_seed; ///< none: process_hash_seed()
    unsigned thread_count = 0;              ///< 0: as many as the machine has, at least two
    /// Called by any thread with the number of rows read since the last call and the number in all
    /// tables. Not called for the further readings that find out what is wrong.
    std::function<void(std::uint64_t more, std::uint64_t all)> on_rows_read;
};

/// A multiset of rows: sums of two independent 64-bit digests of each row, modulo 2^64. The same on
/// every machine and for every number of threads.
struct RowsDigest {
    std::uint64_t row_count = 0;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(RowsDigest const&, RowsDigest const&) = default;
};

/// Two neighbours that are out of order. Rows count from 0, over all parts in a row.
struct RowOrderFinding {
    std::uint64_t row = 0;           ///< of the second, the first such in the output
    std::optional<std::size_t> part; ///< that begins with it, if it is not the first part
    std::string column;              ///< the key column that decides
    std::string cell_before;         ///< in that column, as people read it
    std::string cell_at;
    std::uint64_t descent_count = 0; ///< neighbours out of order in all of the output
    friend bool operator==(RowOrderFinding const&, RowOrderFinding const&) = default;
};

/// A row that one side has more often than the other.
struct RowFinding {
    std::uint64_t row = 0; ///< of the side that has it more often; from 0 on
    std::uint64_t in_before = 0;
    std::uint64_t in_after = 0;
    std::string cells; ///< "id=7, name='x'"
    friend bool operator==(RowFinding const&, RowFinding const&) = default;
};

/// Rows of equal keys that do not keep their order.
struct RowStabilityFinding {
    std::uint64_t row = 0;      ///< of the output, the first that is not the expected one
    std::string keys;           ///< "region='N', amount=3"
    std::uint64_t expected = 0; ///< row of the input that belongs there
    std::uint64_t found = 0;    ///< row of the input that is there
    friend bool operator==(RowStabilityFinding const&, RowStabilityFinding const&) = default;
};

/// What may have made the output wrong.
enum class RowCause {
    untouched,          ///< the rows are in the input's order
    reversed,           ///< in the exact opposite of the order
    other_direction,    ///< a key column is sorted in the other direction
    nulls_elsewhere,    ///< nulls are at the other end
    nans_elsewhere,     ///< NaNs are elsewhere, or zeros
    other_case,         ///< text sorted without regard to case
    other_collation,    ///< text sorted by another collation than its bytes
    numbers_as_text,    ///< numbers sorted as text
    text_as_numbers,    ///< text sorted by the numbers in it
    other_bits,         ///< signed numbers sorted as unsigned, or by magnitude
    key_order,          ///< the key columns in another order
    fewer_keys,         ///< only the first key columns
    other_column,       ///< sorted by another column
    unmerged_parts,     ///< each part is sorted, but not one after the other
    unmerged_runs,      ///< a few sorted runs one after the other
    nulls_dropped,      ///< the missing rows have a null in a key column, or NaN
    duplicates_dropped, ///< one row is there of each that was there several times
    rows_cut,           ///< the last rows of the input, or of the order, are missing
    rows_doubled,       ///< rows are there several times
    columns_swapped,    ///< two columns are exchanged
    torn_rows,          ///< a column was not moved with the others
    changed_column      ///< the cells of one column are other ones
};

/// "untouched", "nulls-elsewhere" ...
[[nodiscard]] std::string_view to_string(RowCause cause);

struct RowCauseGuess {
    RowCause cause = RowCause::untouched;
    std::string sentence; ///< without a full stop
    friend bool operator==(RowCauseGuess const&, RowCauseGuess const&) = default;
};

inline constexpr std::size_t rows_shown_max = 8;

struct RowCheck {
    std::vector<ColumnInfo> columns;
    SortKeys keys;                        ///< with the names of the columns
    std::uint64_t hash_seed = 0;          ///< of both digests
    std::optional<RowsDigest> before;     ///< nullopt if only the order was asked for
    RowsDigest after;                     ///< without a digest if only the order was asked for
    std::optional<RowOrderFinding> order; ///< nullopt if sorted
    std::uint64_t lost_count = 0;         ///< rows that the output has too seldom
    std::uint64_t gained_count = 0;       ///< rows that it has too often
    std::vector<RowFinding> rows;         ///< at most rows_shown_max that are lost or gained
    std::optional<bool> stable;           ///< nullopt if not asked for, or not known
    std::optional<RowStabilityFinding> unstable; ///< nullopt if nothing is out of the input's order
    std::optional<RowCauseGuess> guess;

    [[nodiscard]] bool sorted() const { return !order; }
    [[nodiscard]] bool permutation() const { return !before || *before == after; }
    [[nodiscard]] bool holds() const { return sorted() && permutation() && stable.value_or(true); }
};

/// The findings, one sentence each, worst first; a single one if all is well.
[[nodiscard]] std::vector<std::string> sentences(RowCheck const& check);

} // namespace keyswap::model
