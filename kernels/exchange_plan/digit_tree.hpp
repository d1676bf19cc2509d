#pragma once

/// \file Buckets whose children variant `fast` counts in one reading for several passes: those that
/// a sample of the keys shows to be large, pass within pass, and those that a pass refines. Plain
/// C++.

#include "kernels/exchange_plan/bucket_images.hpp"
#include "kernels/primitives/steps/digit_nodes.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// The root is the whole input; a node's parent comes before it. At most digit_nodes_max nodes.
class DigitTree {
  public:
    /// The root alone. \pre shape.digit_bits <= 8
    explicit DigitTree(KeyShape shape);

    [[nodiscard]] std::size_t size() const { return buckets_.size(); }
    [[nodiscard]] KeyShape shape() const { return shape_; }
    [[nodiscard]] BucketPrefix bucket(std::size_t node) const { return buckets_[node]; }
    [[nodiscard]] std::optional<std::size_t> find(BucketPrefix bucket) const;
    /// The node that a child is; 0 where it is none. \param digit the child
    [[nodiscard]] std::size_t child(std::size_t node, std::uint32_t digit) const {
        return children_[entry(node, digit)];
    }
    /// Place of a child among the counters of a tree: the digits of a node have a row, in which
    /// those of a narrower last digit are apart.
    [[nodiscard]] std::size_t entry(std::size_t node, std::uint32_t digit) const {
        return (node << shape_.digit_bits) + (std::size_t{digit} << unused_bits(node));
    }
    [[nodiscard]] std::size_t entries() const { return size() << shape_.digit_bits; }
    /// Bits by which a child's digit is narrower than others, in the last pass.
    [[nodiscard]] int unused_bits(std::size_t node) const {
        return shape_.digit_bits - child_bits(node);
    }
    /// Bits of a child's digit.
    [[nodiscard]] int child_bits(std::size_t node) const {
        return shape_.bits_of(buckets_[node].pass + 1);
    }
    /// Where a node is a child. \pre node > 0
    struct Place {
        std::size_t parent = 0;
        std::uint32_t digit = 0;
    };
    [[nodiscard]] Place place(std::size_t node) const;
    [[nodiscard]] ImageRange child_images(std::size_t node, std::uint32_t digit) const;

    /// Adds a bucket, and those that it lies in. \pre it has more than one value
    /// \return false where there is no room, and then the tree may have some of them
    [[nodiscard]] bool add(BucketPrefix bucket);
    /// Adds the children that most of a sample lies in, the largest first, while there is room and
    /// they have so many of it. \param sample images, ascending
    void grow(std::span<std::uint64_t const> sample, std::size_t least);

    /// [digit_nodes_max * 2^digit_bits], of which entries() are used.
    [[nodiscard]] std::span<std::uint8_t const> children() const { return children_; }
    /// What kernels take, but for the children on the device.
    [[nodiscard]] CountedNodes counted() const;

  private:
    /// \pre size() < digit_nodes_max
    std::size_t add_child(std::size_t node, std::uint32_t digit);
    [[nodiscard]] std::uint32_t digit_of(WideImage image, std::size_t node) const;
    /// Children that are no nodes, by their part of a sample.
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
    std::vector<std::uint16_t> places_; ///< of each node as a child
    std::vector<std::uint8_t> children_;
};

} // namespace keyswap::kernels
