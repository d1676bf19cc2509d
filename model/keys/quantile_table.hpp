#pragma once

#include "model/keys/wide_integer.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// A part of a distribution: its share of the unit interval goes evenly to consecutive images.
struct QuantileCell {
    std::uint64_t image_first = 0;
    std::uint64_t image_last = 0; ///< inclusive, so that the whole 64-bit range can be named
    uint128 u_begin = 0;          ///< the share is [u_begin, u_end) / 2^64
    uint128 u_end = 0;
    friend bool operator==(QuantileCell const&, QuantileCell const&) = default;
};

/// A distribution of images as a monotone, piecewise linear map from 64-bit fractions u / 2^64 to
/// images, in integers only. Generating, counting and the closed form all read this one table, so
/// that they cannot disagree, and a GPU that reads it makes the same bits.
///
/// In a cell of W fractions and R images with step = floor(R 2^64 / W), fraction u has the image
/// image_first + floor((u - u_begin) step / 2^64).
class QuantileTable {
  public:
    /// Cells without a share are dropped.
    /// \pre ascending without overlap in u and in images; together they cover [0, 2^64)
    explicit QuantileTable(std::span<QuantileCell const> cells);

    /// The image at fraction u / 2^64.
    [[nodiscard]] std::uint64_t image_at(std::uint64_t u) const {
        std::size_t const slot = static_cast<std::size_t>(u >> guide_shift);
        std::size_t low = guide_[slot];
        std::size_t const high = guide_[slot + 1];
        if (high - low <= 1) {
            // Nearly always; without a branch, since which of two cells it is cannot be foreseen.
            low += u >= lines_[low + 1].u_begin ? 1 : 0;
        } else {
            low = last_cell_at(u, low, high);
        }
        Line const& line = lines_[low];
        return line.image_first + multiply_wide(u - line.u_begin, line.step);
    }

    /// How many fractions have an image below `image`, 0 .. 2^64: the distribution function in
    /// 64-bit fixed point.
    [[nodiscard]] uint128 fractions_below(std::uint64_t image) const;
    /// The same for `image` and all below.
    [[nodiscard]] uint128 fractions_up_to(std::uint64_t image) const {
        return image == ~std::uint64_t{0} ? two_to_64 : fractions_below(image + 1);
    }

    /// The cells that have a share.
    [[nodiscard]] std::span<QuantileCell const> cells() const { return cells_; }

  private:
    /// 2^14 slots make two cells in a slot rare for all distributions; 64 KiB.
    static constexpr int guide_bits = 14;
    static constexpr int guide_shift = 64 - guide_bits;

    /// What generating needs of a cell, on half a cache line.
    struct alignas(32) Line {
        std::uint64_t u_begin;
        std::uint64_t image_first;
        uint128 step; ///< images per 2^64 fractions
    };

    /// The last of the cells [low, high] that begins at or before u.
    [[nodiscard]] std::size_t
    last_cell_at(std::uint64_t u, std::size_t low, std::size_t high) const;

    std::vector<QuantileCell> cells_;
    std::vector<Line> lines_;          ///< [cells + 1]
    std::vector<std::uint32_t> guide_; ///< [2^guide_bits + 1] last cell that begins at or before
};

} // namespace keyswap::model
