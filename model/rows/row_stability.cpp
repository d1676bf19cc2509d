#include "model/rows/key_encoding.hpp"
#include "model/rows/row_scan.hpp"
#include "model/rows/table/row_blocks.hpp"

#include <algorithm>
#include <bit>

namespace keyswap::model {

namespace {

/// Counts hashes in an open-addressing table.
class HashCounts {
  public:
    explicit HashCounts(std::uint64_t hash_count)
        : slots_(std::bit_ceil(hash_count + hash_count / 2 + 1)) {}

    /// Increments the hash's count and returns the previous one.
    std::uint64_t count(RowHash const& hash) {
        std::size_t at = hash.low & (slots_.size() - 1);
        while (slots_[at].count > 0 && slots_[at].hash != hash) {
            at = (at + 1) & (slots_.size() - 1);
        }
        slots_[at].hash = hash;
        return slots_[at].count++;
    }

  private:
    struct Slot {
        RowHash hash;
        std::uint64_t count = 0;
    };
    std::vector<Slot> slots_;
};

/// [row] hash of the row's keys.
std::vector<RowHash> key_hashes_of(RowTable const& table,
                                   std::span<ColumnOrder const> orders,
                                   RowHasher const& hasher,
                                   unsigned thread_count) {
    std::vector<RowHash> hashes(table.row_count());
    static_cast<void>(visit_rows(
        table,
        thread_count,
        [] { return 0; },
        [&](int, RowBlock const& block) {
            for (std::uint64_t row = 0; row < block.count; ++row) {
                hashes[block.first_row() + row] =
                    hasher.key_hash(orders, {block.batch, block.first + row});
            }
        }));
    return hashes;
}

/// Sums the hashes of (row, rank), rank being the number of preceding rows with equal keys; input
/// and stable output have the same sum. \param place [row] rank \return the sum
template <class Place>
RowsDigest
digest_with_places(std::vector<RowHash> const& rows, RowHasher const& hasher, Place place) {
    RowsDigest digest;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        RowHash hash = rows[row];
        hasher.add(hash, place(row));
        digest.high += hash.high;
        digest.low += hash.low;
    }
    return digest;
}

RowsDigest digest_of_input(std::vector<RowHash> const& rows,
                           std::vector<RowHash> const& keys,
                           RowHasher const& hasher) {
    HashCounts counts(rows.size());
    return digest_with_places(
        rows, hasher, [&](std::size_t row) { return counts.count(keys[row]); });
}

/// \pre rows with equal keys are adjacent
RowsDigest digest_of_sorted(std::vector<RowHash> const& rows,
                            std::vector<RowHash> const& keys,
                            RowHasher const& hasher) {
    std::uint64_t place = 0;
    return digest_with_places(rows, hasher, [&](std::size_t row) {
        place = row > 0 && keys[row] == keys[row - 1] ? place + 1 : 0;
        return place;
    });
}

} // namespace

std::optional<RowStabilityFinding> find_instability(RowTable const& before,
                                                    RowTable const& after,
                                                    std::span<ColumnOrder const> orders,
                                                    RowCheckOptions const& options) {
    auto const columns = all_columns(before);
    RowHasher const hasher(*options.hash_seed);
    auto const hashes_before = hashes_of(before, columns, options);
    auto const hashes_after = hashes_of(after, columns, options);
    auto const keys_of = [&](RowTable const& table) {
        return key_hashes_of(table, orders, hasher, options.thread_count);
    };
    if (digest_of_input(hashes_before, keys_of(before), hasher) ==
        digest_of_sorted(hashes_after, keys_of(after), hasher)) {
        return std::nullopt;
    }
    auto const expected = sorted_rows(before, orders);
    auto const wrong = std::ranges::mismatch(
        expected, hashes_after, {}, [&](std::uint64_t row) { return hashes_before[row]; });
    if (wrong.in1 == expected.end()) {
        return std::nullopt;
    }
    RowStabilityFinding finding;
    finding.row = static_cast<std::uint64_t>(wrong.in1 - expected.begin());
    finding.expected = *wrong.in1;
    // If the row occurs several times, the first occurrence that is due later is reported.
    auto const found = std::find_if(wrong.in1, expected.end(), [&](std::uint64_t row) {
        return hashes_before[row] == *wrong.in2;
    });
    finding.found = found == expected.end() ? finding.expected : *found;
    std::vector<std::size_t> key_columns;
    for (ColumnOrder const& order : orders) {
        key_columns.push_back(order.column);
    }
    finding.keys = format_cells(after, finding.row, key_columns);
    return finding;
}

} // namespace keyswap::model
