#include "kernels/exchange_plan/segment_levels.hpp"

#include <algorithm>

namespace keyswap::kernels {

static_assert(level_digit_bits_max == wide_step_bits);

bool LevelDigits::is_counted(std::uint64_t count, int bits_left) const {
    return counts_values_ && bits_left <= counting_bits && count > leaf_;
}

int LevelDigits::bits_of(int level, std::uint64_t count, int end_bit) const {
    constexpr int first_bits = dense_levels_bits - wide_step_bits;
    if (dense_ && level < 2) {
        return level == 0 ? first_bits : wide_step_bits;
    }
    int const bits = std::max(bits_of_level(count, leaf_), crowded_ && level == 0 ? first_bits : 0);
    int const uncounted_bits = end_bit - counting_bits;
    // Too many keys to end in leaves even if evenly distributed: they crowd, possibly in any digit,
    // until their values are counted.
    bool const is_crowded = counts_values_ && uncounted_bits > 0 &&
                            count >> static_cast<unsigned>(uncounted_bits) > leaf_;
    int const wanted =
        is_crowded ? std::max(bits, std::min(uncounted_bits, level_digit_bits_max)) : bits;
    return std::min(wanted, end_bit);
}

int LevelDigits::bits_of_arrived(std::uint64_t count, int end_bit) const {
    // After one digit they are counted or few enough for leaves.
    if (counts_values_ && end_bit > counting_bits &&
        end_bit <= counting_bits + level_digit_bits_max) {
        return end_bit - counting_bits;
    }
    // A leaf-sized segment needs a single bit to gather its parts.
    return count > leaf_ ? bits_of(0, count, end_bit) : 1;
}

void LevelDigits::check_child_size(std::uint64_t count) {
    dense_ = dense_ && count >> wide_step_bits <= narrow_stretch_keys;
}

std::optional<LocalLevels>
single_gpu_levels(DigitRow const& row,
                  std::uint64_t count,
                  std::uint32_t leaf,
                  FastTuning const& tuning,
                  std::function<std::uint64_t(int)> const& fullest_stretch) {
    constexpr std::uint64_t key_count_end = std::uint64_t{1} << 32; // 32-bit offsets in segments
    if (count < row.least_keys || count >= key_count_end) {
        return std::nullopt;
    }
    bool const counts_ahead =
        counts_leading_bits(count, row.shape.key_bytes, tuning.leading_bytes_min);
    if (can_be_counted(row.shape) && count >> dense_levels_bits >= tuning.counting_min &&
        fullest_stretch(counting_bits) <= counted_keys_max) {
        return LocalLevels{LevelMethod::digits, true, counts_ahead};
    }
    int const key_bits = row.shape.key_bytes * 8;
    bool const is_crowded =
        count > leaf &&
        (fullest_stretch(key_bits - bits_to_leaves(count, leaf)) > crowded_leaves * leaf ||
         (row.crowded == CrowdedSort::cub && key_bits == 32 && // CUB is faster than another level
          fullest_stretch(key_bits - local_ways_bits_max) > count / crowded_child_part));
    if (!is_crowded) {
        return LocalLevels{LevelMethod::digits, false, counts_ahead};
    }
    switch (row.crowded) {
    case CrowdedSort::splitters:
        return LocalLevels{LevelMethod::splitters};
    case CrowdedSort::counting:
        return LocalLevels{LevelMethod::digits, false, false, true};
    case CrowdedSort::cub:
        break;
    }
    return std::nullopt;
}

} // namespace keyswap::kernels
