#pragma once

/// \file Key counts from which variant `fast` uses each of its methods. Plain C++.

#include "kernels/primitives/leading_bits.hpp"
#include "kernels/primitives/segment_limits.hpp"

#include <cstdint>
#include <optional>
#include <tuple>

namespace keyswap::kernels {

/// Thresholds of variant `fast`. The defaults are measured; tests set them to zero, so that few
/// keys use every method.
struct FastTuning {
    /// Dense 32-bit keys without values are sorted by counting if ranges of 2^15 consecutive images
    /// hold at least this many keys on average.
    std::uint64_t counting_min = 5120;
    /// One reading counts the keys for two levels if a GPU has at least so many bytes of them.
    std::uint64_t leading_bytes_min = kernels::leading_bytes_min;
    /// Keys are divided by MSD digits if a GPU has at least this many; the default is where that
    /// was measured to be faster (exchange_plan/digit_rows.hpp). Host arrays with at least this
    /// many keys per GPU (default 2^23) are downloaded in pieces while later keys are sorted; so
    /// are those of sample sort.
    std::optional<std::uint64_t> digits_min;
    /// `fast` and sample sort swap keys in rounds if a GPU has at least this many; by default if a
    /// round takes longer than its launches (exchange_plan/round_plan.hpp). Sorts from host memory
    /// on several GPUs count uploaded pieces one by one from this many keys per GPU (default 2^23).
    std::optional<std::uint64_t> rounds_min;
    /// A GPU that would receive at least this many equal keys, without values, from another one
    /// generates them instead. The default is the size from which a transfer takes longer than
    /// splitting the copy around them (exchange_plan/swap_sends.hpp).
    std::optional<std::uint64_t> fill_min;
    /// Largest leaf: keys that one block sorts in shared memory, at least 64; by default as many as
    /// fit (primitives/leaves/leaf_sizes.hpp). Smaller leaves need more levels.
    std::optional<std::uint32_t> leaf_max;

    friend bool operator==(FastTuning const&, FastTuning const&) = default;
};

/// True if digits of this width and chunks of this many keys per GPU allow division into segments.
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
    TuningField<std::uint64_t>{"leading_bytes_min", &FastTuning::leading_bytes_min},
    TuningField<std::optional<std::uint64_t>>{"digits_min", &FastTuning::digits_min},
    TuningField<std::optional<std::uint64_t>>{"rounds_min", &FastTuning::rounds_min},
    TuningField<std::optional<std::uint64_t>>{"fill_min", &FastTuning::fill_min},
    TuningField<std::optional<std::uint32_t>>{"leaf_max", &FastTuning::leaf_max}};

} // namespace keyswap::kernels
