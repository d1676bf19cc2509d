#pragma once

/// \file Decides which passes of `fast` share one reading of the keys, by a tree of digits, as
/// kernels/sorts/rmg/digit_counts.cpp does.

#include "kernels/exchange_plan/digit_tree.hpp"
#include "model/keys/key_source.hpp"
#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// A digit tree with the counts of one reading.
struct CountedTree {
    kernels::DigitTree tree;
    std::vector<std::uint64_t> counts; ///< [g][tree.entries()], see kernels::swap_pieces()
};
[[nodiscard]] CountedTree
counted(kernels::DigitTree tree, model::Plan const& plan, model::KeySource& keys);

/// What a pass counts when it reads the keys.
enum class PassReading {
    digits, ///< digits of the buckets to refine: no tree exists, or they do not fit in it
    tree,   ///< all children of a tree's nodes
    none    ///< no reading: the latest tree has counted these buckets
};
struct TreeReadings {
    std::vector<PassReading> passes;       ///< [passes]
    std::vector<kernels::DigitTree> trees; ///< [passes with PassReading::tree]
};
/// \param sample images, ascending; empty: no pass counts by a tree
[[nodiscard]] TreeReadings tree_readings(model::Plan const& plan,
                                         std::span<std::uint64_t const> sample);

} // namespace keyswap::simulator
