#pragma once

/// \file Sorts and partitions that pass the whole array through a sequence of stable steps: LSD
/// radix sorts, multisplit-sort, a single multisplit. One GPU or the CPU.

#include "model/partition/bucket_rule.hpp"
#include "model/plan/sort_config.hpp"
#include "traces/records/bucket_function.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// One step over the whole array: histogram, prefix sum and scatter.
struct PartitionStep {
    int step = 1; ///< 1 = the first
    BucketFunction function;
    Stability stability = Stability::stable;
    std::uint32_t tile_keys = 0;       ///< keys in a column of the scanned table; 0 = no table
    std::vector<std::uint64_t> counts; ///< [m] keys in each bucket
    friend bool operator==(PartitionStep const&, PartitionStep const&) = default;
};

struct StepPlan {
    SortConfig config;
    std::vector<PartitionStep> steps;
    friend bool operator==(StepPlan const&, StepPlan const&) = default;
};

/// The steps of an LSD radix sort with digits of the given widths, least significant first.
/// \pre each width is 1 to 20; their sum is at most 128
[[nodiscard]] std::vector<BucketFunction> digit_steps(std::span<int const> widths);

/// floor(K / r) digits of r bits, then one of the remaining K mod r bits (GPU Multisplit, section
/// 7). With last_bits > 0 the most significant digit has that width: 6,6,6,6,8 (Satish et
/// al., Knights Ferry). \param last_bits 0 = no separate last digit
/// \pre 1 <= digit_bits <= 20, 0 <= last_bits <= 20, last_bits <= key_bits
[[nodiscard]] std::vector<int> even_digits(int key_bits, int digit_bits, int last_bits = 0);

} // namespace keyswap::model
