#pragma once

/// \file The keys of a run as its partitions move them: what each step must find and leave.

#include "model/buckets/chunks.hpp"
#include "model/verify/input_keys.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace keyswap::model::verify {

/// What a step must find on one GPU, and leave there.
struct ExpectedStep {
    std::vector<std::uint32_t> labels;   ///< [keys of the part] in the order before the step
    std::vector<std::uint64_t> counts;   ///< [m]
    std::vector<MultisetDigest> digests; ///< [m] of each bucket
    SequenceDigest output;               ///< of the stable partition
};

/// One GPU's part of the input, in the order in which the steps so far left it.
class PartitionedKeys {
  public:
    /// Memory that a key takes here, with a label of its own.
    [[nodiscard]] static std::uint64_t bytes_per_key(KeyType type);

    /// \param range of the input that the GPU begins with
    PartitionedKeys(InputKeys const& keys, RunHeader const& header, model::IndexRange range);

    [[nodiscard]] std::uint64_t size() const { return indices_.size(); }
    [[nodiscard]] MultisetDigest content() const;
    /// Whether the keys ascend.
    [[nodiscard]] bool ascend() const;

    /// Carries a step out, as a stable partition. \pre the function is valid and not foreign
    /// \param column [n] labels of the whole input for a rule by labels
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
    std::variant<std::vector<std::uint64_t>, std::vector<model::uint128>> images_;
    std::vector<std::uint32_t> indices_; ///< where each stood in the input
};

} // namespace keyswap::model::verify
