#pragma once

/// \file Buckets whose children variant `fast` counts for several passes in one read of the keys:
/// buckets that a sample shows to be large, recursively, and buckets that a pass refines. Plain
/// C++.

#include "kernels/exchange_plan/bucket_images.hpp"
#include "kernels/primitives/steps/digit_nodes.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Node 0, the root, is the whole input; parents precede children. At most digit_nodes_max nodes.
class DigitTree {
  public:
    /// A tree of the root only. \pre shape.digit_bits <= 8
    explicit DigitTree(KeyShape shape);

    [[nodiscard]] std::size_t size() const { return buckets_.size(); }
    [[nodiscard]] KeyShape shape() const { return shape_; }
    [[nodiscard]] BucketPrefix bucket(std::size_t node) const { return buckets_[node]; }
    [[nodiscard]] std::optional<std::size_t> find(BucketPrefix bucket) const;
    /// The node of a node's child; 0 if the child is not a node. \param digit index of the child
    [[nodiscard]] std::size_t child(std::size_t node, std::uint32_t digit) const {
        return children_[entry(node, digit)];
    }
    /// Index of a child's counter: each node has a row of 2^digit_bits counters; a narrower last
    /// digit uses every 2^unused_bits(node)-th one.
    [[nodiscard]] std::size_t entry(std::size_t node, std::uint32_t digit) const {
        return (node << shape_.digit_bits) + (std::size_t{digit} << unused_bits(node));
    }
    [[nodiscard]] std::size_t entries() const { return size() << shape_.digit_bits; }
    /// Bits by which a child's digit is narrower than digit_bits; positive in the last pass only.
    [[nodiscard]] int unused_bits(std::size_t node) const {
        return shape_.digit_bits - child_bits(node);
    }
    /// Bits of a child's digit.
    [[nodiscard]] int child_bits(std::size_t node) const {
        return shape_.bits_of(buckets_[node].pass + 1);
    }
    /// A node's position among its parent's children. \pre node > 0
    struct Place {
        std::size_t parent = 0;
        std::uint32_t digit = 0;
    };
    [[nodiscard]] Place place(std::size_t node) const;
    [[nodiscard]] ImageRange child_images(std::size_t node, std::uint32_t digit) const;

    /// Adds a bucket and its ancestors. \pre the bucket can hold more than one value
    /// \return false if the tree is full; some of the ancestors may have been added
    [[nodiscard]] bool add(BucketPrefix bucket);
    /// Adds the children that hold at least `least` keys of the sample, largest first, until the
    /// tree is full. \param sample images, ascending
    void grow(std::span<std::uint64_t const> sample, std::size_t least);

    /// [digit_nodes_max * 2^digit_bits] node of each child or 0; the first entries() are in use.
    [[nodiscard]] std::span<std::uint8_t const> children() const { return children_; }
    /// Kernel argument for this tree; the array of children must be uploaded separately.
    [[nodiscard]] CountedNodes counted() const;

  private:
    /// \pre size() < digit_nodes_max
    std::size_t add_child(std::size_t node, std::uint32_t digit);
    [[nodiscard]] std::uint32_t digit_of(WideImage image, std::size_t node) const;
    /// A child that is not a node yet, with its share of the sample.
    struct Candidate {
        std::span<std::uint64_t const> sample;
        std::size_t node = 0;
        std::uint32_t digit = 0;
    };
    void add_candidates(std::span<std::uint64_t const> sample,
                        std::size_t node,
                        std::size_t least,
                        std::vector<Candidate>& candidates) const;

    KeyShape shape_;
    std::vector<BucketPrefix> buckets_;
    std::vector<std::uint16_t> places_; ///< [nodes] entry() of each node in its parent's row
    std::vector<std::uint8_t> children_;
};

} // namespace keyswap::kernels
