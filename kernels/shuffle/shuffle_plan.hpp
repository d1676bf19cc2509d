#pragma once

/// \file Destinations of the buckets' pieces in a shuffle. Plain C++.

#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace keyswap::kernels {

/// Default owners [m]: bucket b of m belongs to GPU floor(b g / m).
[[nodiscard]] std::vector<std::uint32_t> default_owners(std::uint32_t buckets,
                                                        std::uint32_t gpu_count);

/// The caller's owners, or the default owners if `given` is empty; an error unless there are m
/// numbers below g.
[[nodiscard]] tl::expected<std::vector<std::uint32_t>, std::string> validate_owners(
    std::vector<std::uint32_t> const& given, std::uint32_t buckets, std::uint32_t gpu_count);

struct ShufflePlan {
    std::vector<std::uint64_t> starts;       ///< [m] global index of each bucket's first key
    std::vector<OwnershipRecord> ownership;  ///< [g]
    std::vector<PlacementRecord> placements; ///< of non-empty buckets
    /// By source, starting with the first bucket of the next GPU, so that sources do not all write
    /// to the same destination at once. Never empty ones.
    std::vector<CopyRecord> copies;
};

/// \param counts [g * m] keys by GPU and bucket, GPU-major
/// \param owners [m] each below g
[[nodiscard]] ShufflePlan plan_shuffle(std::span<std::uint64_t const> counts,
                                       std::span<std::uint32_t const> owners,
                                       std::uint32_t gpu_count);

} // namespace keyswap::kernels
