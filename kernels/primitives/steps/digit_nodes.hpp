#pragma once

/// \file Nodes of a digit tree (exchange_plan/digit_tree.hpp) as kernels take them. Plain C++.

#include "kernels/primitives/key_shape.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// A block keeps 2^8 counters of each in shared memory.
inline constexpr std::uint32_t digit_nodes_max = 32;
/// Nodes that lead to labels (RangeLabels): a scatter's blocks have less shared memory left.
inline constexpr std::uint32_t label_nodes_max = 16;

/// Where a digit of a key leads among labels: to the next node, to the key's label, or to the first
/// label that it may have.
struct LabelEntry {
    static constexpr std::uint32_t node_bit = 0x8000;
    static constexpr std::uint32_t search_bit = 0x4000;
    static constexpr std::uint32_t number_mask = 0x3fff;
};

/// Buckets whose children are counted, the root first and each behind its parent.
struct CountedNodes {
    /// [count][2^digit_bits] device: the node that a child is; 0 where it is none.
    std::uint8_t const* children = nullptr;
    std::uint32_t count = 1;
    std::uint16_t place_in_parent[digit_nodes_max] = {}; ///< counter of the node as a child
    int depth = 1; ///< digits that a key has which lies in the deepest
    KeyShape shape;
};

} // namespace keyswap::kernels
