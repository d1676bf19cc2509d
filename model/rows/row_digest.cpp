#include "model/rows/row_digest.hpp"

#include "model/rows/table/cell.hpp"
#include "model/rows/table/row_words.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace keyswap::model {

namespace {

constexpr std::uint64_t second_seed = 0x9e37'79b9'7f4a'7c15U; ///< arbitrary: seeds are mixed
constexpr std::uint64_t null_mark = 0x4c4c'554eU;             ///< "NULL"

} // namespace

RowHasher::RowHasher(std::uint64_t seed)
    : high_(seed), low_(seed ^ second_seed), null_{high_.mix(null_mark), low_.mix(null_mark)} {}

void RowHasher::add(RowHash& hash, std::string_view bytes) const {
    add(hash, bytes.size());
    std::uint64_t word = 0;
    while (bytes.size() >= sizeof(word)) {
        std::memcpy(&word, bytes.data(), sizeof(word));
        add(hash, word);
        bytes.remove_prefix(sizeof(word));
    }
    if (!bytes.empty()) {
        word = 0;
        std::memcpy(&word, bytes.data(), bytes.size());
        add(hash, word);
    }
}

void RowHasher::add_column(std::span<RowHash> hashes,
                           CellType const& type,
                           ColumnChunk const& chunk,
                           std::uint64_t first) {
    if (type.kind == CellKind::null) {
        for (RowHash& hash : hashes) {
            add_null(hash);
        }
        return;
    }
    bool const by_word = !type.is_sequence() && type.kind != CellKind::decimal;
    if (by_word) {
        words_.resize(hashes.size());
        load_words(type, chunk, first, words_);
    }
    if (by_word && chunk.valid == nullptr) {
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            add(hashes[i], words_[i]);
        }
        return;
    }
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (chunk.is_null(first + i)) {
            add_null(hashes[i]);
        } else if (by_word) {
            add(hashes[i], words_[i]);
        } else if (type.is_sequence()) {
            add(hashes[i], chunk.sequence(first + i));
        } else {
            auto const image = key_image(static_cast<uint128>(decimal_of(chunk, first + i)));
            add(hashes[i], image.high);
            add(hashes[i], image.low);
        }
    }
}

void RowHasher::add_cells(std::span<RowHash> hashes,
                          RowTable const& table,
                          RowBatch const& batch,
                          std::uint64_t first,
                          std::span<std::size_t const> columns) {
    for (std::size_t const column : columns) {
        add_column(hashes, table.columns()[column].type, batch.columns[column], first);
    }
}

RowHash RowHasher::key_hash(std::span<ColumnOrder const> orders,
                            RowTable::Place const& place) const {
    RowHash hash;
    for (ColumnOrder const& order : orders) {
        OrderWords const words = order_words(order, *place.batch, place.row);
        add(hash, words.rank);
        if (order.type.is_sequence() && words.rank == 1) {
            add(hash, place.batch->columns[order.column].sequence(place.row));
        } else {
            add(hash, words.high);
            add(hash, words.low);
        }
    }
    return hash;
}

std::vector<std::size_t> all_columns(RowTable const& table) {
    std::vector<std::size_t> columns(table.columns().size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    return columns;
}

} // namespace keyswap::model
