#pragma once

/// \file What ranks say that they sent each other and received, as a table: of any program that
/// logs its exchanges. An all-to-all whose ranks count differently hangs, or overwrites memory.

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

/// Bytes from one rank to another, as each of both counts them.
struct ExchangedBytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    friend bool operator==(ExchangedBytes const&, ExchangedBytes const&) = default;
};

/// The rows of all ranks' tables.
class ExchangeTable {
  public:
    /// Adds the rows of a table with the columns rank, peer, sent_bytes and received_bytes, in any
    /// order and among others: what `rank` says that it sent to `peer` and received from it. Rows
    /// of one pair, as of several exchanges, are added up. Errors name the table, the row (1 = the
    /// header) and the column.
    [[nodiscard]] Expected<void> add(std::string_view text, std::string const& name);

    /// Ranks are numbered from 0 on: as many as the largest number asks for.
    [[nodiscard]] std::uint32_t rank_count() const;
    /// By pair, where one of both said anything of the other.
    [[nodiscard]] std::map<RankPair, ExchangedBytes> const& pairs() const { return pairs_; }
    [[nodiscard]] std::uint64_t sent_bytes() const;

    /// Pairs whose ends count differently, ranks without a row aside.
    [[nodiscard]] std::vector<RankPair> contradictions() const;
    /// Ranks without a row: their logs are missing, or they never reached it.
    [[nodiscard]] std::vector<std::uint32_t> silent_ranks() const;

  private:
    [[nodiscard]] bool spoke(std::uint32_t rank) const;

    std::map<RankPair, ExchangedBytes> pairs_;
    std::vector<bool> spoke_; ///< [rank]
};

} // namespace keyswap::model::verify
