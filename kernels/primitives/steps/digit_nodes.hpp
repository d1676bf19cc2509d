#pragma once

/// \file Nodes of a digit tree (exchange_plan/digit_tree.hpp) in kernel format. Plain C++.

#include "kernels/primitives/key_shape.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// A block holds 2^8 counters per node in shared memory.
inline constexpr std::uint32_t digit_nodes_max = 32;
/// Most nodes that lead to labels (RangeLabels): blocks of a scatter have less shared memory left.
inline constexpr std::uint32_t label_nodes_max = 16;

/// Entry of a digit in the label table: the next node, a final label, or the first label to search
/// from.
struct LabelEntry {
    static constexpr std::uint32_t node_bit = 0x8000;
    static constexpr std::uint32_t search_bit = 0x4000;
    static constexpr std::uint32_t number_mask = 0x3fff;
};

/// Buckets whose children are counted; the root is first, parents precede children.
struct CountedNodes {
    /// [count][2^digit_bits] device: node of a child; 0 if it is not a node.
    std::uint8_t const* children = nullptr;
    std::uint32_t count = 1;
    std::uint16_t place_in_parent[digit_nodes_max] = {}; ///< counter of each node, in its parent
    int depth = 1; ///< digits of a key down to the deepest node, and its child
    KeyShape shape;
};

} // namespace keyswap::kernels
