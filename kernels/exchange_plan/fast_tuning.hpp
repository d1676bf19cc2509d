#pragma once

/// \file From how many keys on variant `fast` uses each of its methods. Plain C++.

#include "kernels/primitives/segment_limits.hpp"

#include <cstdint>
#include <optional>
#include <tuple>

namespace keyswap::kernels {

/// Thresholds of variant `fast`. The defaults are measured; tests set them to zero, so that few
/// keys use every method.
struct FastTuning {
    /// Dense 32-bit keys without values are sorted by counting: where 2^15 neighbouring images have
    /// at least this many keys on average.
    std::uint64_t counting_min = 5120;
    /// Keys are divided by digits from the highest on if a GPU has at least this many; by default
    /// where that was faster when measured (exchange_plan/digit_rows.hpp). Host arrays of this many
    /// keys a GPU (by default 2^23) go back in pieces while later keys are sorted, there and in
    /// sample sort.
    std::optional<std::uint64_t> digits_min;
    /// `fast` and sample sort swap keys in rounds if a GPU has at least this many; by default where
    /// a round takes longer than its launches (exchange_plan/round_plan.hpp). From host memory to
    /// several GPUs, `fast` counts this many (by default 2^23) piece by piece.
    std::optional<std::uint64_t> rounds_min;
    /// `fast` does not send keys of one value, without values, to a GPU that gets at least this
    /// many of them from another: that GPU writes them itself. By default from where a copy takes
    /// longer than what it costs to divide one (exchange_plan/swap_sends.hpp).
    std::optional<std::uint64_t> fill_min;
    /// Most keys that one block sorts in shared memory, 64 or more, where levels divide keys; by
    /// default as many as fit (primitives/leaves/leaf_sizes.hpp). Fewer make more levels.
    std::optional<std::uint32_t> leaf_max;

    friend bool operator==(FastTuning const&, FastTuning const&) = default;
};

/// Whether sorts of such digits and so many keys of a GPU can be divided into segments at all.
[[nodiscard]] constexpr bool can_use_segments(int digit_bits, std::uint64_t capacity) {
    return digit_bits <= step_bits && capacity <= segment_count_max;
}

template <class Member>
struct TuningField {
    char const* name;
    Member FastTuning::*member;
};

/// Every field with its name.
inline constexpr std::tuple fast_tuning_fields{
    TuningField<std::uint64_t>{"counting_min", &FastTuning::counting_min},
    TuningField<std::optional<std::uint64_t>>{"digits_min", &FastTuning::digits_min},
    TuningField<std::optional<std::uint64_t>>{"rounds_min", &FastTuning::rounds_min},
    TuningField<std::optional<std::uint64_t>>{"fill_min", &FastTuning::fill_min},
    TuningField<std::optional<std::uint32_t>>{"leaf_max", &FastTuning::leaf_max}};

} // namespace keyswap::kernels
