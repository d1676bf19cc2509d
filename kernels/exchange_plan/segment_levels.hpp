#pragma once

/// \file How a GPU divides its segments, level by level, until a block sorts or counts the rest.
/// Plain C++; the simulator includes it too.

#include "kernels/exchange_plan/digit_rows.hpp"
#include "kernels/exchange_plan/fast_tuning.hpp"
#include "kernels/exchange_plan/level_digits.hpp"
#include "kernels/primitives/segment_limits.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>

namespace keyswap::kernels {

/// How a level divides its segments.
enum class LevelMethod {
    splitters,           ///< labels are stored; tiles are ordered in shared memory before writing
    splitters_published, ///< sample sort as published: direct_step.hpp, quicksort_leaves.hpp
    digits               ///< MSD digits
};

struct LocalLevels {
    LevelMethod method = LevelMethod::splitters;
    /// There are so many 32-bit keys that two digit levels are followed by counting for all of them
    /// (launch_counting_sort), unless the first level finds children that are too large.
    bool dense = false;
    /// One reading counts the keys for the first two levels; slow if keys crowd.
    bool counts_ahead = false;
    /// Keys of 32 bits crowd: two levels leave few enough bits for counting.
    bool crowded = false;
};
/// Bits that these two levels read.
inline constexpr int dense_levels_bits = 32 - counting_bits;

/// The digits by which a sort's levels divide its segments.
class LevelDigits {
  public:
    /// \param leaf most keys that a block sorts
    constexpr LevelDigits(ElementShape shape, std::uint32_t leaf, LocalLevels levels)
        : leaf_(leaf), dense_(levels.dense), crowded_(levels.crowded),
          counts_values_(levels.method == LevelMethod::digits && can_be_counted(shape)) {}

    /// True if `count` keys are sorted by counting their values; false for leaves, which a block
    /// sorts whatever their values are.
    [[nodiscard]] bool is_counted(std::uint64_t count, int bits_left) const;
    /// Bits of a segment's digit. \param level index, from 0 \param end_bit unsorted bits
    [[nodiscard]] int bits_of(int level, std::uint64_t count, int end_bit) const;
    /// The same for a segment in parts, which the first level gathers.
    [[nodiscard]] int bits_of_arrived(std::uint64_t count, int end_bit) const;
    /// True if everything left after two levels is counted.
    [[nodiscard]] bool is_dense() const { return dense_; }
    /// Clears is_dense() if counting would have to read stretches of the child twice.
    /// \param count keys of a child of the first level
    void check_child_size(std::uint64_t count);

  private:
    std::uint32_t leaf_;
    bool dense_;
    bool crowded_;
    bool counts_values_; ///< keys have 4 bytes and no values
};

inline constexpr int local_ways_bits_max = 8;

/// Ways per level, equal at all levels and a power of two: with the fewest possible levels, leaves
/// are 0.3 to 0.6 full on average. Unequal levels would end with segments of a tile or two. With a
/// boundary at 0.5, segments of about 2^q keys, some just above and some just below, would have
/// leaves of two sizes, half of them small. Two thirds on average are accepted if that saves a
/// level: one leaf in a hundred is then divided again.
/// \param leaf largest leaf \pre count > leaf
[[nodiscard]] constexpr std::uint32_t local_ways(std::uint64_t count, std::uint32_t leaf) {
    auto const bits_of = [](std::uint64_t leaves) {
        return static_cast<int>(std::bit_width(leaves - 1));
    };
    int const least_bits = bits_of((3 * count + 2 * leaf - 1) / (2 * leaf));
    int const levels = (least_bits + local_ways_bits_max - 1) / local_ways_bits_max;
    int const bits = bits_of((5 * count + 3 * leaf - 1) / (3 * leaf));
    int const bits_per_level = (bits + levels - 1) / levels;
    return 1U << (bits_per_level < local_ways_bits_max ? bits_per_level : local_ways_bits_max);
}

/// How a single-GPU sort divides its keys: by digits if they reach leaves in about as few levels as
/// evenly distributed keys would, otherwise as the row prescribes for keys that crowd; nullopt if
/// there are too few keys or CUB should sort them.
/// \param fullest_stretch (bits) estimated keys in the fullest stretch of 2^bits images
[[nodiscard]] std::optional<LocalLevels>
single_gpu_levels(DigitRow const& row,
                  std::uint64_t count,
                  std::uint32_t leaf,
                  FastTuning const& tuning,
                  std::function<std::uint64_t(int)> const& fullest_stretch);

} // namespace keyswap::kernels
