#pragma once

#include "model/keys/wide_integer.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// A cell of a distribution: its share of the unit interval maps evenly to consecutive images.
struct QuantileCell {
    std::uint64_t image_first = 0;
    std::uint64_t image_last = 0; ///< inclusive, so that the range can end at 2^64 - 1
    uint128 u_begin = 0;          ///< the share is [u_begin, u_end) / 2^64
    uint128 u_end = 0;
    friend bool operator==(QuantileCell const&, QuantileCell const&) = default;
};

/// A distribution of images as a monotone, piecewise linear map from 64-bit fractions u / 2^64 to
/// images, in integer arithmetic. Generating, counting and the closed form share this table, so
/// they cannot disagree, and a GPU that reads it computes the same bits.
///
/// In a cell of W fractions and R images with step = floor(R 2^64 / W), fraction u has the image
/// image_first + floor((u - u_begin) step / 2^64).
class QuantileTable {
  public:
    /// Drops cells without a share.
    /// \pre ascending without overlap in u and in images; together they cover [0, 2^64)
    explicit QuantileTable(std::span<QuantileCell const> cells);

    /// The image at fraction u / 2^64.
    [[nodiscard]] std::uint64_t image_at(std::uint64_t u) const {
        std::size_t const slot = static_cast<std::size_t>(u >> guide_shift);
        std::size_t low = guide_[slot];
        std::size_t const high = guide_[slot + 1];
        if (high - low <= 1) {
            // The usual case; branch-free, because the choice between two cells is unpredictable.
            low += u >= lines_[low + 1].u_begin ? 1 : 0;
        } else {
            low = last_cell_at(u, low, high);
        }
        Line const& line = lines_[low];
        return line.image_first + multiply_wide(u - line.u_begin, line.step);
    }

    /// Number of fractions with an image below `image`, 0 .. 2^64: the distribution function in
    /// 64-bit fixed point.
    [[nodiscard]] uint128 fractions_below(std::uint64_t image) const;
    /// Number of fractions with an image up to and including `image`.
    [[nodiscard]] uint128 fractions_up_to(std::uint64_t image) const {
        return image == ~std::uint64_t{0} ? two_to_64 : fractions_below(image + 1);
    }

    /// The cells with a share, ascending.
    [[nodiscard]] std::span<QuantileCell const> cells() const { return cells_; }

  private:
    /// 2^14 slots (64 KiB): slots with more than two cells are rare in all distributions.
    static constexpr int guide_bits = 14;
    static constexpr int guide_shift = 64 - guide_bits;

    /// The part of a cell that generating reads, in half a cache line.
    struct alignas(32) Line {
        std::uint64_t u_begin;
        std::uint64_t image_first;
        uint128 step; ///< images per 2^64 fractions
    };

    /// The last cell in [low, high] that begins at or before u.
    [[nodiscard]] std::size_t
    last_cell_at(std::uint64_t u, std::size_t low, std::size_t high) const;

    std::vector<QuantileCell> cells_;
    std::vector<Line> lines_;          ///< [cells + 1]
    std::vector<std::uint32_t> guide_; ///< [2^guide_bits + 1] last cell that begins at or before
};

} // namespace keyswap::model
