#pragma once

/// \file Where a stable partition puts each key: the definition, and the hierarchical form in which
/// GPUs compute it. Source: GPU Multisplit (Ashkiani et al., TOPC 2017), equations (1) to (4).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Keys by bucket. \pre labels are below `buckets`
[[nodiscard]] std::vector<std::uint64_t> bucket_counts(std::span<std::uint32_t const> labels,
                                                       std::uint32_t buckets);

/// Exclusive prefix sums: where each bucket starts.
[[nodiscard]] std::vector<std::uint64_t> exclusive_sums(std::span<std::uint64_t const> counts);

/// Equation (1): p(i) = sum of h_k over buckets k below j, plus the earlier keys of bucket j, for
/// key i in bucket j. \return [n]
[[nodiscard]] std::vector<std::uint64_t> partition_positions(std::span<std::uint32_t const> labels,
                                                             std::uint32_t buckets);

/// Equation (3): the same positions through a hierarchy of consecutive subproblems.
/// \param sizes keys of a subproblem of each level, coarse to fine, each a multiple of the next;
///        inside the finest one earlier keys are counted directly
[[nodiscard]] std::vector<std::uint64_t>
partition_positions_by_levels(std::span<std::uint32_t const> labels,
                              std::uint32_t buckets,
                              std::span<std::size_t const> sizes);

/// The scanned table G of a partition by tiles: the exclusive prefix sum over the tiles' histograms
/// in bucket-major order. \return [buckets x tiles], entry (j, l) at j * tiles + l
/// \pre tile_keys > 0
[[nodiscard]] std::vector<std::uint64_t>
scanned_table(std::span<std::uint32_t const> labels, std::uint32_t buckets, std::size_t tile_keys);

} // namespace keyswap::model
