#pragma once

/// \file Executes the partitions of a run on its keys, for comparison with the recorded steps.

#include "model/buckets/chunks.hpp"
#include "model/verify/expected/input_keys.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace keyswap::model::verify {

/// Expected state of a GPU's part before and after a step.
struct ExpectedStep {
    std::vector<std::uint32_t> labels;   ///< [keys of the part] in the order before the step
    std::vector<std::uint64_t> counts;   ///< [m]
    std::vector<MultisetDigest> digests; ///< [m] multiset of each bucket
    SequenceDigest output;               ///< sequence after the stable partition
};

/// One GPU's part of the input, in the order after the steps executed so far.
class PartitionedKeys {
  public:
    /// Bytes of memory per key in this class, including its own label.
    [[nodiscard]] static std::uint64_t bytes_per_key(KeyType type);

    /// \param range part of the input on this GPU
    PartitionedKeys(InputKeys const& keys, RunHeader const& header, IndexRange range);

    [[nodiscard]] std::uint64_t size() const { return indices_.size(); }
    [[nodiscard]] MultisetDigest content() const;
    /// True if the keys are in ascending order.
    [[nodiscard]] bool ascend() const;

    /// Executes a step as a stable partition. \pre the function is valid and not foreign
    /// \param column [n] labels of the whole input, for a label rule
    ExpectedStep carry_out(BucketFunction const& function, std::span<std::uint32_t const> column);

  private:
    template <class Word>
    ExpectedStep carry_out(std::vector<Word>& images,
                           BucketFunction const& function,
                           std::span<std::uint32_t const> column);
    template <class Word>
    [[nodiscard]] MultisetDigest element(std::vector<Word> const& images, std::size_t i) const;

    int key_bits_;
    bool has_values_;
    std::variant<std::vector<std::uint64_t>, std::vector<uint128>> images_;
    std::vector<std::uint32_t> indices_; ///< input position of each key
};

} // namespace keyswap::model::verify
