#pragma once

/// \file Buckets whose children one reading of the keys counts: those that a sample shows to be
/// large, pass within pass, and those that a pass refines. Mirrors kernels/sorts/rmg
/// (digit_tree.cpp, digit_counts.cpp).

#include "model/buckets/digit_layout.hpp"
#include "model/keys/key_source.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "simulator/schedules/crowding.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// The root is the whole input; a node's parent comes before it.
class DigitTree {
  public:
    explicit DigitTree(model::DigitLayout layout);

    [[nodiscard]] std::size_t size() const { return buckets_.size(); }
    [[nodiscard]] model::DigitLayout const& layout() const { return layout_; }
    [[nodiscard]] BucketPrefix bucket(std::size_t node) const { return buckets_[node]; }
    [[nodiscard]] std::optional<std::size_t> find(BucketPrefix bucket) const;
    /// Digits by which a node's children are told apart.
    [[nodiscard]] std::uint32_t child_count(std::size_t node) const {
        return layout_.digit_count(buckets_[node].pass + 1);
    }

    /// Digits of the deepest node's children.
    [[nodiscard]] int depth() const;

    /// Adds a bucket, and those that it lies in. \return false where there is no room
    [[nodiscard]] bool add(BucketPrefix bucket);
    /// Adds the buckets that most of a sample lies in while there is room.
    void grow(KeySample const& sample);

  private:
    model::DigitLayout layout_;
    std::vector<BucketPrefix> buckets_;
    std::map<BucketPrefix, std::size_t> nodes_;
};

/// What one reading has counted.
struct CountedTree {
    DigitTree tree;
    std::vector<model::BucketHistogram> counts; ///< [nodes]
};
[[nodiscard]] CountedTree
counted(DigitTree tree, model::Chunks const& chunks, model::KeySource& keys);

/// What a pass reads the keys for.
enum class PassReading {
    digits, ///< those of the buckets that it refines: there is no tree, or it has no room for them
    tree,   ///< all children of a tree's nodes
    none    ///< the last tree has what it refines
};
struct TreeReadings {
    std::vector<PassReading> passes; ///< [passes]
    std::vector<DigitTree> trees;    ///< [passes that read one]
};
[[nodiscard]] TreeReadings tree_readings(model::Plan const& plan, KeySample const& sample);

} // namespace keyswap::simulator
