#pragma once

/// \file The division of a segment of records ordered by a comparator only: the sample, the choice
/// of splitters, and the search tree for a record's child. Source: GPU Sample Sort (Leischner,
/// Osipov, Sanders, IPDPS 2010), section 4; equality buckets are ours. Plain C++, also for kernels;
/// `less` need only be a strict weak order.

#include "kernels/primitives/steps/search_tree.hpp"

#include <cstdint>

#if defined(__CUDACC__)
/// Precedes functions that call a comparator, which may be device-only.
#define KEYSWAP_COMPARES _Pragma("nv_exec_check_disable")
#else
#define KEYSWAP_COMPARES
#endif

namespace keyswap::kernels {

/// The use of a pick.
enum class PickRole : std::uint8_t {
    repeats,            ///< equals the previous pick; not used
    splitter,           ///< upper end of a child
    splitter_and_bucket ///< the same, and the next child holds only its equals
};

/// A repeated or single pick gets an equality bucket. Every child with different records is
/// therefore smaller than the segment, and n picks make at most n + 1 children (three for one
/// pick). \param picks [count] sorted
KEYSWAP_COMPARES
template <class Record, class Less>
[[nodiscard]] KEYSWAP_HOST_DEVICE PickRole
role_of_pick(Record const* picks, std::uint32_t count, std::uint32_t pick, Less less) {
    if (pick > 0 && !less(picks[pick - 1], picks[pick])) {
        return PickRole::repeats;
    }
    bool const is_repeated = pick + 1 < count && !less(picks[pick], picks[pick + 1]);
    return is_repeated || count == 1 ? PickRole::splitter_and_bucket : PickRole::splitter;
}

/// Splitters as an implicit search tree, and the child that begins at each of them.
template <class Record>
struct RecordTree {
    /// Flag in `children`: the splitter at the upper end of the child has an equality bucket.
    static constexpr std::uint16_t has_bucket = 1U << 15;

    Record nodes[tree_words];           ///< children of node i are 2i and 2i + 1; the root is 1
    std::uint16_t children[tree_words]; ///< [splitters + 1] by number of splitters below the record
    std::uint32_t splitters;            ///< 1 to 255
    std::uint32_t levels;               ///< of nodes; the fewest that hold the splitters
};

/// Levels of a tree of `splitters` splitters.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint32_t levels_of_tree(std::uint32_t splitters) {
    std::uint32_t levels = 0;
    while (splitters >> levels != 0) {
        ++levels;
    }
    return levels;
}

/// Index of the splitter at a node; excess nodes repeat the last splitter.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint32_t
splitter_of_node(std::uint32_t node, std::uint32_t splitters) {
    std::uint32_t const edge = edge_of_node(node, 1U << levels_of_tree(splitters));
    return edge < splitters ? edge : splitters - 1;
}

/// A record's position in the tree; walks are interleaved, level by level.
struct TreeWalk {
    std::uint32_t node = 1;
    std::uint32_t upper = 0; ///< last visited node whose splitter is not below the record; 0 = none
};

KEYSWAP_COMPARES
template <class Record, class Less>
[[nodiscard]] KEYSWAP_HOST_DEVICE TreeWalk
next_level(TreeWalk walk, RecordTree<Record> const& tree, Record const& record, Less less) {
    bool const is_above = less(tree.nodes[walk.node], record);
    return {2 * walk.node + (is_above ? 1U : 0U), is_above ? walk.upper : walk.node};
}

/// The child of a record after a walk through all levels.
KEYSWAP_COMPARES
template <class Record, class Less>
[[nodiscard]] KEYSWAP_HOST_DEVICE std::uint32_t
child_of_record(TreeWalk walk, RecordTree<Record> const& tree, Record const& record, Less less) {
    std::uint32_t const rank = walk.node - (1U << tree.levels);
    std::uint32_t const below = rank < tree.splitters ? rank : tree.splitters;
    std::uint32_t const child = tree.children[below];
    if ((child & RecordTree<Record>::has_bucket) == 0) {
        return child;
    }
    std::uint32_t const lower = child & ~std::uint32_t{RecordTree<Record>::has_bucket};
    return less(record, tree.nodes[walk.upper]) ? lower : lower + 1;
}

} // namespace keyswap::kernels
