#pragma once

/// \file An implicit search tree over up to 255 edges for the label kernels: the child of an image
/// is the number of edges <= the image. Source: GPU Sample Sort, section 4.

#include "traces/records/digest.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Index of a draw from a segment: pseudo-random, the same in every run on the same input.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t
sample_position(std::uint64_t begin, std::uint64_t count, std::uint32_t draw) {
    __extension__ using Product = unsigned __int128;
    std::uint64_t const random = mix_bits(mix_bits(begin) + draw * 0x9e3779b97f4a7c15ULL);
    return begin + static_cast<std::uint64_t>((static_cast<Product>(random) * count) >> 64);
}

inline constexpr int tree_levels = 8;
/// Words of a tree. Children of node i are 2i and 2i + 1; word 0 holds the number of edges.
inline constexpr std::uint32_t tree_words = 1U << tree_levels;

/// Index of the edge at a node, in ascending order of edges. \pre 1 <= node < words
/// \param words of the tree, a power of two
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint32_t
edge_of_node(std::uint32_t node, std::uint32_t words = tree_words) {
    std::uint32_t first = 1; // of the node's level
    std::uint32_t step = words;
    while (2 * first <= node) {
        first *= 2;
        step /= 2;
    }
    return (node - first) * step + step / 2 - 1;
}

/// Word `node` of the tree of `count` ascending edges. Nodes without an edge hold the largest word,
/// which only the largest image reaches; child_in_tree() corrects for that.
/// \param words of the tree, a power of two \pre count < words
template <class Word>
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr Word tree_word(Word const* edges,
                                                           std::uint32_t count,
                                                           std::uint32_t node,
                                                           std::uint32_t words = tree_words) {
    if (node == 0) {
        return static_cast<Word>(count);
    }
    std::uint32_t const edge = edge_of_node(node, words);
    return edge < count ? edges[edge] : static_cast<Word>(~Word{0});
}

/// The child of an image. \param tree [2^levels]
template <int levels = tree_levels, class Word>
[[nodiscard]] KEYSWAP_HOST_DEVICE inline std::uint32_t child_in_tree(Word const* tree, Word image) {
    std::uint32_t node = 1;
    for (int level = 0; level < levels; ++level) {
        node = 2 * node + (image >= tree[node] ? 1U : 0U);
    }
    std::uint32_t const rank = node - (1U << levels);
    auto const count = static_cast<std::uint32_t>(tree[0]);
    return rank < count ? rank : count;
}

} // namespace keyswap::kernels
