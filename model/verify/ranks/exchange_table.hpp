#pragma once

/// \file Table of the exchanges that ranks logged, for any program that writes such a log. If
/// sender and receiver of an all-to-all disagree on a count, it hangs or overwrites memory.

#include "traces/errors/input_error.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model::verify {

/// A sender and a receiver.
struct RankPair {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    friend auto operator<=>(RankPair const&, RankPair const&) = default;
};

/// Bytes from one rank to another, as logged by each of the two.
struct ExchangedBytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    friend bool operator==(ExchangedBytes const&, ExchangedBytes const&) = default;
};

/// The combined rows of all ranks' tables.
class ExchangeTable {
  public:
    /// Adds the rows of a CSV table with the columns rank, peer, sent_bytes and received_bytes, in
    /// any order and possibly among others: the bytes that `rank` sent to `peer` and received from
    /// it. Rows of the same pair, for example from several exchanges, are summed up. Errors name
    /// table, row (1 = the header) and column.
    [[nodiscard]] Expected<void> add(std::string_view text, std::string const& name);

    /// Number of ranks: the largest rank or peer + 1.
    [[nodiscard]] std::uint32_t rank_count() const;
    /// All pairs for which at least one side has a row.
    [[nodiscard]] std::map<RankPair, ExchangedBytes> const& pairs() const { return pairs_; }
    [[nodiscard]] std::uint64_t sent_bytes() const;

    /// Pairs whose two counts differ, except those that involve a rank without rows.
    [[nodiscard]] std::vector<RankPair> mismatched_pairs() const;
    /// Ranks without rows: their log is missing, or they crashed before writing it.
    [[nodiscard]] std::vector<std::uint32_t> ranks_without_rows() const;

  private:
    [[nodiscard]] bool has_rows(std::uint32_t rank) const;

    std::map<RankPair, ExchangedBytes> pairs_;
    std::vector<bool> has_rows_; ///< [rank]
};

} // namespace keyswap::model::verify
