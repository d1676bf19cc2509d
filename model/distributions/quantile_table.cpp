#include "model/distributions/quantile_table.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

namespace {

/// floor(R 2^64 / W) for R, W <= 2^64; the numerator needs 129 bits only if R = 2^64.
uint128 step_of(QuantileCell const& cell) {
    uint128 const images = uint128{cell.image_last} - cell.image_first + 1;
    uint128 const width = cell.u_end - cell.u_begin;
    if (images == two_to_64) {
        uint128 const all = ~uint128{0}; // 2^128 - 1
        return all / width + (all % width + 1 == width ? 1 : 0);
    }
    return (images << 64) / width;
}

} // namespace

QuantileTable::QuantileTable(std::span<QuantileCell const> cells) {
    uint128 u = 0;
    for (QuantileCell const& cell : cells) {
        KEYSWAP_EXPECTS(cell.u_begin == u && cell.u_end >= u);
        KEYSWAP_EXPECTS(cell.image_first <= cell.image_last);
        u = cell.u_end;
        if (cell.u_begin == cell.u_end) {
            continue;
        }
        KEYSWAP_EXPECTS(cells_.empty() || cells_.back().image_last < cell.image_first);
        cells_.push_back(cell);
        uint128 const step = cell.image_first == cell.image_last ? 0 : step_of(cell);
        lines_.push_back({static_cast<std::uint64_t>(cell.u_begin), cell.image_first, step});
    }
    KEYSWAP_EXPECTS(u == two_to_64);
    // A sentinel line begins at 2^64 - 1. image_at() selects it for that fraction, so it must
    // return the last line's image there.
    lines_.push_back({~std::uint64_t{0}, 0, 0});
    QuantileCell const& last = cells_.back();
    std::uint64_t const offset = ~std::uint64_t{0} - static_cast<std::uint64_t>(last.u_begin);
    lines_.back().image_first =
        last.image_first + multiply_wide(offset, lines_[cells_.size() - 1].step);

    std::uint32_t cell = 0;
    for (std::uint64_t slot = 0; slot < (std::uint64_t{1} << guide_bits); ++slot) {
        while (cell + 1 < cells_.size() && lines_[cell + 1].u_begin <= slot << guide_shift) {
            ++cell;
        }
        guide_.push_back(cell);
    }
    guide_.push_back(static_cast<std::uint32_t>(cells_.size() - 1));
}

std::size_t QuantileTable::last_cell_at(std::uint64_t u, std::size_t low, std::size_t high) const {
    while (low < high) {
        std::size_t const middle = low + (high - low + 1) / 2;
        if (lines_[middle].u_begin <= u) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

uint128 QuantileTable::fractions_below(std::uint64_t image) const {
    auto const after = std::ranges::upper_bound(
        cells_, image, {}, [](QuantileCell const& cell) { return cell.image_first; });
    if (after == cells_.begin()) {
        return 0;
    }
    auto const index = static_cast<std::size_t>(after - cells_.begin()) - 1;
    QuantileCell const& cell = cells_[index];
    if (image > cell.image_last) {
        return cell.u_end;
    }
    std::uint64_t const offset = image - cell.image_first;
    uint128 const step = lines_[index].step;
    if (offset == 0) {
        return cell.u_begin;
    }
    // Find the smallest d with floor(d step / 2^64) >= offset.
    uint128 const numerator = uint128{offset} << 64;
    uint128 const width = numerator / step + (numerator % step != 0 ? 1 : 0);
    return std::min(cell.u_begin + width, cell.u_end);
}

} // namespace keyswap::model
