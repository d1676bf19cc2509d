#pragma once

/// \file Seeded digests of rows, identical on every machine.

#include "model/check/hash_seed.hpp"
#include "model/rows/row_order.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Two independently seeded hash chains: different rows collide in both with a probability of about
/// 2^-128 over the seed.
struct RowHash {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend auto operator<=>(RowHash const&, RowHash const&) = default;
};

class RowHasher {
  public:
    explicit RowHasher(std::uint64_t seed);

    /// Chains the next word of a row.
    void add(RowHash& hash, std::uint64_t word) const {
        hash.high = high_.mix(hash.high + word);
        hash.low = low_.mix(hash.low ^ word);
    }
    /// Chains the length and then the bytes, so that adjacent cells cannot be confused.
    void add(RowHash& hash, std::string_view bytes) const;
    /// Chains a null, which differs from every cell with high probability.
    void add_null(RowHash& hash) const {
        hash.high = high_.mix(hash.high + null_.high);
        hash.low = low_.mix(hash.low ^ null_.low);
    }

    /// Chains the cells of these columns to the hashes of the rows from `first` on.
    void add_cells(std::span<RowHash> hashes,
                   RowTable const& table,
                   RowBatch const& batch,
                   std::uint64_t first,
                   std::span<std::size_t const> columns);
    /// Hash of one row's keys; rows that compare equal have equal hashes.
    [[nodiscard]] RowHash key_hash(std::span<ColumnOrder const> orders,
                                   RowTable::Place const& place) const;

  private:
    void add_column(std::span<RowHash> hashes,
                    CellType const& type,
                    ColumnChunk const& chunk,
                    std::uint64_t first);

    HashSeed high_;
    HashSeed low_;
    RowHash null_;
    std::vector<std::uint64_t> words_;
};

/// Indices 0, 1, ... of all columns.
[[nodiscard]] std::vector<std::size_t> all_columns(RowTable const& table);

} // namespace keyswap::model
