#pragma once

/// \file Sorts and partitions that carry the whole array through stable steps, again and again: LSD
/// radix sorts, multisplit-sort, a multisplit alone. One GPU or the CPU.

#include "model/partition/bucket_rule.hpp"
#include "model/plan/sort_config.hpp"
#include "traces/records/bucket_function.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// One histogram, scan and scatter over the whole array.
struct PartitionStep {
    int step = 1; ///< 1 = the first
    BucketFunction function;
    Stability stability = Stability::stable;
    std::uint32_t tile_keys = 0;       ///< of the scanned table's columns; 0 = there is no table
    std::vector<std::uint64_t> counts; ///< [m] keys by bucket
    friend bool operator==(PartitionStep const&, PartitionStep const&) = default;
};

struct StepPlan {
    SortConfig config;
    std::vector<PartitionStep> steps;
    friend bool operator==(StepPlan const&, StepPlan const&) = default;
};

/// The steps of an LSD radix sort over digits of the given widths, lowest first.
/// \pre the widths are 1 to 20 and sum up to at most 128
[[nodiscard]] std::vector<BucketFunction> digit_steps(std::span<int const> widths);

/// floor(K / r) digits of r bits, then one of the K mod r that are left (GPU Multisplit, section
/// 7). A last digit of its own width comes after those of the bits below it: 6,6,6,6,8 (Satish et
/// al., Knights Ferry). \param last_bits 0 = none is set apart
/// \pre 1 <= digit_bits <= 20, 0 <= last_bits <= 20, last_bits <= key_bits
[[nodiscard]] std::vector<int> even_digits(int key_bits, int digit_bits, int last_bits = 0);

} // namespace keyswap::model
