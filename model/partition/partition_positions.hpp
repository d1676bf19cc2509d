#pragma once

/// \file Positions of keys after a stable partition: the definition, and the hierarchical form that
/// GPUs compute. Source: GPU Multisplit (Ashkiani et al., TOPC 2017), equations (1) to (4).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Histogram of the labels, [buckets]. \pre labels are below `buckets`
[[nodiscard]] std::vector<std::uint64_t> bucket_counts(std::span<std::uint32_t const> labels,
                                                       std::uint32_t buckets);

/// Exclusive prefix sum: the start of each bucket.
[[nodiscard]] std::vector<std::uint64_t> exclusive_sums(std::span<std::uint64_t const> counts);

/// Equation (1): p(i) = (sum of h_k over buckets k < j) + number of earlier keys in bucket j, for
/// key i in bucket j. \return [n]
[[nodiscard]] std::vector<std::uint64_t> partition_positions(std::span<std::uint32_t const> labels,
                                                             std::uint32_t buckets);

/// Equation (3): the same positions, computed through a hierarchy of consecutive subproblems.
/// \param sizes keys in a subproblem of each level, coarse to fine, each a multiple of the next;
///        within the finest level, earlier keys are counted directly
[[nodiscard]] std::vector<std::uint64_t>
partition_positions_by_levels(std::span<std::uint32_t const> labels,
                              std::uint32_t buckets,
                              std::span<std::size_t const> sizes);

/// The scanned table G of a tiled partition: the exclusive prefix sum over the tiles' histograms
/// in bucket-major order. \return [buckets x tiles], entry (j, l) at j * tiles + l
/// \pre tile_keys > 0
[[nodiscard]] std::vector<std::uint64_t>
scanned_table(std::span<std::uint32_t const> labels, std::uint32_t buckets, std::size_t tile_keys);

} // namespace keyswap::model
