#pragma once

/// \file Where the pieces of buckets go in a shuffle. Plain C++.

#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace keyswap::kernels {

/// Bucket b of m goes to GPU floor(b g / m). [m]
[[nodiscard]] std::vector<std::uint32_t> standard_owners(std::uint32_t buckets,
                                                         std::uint32_t gpu_count);

/// The owners that a caller gave, or the standard ones for none; an error for others than m of
/// numbers below g.
[[nodiscard]] tl::expected<std::vector<std::uint32_t>, std::string> checked_owners(
    std::vector<std::uint32_t> const& given, std::uint32_t buckets, std::uint32_t gpu_count);

struct ShufflePlan {
    std::vector<std::uint64_t> starts;       ///< [m] first key of each bucket in the whole output
    std::vector<OwnershipRecord> ownership;  ///< [g]
    std::vector<PlacementRecord> placements; ///< of buckets that hold keys
    /// Source by source, from the first bucket of the next GPU on, so that no destination is
    /// written by all at once. None is empty.
    std::vector<CopyRecord> copies;
};

/// \param counts [g * m] keys of each bucket on each GPU, GPU by GPU
/// \param owners [m] each below g
[[nodiscard]] ShufflePlan plan_shuffle(std::span<std::uint64_t const> counts,
                                       std::span<std::uint32_t const> owners,
                                       std::uint32_t gpu_count);

} // namespace keyswap::kernels
