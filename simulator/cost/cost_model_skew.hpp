#pragma once

/// \file How the digits of one thread block are spread, read from the histograms of a plan: the way
/// by which skew enters the cost model. No distribution's name is known here.

#include "model/sorts/rmg/plan.hpp"
#include "simulator/cost/cost_model.hpp"

#include <cstdint>
#include <map>
#include <span>

namespace keyswap::simulator {

/// How much the keys' digits depend on where a key lies: 0 = every part of the input looks like the
/// whole, 1 = a part g times smaller holds g times fewer digits, as in sorted input.
///
/// With c(g) the mean concentration of a GPU's histogram of pass 1 and c(1) that of the whole,
/// returns log(c(g) / c(1)) / log(g): the exponent with which concentration grows as one looks at
/// smaller parts. 0 for one GPU, which has no smaller part to compare with.
[[nodiscard]] double positional_order(model::Plan const& plan);
/// The same from a histogram of all keys, by parts of the input.
[[nodiscard]] double positional_order(model::BucketHistogram const& first);

/// The spread within a block of the part of `histogram` that lies on `gpu`: the GPU's own spread,
/// with its concentration continued down to a block by the exponent of positional_order.
[[nodiscard]] BlockSpread block_spread(model::BucketHistogram const& histogram,
                                       GpuId gpu,
                                       double positional_order,
                                       std::uint64_t block_keys);
/// The same of GPU after GPU: those with equal histograms share a row, and its spread.
class BlockSpreads {
  public:
    /// \param histogram outlives it
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
/// The same of keys of which so many have each digit. \param alike digits that share a count evenly
[[nodiscard]] BlockSpread block_spread(std::span<std::uint64_t const> counts,
                                       double positional_order,
                                       std::uint64_t block_keys,
                                       std::uint64_t alike = 1);

} // namespace keyswap::simulator
