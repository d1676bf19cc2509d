#pragma once

/// \file The two operations of which merge sort of keys without values consists: for SIMD (Highway,
/// dispatched at run time) where the build has it, and scalar.

#include "kernels/cpu/column_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace keyswap::kernels {

enum class SimdUse {
    best, ///< the widest instructions that this machine and this build have
    none  ///< the scalar build of the same algorithm
};

/// "AVX3", "AVX2", ...; "scalar" for SimdUse::none and where the build has no Highway.
[[nodiscard]] std::string simd_target(SimdUse use);

/// \tparam Word std::uint32_t or std::uint64_t
template <class Word>
struct MergeKernels {
    /// Sorts each run of column_keys keys, and the last one, which may be shorter.
    void (*sort_columns)(std::span<Word const> from, std::span<Word> to);
    /// Merges two runs, either of which may be empty. \pre `to` is as long as both, overlaps none
    void (*merge)(std::span<Word const> first, std::span<Word const> second, std::span<Word> to);
};

template <class Word>
[[nodiscard]] MergeKernels<Word> merge_kernels(SimdUse use);

} // namespace keyswap::kernels
