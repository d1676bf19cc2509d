#pragma once

/// \file How a GPU divides segments of its keys, level by level, until a block sorts or counts what
/// is left. Plain C++; the simulator uses it too.

#include "kernels/exchange_plan/digit_rows.hpp"
#include "kernels/exchange_plan/level_digits.hpp"
#include "kernels/primitives/segment_limits.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>

namespace keyswap::kernels {

/// How a level divides its segments.
enum class LevelMethod {
    splitters,           ///< labels are kept, and a tile is ordered before it is written
    splitters_published, ///< sample sort as published: direct_step.hpp, quicksort_leaves.hpp
    digits               ///< from the highest bits on
};

struct LocalLevels {
    LevelMethod method = LevelMethod::splitters;
    /// Keys of 32 bits are so many that what two levels of digits leave is sorted by counting, all
    /// of it (launch_counting_sort), unless the first level finds some that are too many.
    bool dense = false;
};
/// Bits that those two levels read.
inline constexpr int dense_levels_bits = 32 - counting_bits;

/// The digits by which the levels of a sort divide its segments.
class LevelDigits {
  public:
    /// \param leaf most keys that a block sorts
    constexpr LevelDigits(ElementShape shape, std::uint32_t leaf, LocalLevels levels)
        : leaf_(leaf), dense_(levels.dense),
          counts_values_(levels.method == LevelMethod::digits && can_be_counted(shape)) {}

    /// Whether values of so many keys are counted. Leaves are sorted by blocks, whatever values
    /// they have.
    [[nodiscard]] bool is_counted(std::uint64_t count, int bits_left) const;
    /// Bits of a segment's digit. \param level that reads it, from 0 \param end_bit bits left
    [[nodiscard]] int bits_of(int level, std::uint64_t count, int end_bit) const;
    /// The same of a segment whose parts the first level brings together.
    [[nodiscard]] int bits_of_arrived(std::uint64_t count, int end_bit) const;
    /// Whether all that two levels leave is counted.
    [[nodiscard]] bool is_dense() const { return dense_; }
    /// Counting would read stretches of a child with too many keys twice.
    /// \param count of a child of the first level
    void see_child(std::uint64_t count);

  private:
    std::uint32_t leaf_;
    bool dense_;
    bool counts_values_; ///< keys are of 4 bytes and have no values
};

inline constexpr int local_ways_bits_max = 8;

/// Ways of as few levels as can be, all alike, after which leaves have 0.3 to 0.6 of the largest
/// size on average; a power of two. Unequal levels would end with segments of a tile or two. With a
/// border at a half, segments that are as many of 2^q keys, each a little more or less, would have
/// leaves of two sizes, half of them small. Two thirds on average are taken where that saves a
/// level: one leaf in a hundred is divided again then.
/// \param leaf largest leaf \pre count > leaf
[[nodiscard]] constexpr std::uint32_t local_ways(std::uint64_t count, std::uint32_t leaf) {
    auto const bits_of = [](std::uint64_t leaves) {
        return static_cast<int>(std::bit_width(leaves - 1));
    };
    int const least_bits = bits_of((3 * count + 2 * leaf - 1) / (2 * leaf));
    int const levels = (least_bits + local_ways_bits_max - 1) / local_ways_bits_max;
    int const bits = bits_of((5 * count + 3 * leaf - 1) / (3 * leaf));
    int const bits_a_level = (bits + levels - 1) / levels;
    return 1U << (bits_a_level < local_ways_bits_max ? bits_a_level : local_ways_bits_max);
}

/// How the keys of a sort's only GPU are divided: by digits where these make leaves in about as few
/// levels as if the keys were spread evenly, or as the row says where few values of the digits hold
/// most keys; nullopt for few keys, and where CUB is to sort.
/// \param fullest_stretch (bits) estimates the keys in the fullest stretch of 2^bits images
[[nodiscard]] std::optional<LocalLevels>
single_gpu_levels(DigitRow const& row,
                  std::uint64_t count,
                  std::uint32_t leaf,
                  std::uint64_t counting_min,
                  std::function<std::uint64_t(int)> const& fullest_stretch);

} // namespace keyswap::kernels
