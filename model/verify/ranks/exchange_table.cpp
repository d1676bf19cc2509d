#include "model/verify/ranks/exchange_table.hpp"

#include "model/key_files/csv_column.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"
#include "traces/measurements/csv_row.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace keyswap::model::verify {

namespace {

constexpr std::uint32_t rank_max = (1U << 20) - 1; ///< more than any machine has
constexpr std::array<std::string_view, 4> headers{"rank", "peer", "sent_bytes", "received_bytes"};
constexpr std::string_view remedy =
    "give a CSV file with the columns rank,peer,sent_bytes,received_bytes";

/// \return false on overflow
bool add_bytes(std::uint64_t& sum, std::uint64_t bytes) {
    return !__builtin_add_overflow(sum, bytes, &sum);
}

} // namespace

Expected<void> ExchangeTable::add(std::string_view text, std::string const& name) {
    std::uint64_t row = 1;
    auto const wrong = [&](std::string const& problem) {
        return input_error(name + ", row " + std::to_string(row), problem, std::string(remedy));
    };
    std::string_view const all = text;
    std::string_view const first = take_line(text);
    std::vector<CsvColumn> columns;
    for (std::string_view const header : headers) {
        auto const column = CsvColumn::find(first, std::string(header));
        if (!column) {
            auto const error = find_csv_error(all, name);
            return error ? tl::unexpected(*error) : wrong(column.error().problem);
        }
        columns.push_back(*column);
    }
    while (!text.empty()) {
        ++row;
        std::string_view const line = take_line(text);
        std::array<std::uint64_t, headers.size()> values{};
        for (std::size_t at = 0; at < headers.size(); ++at) {
            auto const cell = columns[at].cell(line);
            if (!cell) {
                return wrong(cell.error().problem);
            }
            auto const value = parsed_number<std::uint64_t>(*cell);
            std::uint64_t const most =
                at < 2 ? rank_max : std::numeric_limits<std::uint64_t>::max();
            if (!value || *value > most) {
                return wrong("column " + std::string(headers[at]) +
                             " must be a whole number of at most " + std::to_string(most) +
                             ", but is '" + cell->substr(0, 40) + "'");
            }
            values[at] = *value;
        }
        auto const rank = static_cast<std::uint32_t>(values[0]);
        auto const peer = static_cast<std::uint32_t>(values[1]);
        has_rows_.resize(std::max<std::size_t>({has_rows_.size(), rank + 1ULL, peer + 1ULL}));
        has_rows_[rank] = true;
        if (!add_bytes(pairs_[{rank, peer}].sent, values[2]) ||
            !add_bytes(pairs_[{peer, rank}].received, values[3])) {
            return wrong("the bytes of this pair are more than 64 bits hold");
        }
    }
    return {};
}

std::uint32_t ExchangeTable::rank_count() const {
    return static_cast<std::uint32_t>(has_rows_.size());
}

std::uint64_t ExchangeTable::sent_bytes() const {
    std::uint64_t sum = 0;
    for (auto const& [pair, bytes] : pairs_) {
        sum += bytes.sent;
    }
    return sum;
}

bool ExchangeTable::has_rows(std::uint32_t rank) const {
    return has_rows_[rank];
}

std::vector<RankPair> ExchangeTable::mismatched_pairs() const {
    std::vector<RankPair> found;
    for (auto const& [pair, bytes] : pairs_) {
        if (bytes.sent != bytes.received && has_rows(pair.from) && has_rows(pair.to)) {
            found.push_back(pair);
        }
    }
    return found;
}

std::vector<std::uint32_t> ExchangeTable::ranks_without_rows() const {
    std::vector<std::uint32_t> silent;
    for (std::uint32_t rank = 0; rank < rank_count(); ++rank) {
        if (!has_rows(rank)) {
            silent.push_back(rank);
        }
    }
    return silent;
}

} // namespace keyswap::model::verify
