#pragma once

/// \file Which passes of `fast` one reading of the keys counts, by a tree of digits: as
/// kernels/sorts/rmg/digit_counts.cpp decides it.

#include "kernels/exchange_plan/digit_tree.hpp"
#include "model/keys/key_source.hpp"
#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// What one reading has counted.
struct CountedTree {
    kernels::DigitTree tree;
    std::vector<std::uint64_t> counts; ///< [g][tree.entries()], see kernels::swap_pieces()
};
[[nodiscard]] CountedTree
counted(kernels::DigitTree tree, model::Plan const& plan, model::KeySource& keys);

/// What a pass reads the keys for.
enum class PassReading {
    digits, ///< those of the buckets that it refines: there is no tree, or it has no room for them
    tree,   ///< all children of a tree's nodes
    none    ///< the last tree has what it refines
};
struct TreeReadings {
    std::vector<PassReading> passes;       ///< [passes]
    std::vector<kernels::DigitTree> trees; ///< [passes that read one]
};
/// \param sample images, ascending; none where no pass counts by a tree
[[nodiscard]] TreeReadings tree_readings(model::Plan const& plan,
                                         std::span<std::uint64_t const> sample);

} // namespace keyswap::simulator
