#pragma once

/// \file The placement kernel's decisions, computed on the host: if counts are already there, and
/// as a stand-in for the kernel without a GPU.

#include "kernels/primitives/partition/partition_kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Decides the placement of all sub-buckets of a pass.
/// \param table [gpu_count][starts.count][digit_count] counts
/// \param decisions [starts.count][digit_count]
inline void place_buckets(PlacementRule rule,
                          BucketStarts const& starts,
                          std::uint32_t digit_count,
                          std::uint64_t const* table,
                          PlacementDecision* decisions) {
    for (std::uint32_t i = 0; i < starts.count; ++i) {
        std::uint64_t begin = starts.begin[i];
        for (std::uint32_t digit = 0; digit < digit_count; ++digit) {
            std::uint64_t end = begin;
            for (std::uint32_t gpu = 0; gpu < rule.gpu_count; ++gpu) {
                end += table[(std::size_t{gpu} * starts.count + i) * digit_count + digit];
            }
            decisions[std::size_t{i} * digit_count + digit] = {
                begin, end, begin == end ? GpuRange{} : place_bucket(rule, begin, end)};
            begin = end;
        }
    }
}

} // namespace keyswap::kernels
