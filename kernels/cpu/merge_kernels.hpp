#pragma once

/// \file The two operations of merge sort for keys without values: with SIMD (Highway, dispatched
/// at run time) if compiled in, and scalar.

#include "kernels/cpu/column_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace keyswap::kernels {

enum class SimdUse {
    best, ///< the widest instructions supported by machine and build
    none  ///< the scalar implementation of the same algorithm
};

/// "AVX3", "AVX2", ...; "scalar" for SimdUse::none and for builds without Highway.
[[nodiscard]] std::string simd_target(SimdUse use);

/// \tparam Word std::uint32_t or std::uint64_t
template <class Word>
struct MergeKernels {
    /// Sorts each run of column_keys keys; the last run may be shorter.
    void (*sort_columns)(std::span<Word const> from, std::span<Word> to);
    /// Merges two runs, possibly empty. \pre `to` has their total size and overlaps neither
    void (*merge)(std::span<Word const> first, std::span<Word const> second, std::span<Word> to);
};

template <class Word>
[[nodiscard]] MergeKernels<Word> merge_kernels(SimdUse use);

} // namespace keyswap::kernels
