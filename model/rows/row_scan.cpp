#include "model/rows/row_scan.hpp"

#include "model/rows/table/row_blocks.hpp"
#include "traces/errors/interruption.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::model {

namespace {

void add_hashes(RowsDigest& digest, std::span<RowHash const> hashes) {
    digest.row_count += hashes.size();
    for (RowHash const& hash : hashes) {
        digest.high += hash.high;
        digest.low += hash.low;
    }
}

/// Descents within a block, and between its first row and the preceding one.
Descents descents_of(RowTable const& table,
                     RowBlock const& block,
                     std::span<ColumnOrder const> orders,
                     DescentScan& scan) {
    if (block.first > 0) {
        return scan.scan(*block.batch, block.first - 1, block.count + 1);
    }
    Descents descents = scan.scan(*block.batch, 0, block.count);
    if (block.first_row() > 0) {
        auto const step =
            compare_rows(orders, table.place_of(block.first_row() - 1), {block.batch, block.first});
        if (step > 0) {
            ++descents.count;
            descents.first = block.first_row();
        }
    }
    return descents;
}

void add_descents(Descents& sum, Descents const& more) {
    sum.count += more.count;
    if (more.first) {
        sum.first = std::min(sum.first.value_or(*more.first), *more.first);
    }
}

/// Row numbers sorted by hash, ties by row number.
std::vector<std::uint64_t> by_hash(std::vector<RowHash> const& hashes) {
    std::vector<std::uint64_t> rows(hashes.size());
    std::iota(rows.begin(), rows.end(), std::uint64_t{0});
    constexpr std::uint64_t comparisons_at_once = std::uint64_t{1} << 20;
    std::uint64_t comparisons = 0;
    std::ranges::sort(rows, [&hashes, &comparisons](std::uint64_t a, std::uint64_t b) {
        if (++comparisons % comparisons_at_once == 0) {
            poll_interruption();
        }
        return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : a < b;
    });
    return rows;
}

/// The row numbers from index `at` on that share its hash.
std::span<std::uint64_t const> group_at(std::vector<std::uint64_t> const& rows,
                                        std::vector<RowHash> const& hashes,
                                        std::size_t at) {
    std::size_t end = at + 1;
    while (end < rows.size() && hashes[rows[end]] == hashes[rows[at]]) {
        ++end;
    }
    return std::span(rows).subspan(at, end - at);
}

} // namespace

RowScan scan_rows(RowTable const& table,
                  std::span<std::size_t const> digest_columns,
                  std::span<ColumnOrder const> orders,
                  RowCheckOptions const& options) {
    struct State {
        RowScan scan;
        RowHasher hasher;
        DescentScan descents;
        std::vector<RowHash> hashes;
    };
    auto const states = visit_rows(
        table,
        options.thread_count,
        [&] {
            return State{{}, RowHasher(*options.hash_seed), DescentScan(orders), {}};
        },
        [&](State& state, RowBlock const& block) {
            if (!digest_columns.empty()) {
                state.hashes.assign(block.count, RowHash{});
                state.hasher.add_cells(
                    state.hashes, table, *block.batch, block.first, digest_columns);
                add_hashes(state.scan.digest, state.hashes);
            }
            if (!orders.empty()) {
                add_descents(state.scan.descents,
                             descents_of(table, block, orders, state.descents));
            }
            if (options.on_rows_read) {
                options.on_rows_read(block.count, 0);
            }
        });
    RowScan sum;
    for (State const& state : states) {
        sum.digest.high += state.scan.digest.high;
        sum.digest.low += state.scan.digest.low;
        add_descents(sum.descents, state.scan.descents);
    }
    sum.digest.row_count = table.row_count();
    return sum;
}

std::vector<RowHash> hashes_of(RowTable const& table,
                               std::span<std::size_t const> columns,
                               RowCheckOptions const& options) {
    std::vector<RowHash> hashes(table.row_count());
    static_cast<void>(visit_rows(
        table,
        options.thread_count,
        [&] { return RowHasher(*options.hash_seed); },
        [&](RowHasher& hasher, RowBlock const& block) {
            hasher.add_cells(std::span(hashes).subspan(block.first_row(), block.count),
                             table,
                             *block.batch,
                             block.first,
                             columns);
        }));
    return hashes;
}

RowDifferences
find_differences(RowTable const& before, RowTable const& after, RowCheckOptions const& options) {
    auto const columns = all_columns(before);
    auto const hashes_before = hashes_of(before, columns, options);
    auto const hashes_after = hashes_of(after, columns, options);
    auto const rows_before = by_hash(hashes_before);
    auto const rows_after = by_hash(hashes_after);
    RowDifferences differences;
    std::size_t b = 0;
    std::size_t a = 0;
    while (b < rows_before.size() || a < rows_after.size()) {
        bool const has_before = b < rows_before.size();
        bool const has_after = a < rows_after.size();
        auto const order = !has_before ? std::strong_ordering::greater
                           : !has_after
                               ? std::strong_ordering::less
                               : hashes_before[rows_before[b]] <=> hashes_after[rows_after[a]];
        std::span<std::uint64_t const> group_before;
        std::span<std::uint64_t const> group_after;
        if (order <= 0) {
            group_before = group_at(rows_before, hashes_before, b);
        }
        if (order >= 0) {
            group_after = group_at(rows_after, hashes_after, a);
        }
        auto const shared = std::min(group_before.size(), group_after.size());
        for (std::uint64_t const row : group_before.subspan(shared)) {
            differences.lost.push_back({row, group_before.size(), group_after.size()});
        }
        for (std::uint64_t const row : group_after.subspan(shared)) {
            differences.gained.push_back({row, group_before.size(), group_after.size()});
        }
        b += group_before.size();
        a += group_after.size();
    }
    std::ranges::sort(differences.lost, {}, &UnevenRow::row);
    std::ranges::sort(differences.gained, {}, &UnevenRow::row);
    return differences;
}

std::string
format_cells(RowTable const& table, std::uint64_t row, std::span<std::size_t const> columns) {
    constexpr std::size_t cells_shown_max = 6;
    auto const cell = [&](std::size_t column) {
        return printable_text(table.columns()[column].name) + "=" + table.shown(row, column);
    };
    return joined_text(columns.first(std::min(columns.size(), cells_shown_max)), ", ", cell) +
           (columns.size() > cells_shown_max ? ", ..." : "");
}

} // namespace keyswap::model
