#pragma once

/// \file Digit distribution within a thread block, computed from the histograms of a plan. This is
/// how skew enters the cost model; no formula depends on the name of a distribution.

#include "model/sorts/rmg/plan.hpp"
#include "simulator/cost/cost_model.hpp"

#include <cstdint>
#include <map>
#include <span>

namespace keyswap::simulator {

/// How strongly digits depend on the position in the input: 0 = each part has the digits of the
/// whole, 1 = a part g times smaller has g times fewer digits, as in sorted input.
///
/// With c(g) the mean concentration of a GPU's histogram in pass 1 and c(1) that of the whole,
/// returns log(c(g) / c(1)) / log(g), in [0, 1]: the exponent of growth of the concentration as
/// parts get smaller. 0 if fewer than two GPUs have keys.
[[nodiscard]] double positional_order(model::Plan const& plan);
/// The same from pass 1's histogram, whose GPUs hold consecutive parts of the input.
[[nodiscard]] double positional_order(model::BucketHistogram const& first);

/// Distribution within a block of the GPU's keys in `histogram`: the GPU's own distribution, with
/// the concentration extrapolated to a block by the exponent positional_order.
[[nodiscard]] BlockSpread block_spread(model::BucketHistogram const& histogram,
                                       GpuId gpu,
                                       double positional_order,
                                       std::uint64_t block_keys);
/// Caches block_spread() per row: GPUs with equal histograms share one.
class BlockSpreads {
  public:
    /// \param histogram must outlive the object
    BlockSpreads(model::BucketHistogram const& histogram,
                 double positional_order,
                 std::uint64_t block_keys)
        : histogram_(histogram), positional_order_(positional_order), block_keys_(block_keys) {}

    [[nodiscard]] BlockSpread of(GpuId gpu);

  private:
    model::BucketHistogram const& histogram_;
    double positional_order_;
    std::uint64_t block_keys_;
    std::map<std::uint32_t, BlockSpread> of_rows_;
};
/// From keys per digit. \param alike number of digits that share each count evenly
[[nodiscard]] BlockSpread block_spread(std::span<std::uint64_t const> counts,
                                       double positional_order,
                                       std::uint64_t block_keys,
                                       std::uint64_t alike = 1);

} // namespace keyswap::simulator
