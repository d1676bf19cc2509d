#include "model/verify/partition/expected_partition.hpp"

#include "model/partition/bucket_rule.hpp"
#include "model/partition/stable_partition.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace keyswap::model::verify {

std::uint64_t PartitionedKeys::bytes_per_key(KeyType type) {
    // An image and an index, both double-buffered during a step, and a label.
    return key_bits(type) <= 64 ? 32 : 48;
}

PartitionedKeys::PartitionedKeys(InputKeys const& keys, RunHeader const& header, IndexRange range)
    : key_bits_(key_bits(header.key_type)), has_values_(header.value_type != ValueType::none),
      indices_(range.size()) {
    KEYSWAP_EXPECTS(range.end <= std::numeric_limits<std::uint32_t>::max());
    if (key_bits_ > 64) {
        images_.emplace<std::vector<uint128>>();
    }
    std::visit(
        [&]<class Word>(std::vector<Word>& images) {
            images.resize(range.size());
            keys.images(range.begin, std::span<Word>(images));
        },
        images_);
    std::iota(indices_.begin(), indices_.end(), static_cast<std::uint32_t>(range.begin));
}

template <class Word>
MultisetDigest PartitionedKeys::element(std::vector<Word> const& images, std::size_t i) const {
    return element_digest(images[i], has_values_ ? indices_[i] : 0);
}

MultisetDigest PartitionedKeys::content() const {
    return std::visit(
        [this](auto const& images) {
            MultisetDigest sum;
            for (std::size_t i = 0; i < images.size(); ++i) {
                sum += element(images, i);
            }
            return sum;
        },
        images_);
}

bool PartitionedKeys::ascend() const {
    return std::visit([](auto const& images) { return std::ranges::is_sorted(images); }, images_);
}

ExpectedStep PartitionedKeys::carry_out(BucketFunction const& function,
                                        std::span<std::uint32_t const> column) {
    return std::visit([&](auto& images) { return carry_out(images, function, column); }, images_);
}

template <class Word>
ExpectedStep PartitionedKeys::carry_out(std::vector<Word>& images,
                                        BucketFunction const& function,
                                        std::span<std::uint32_t const> column) {
    BucketEvaluator const evaluator(function, key_bits_, column);
    ExpectedStep step;
    step.labels.resize(images.size());
    step.digests.resize(function.buckets);
    for (std::size_t i = 0; i < images.size(); ++i) {
        step.labels[i] = evaluator.bucket_of(images[i], indices_[i]);
        step.digests[step.labels[i]] += element(images, i);
    }
    std::vector<Word> moved_images(images.size());
    std::vector<std::uint32_t> moved_indices(indices_.size());
    using Arrays = KeyArrays<Word, std::uint32_t>;
    step.counts = stable_partition(std::span<std::uint32_t const>(step.labels),
                                   function.buckets,
                                   Arrays{images, indices_},
                                   Arrays{moved_images, moved_indices});
    images = std::move(moved_images);
    indices_ = std::move(moved_indices);
    for (std::size_t i = 0; i < images.size(); ++i) {
        step.output += digest_at(i, element(images, i));
    }
    return step;
}

} // namespace keyswap::model::verify
