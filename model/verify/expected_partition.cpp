#include "model/verify/expected_partition.hpp"

#include "model/partition/bucket_rule.hpp"
#include "model/partition/stable_partition.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace keyswap::conformance {

PartitionedKeys::PartitionedKeys(InputKeys const& keys, model::IndexRange range, bool has_values)
    : has_values_(has_values), images_(range.size()), indices_(range.size()) {
    KEYSWAP_EXPECTS(range.end <= std::numeric_limits<std::uint32_t>::max());
    keys.images(range.begin, images_);
    std::iota(indices_.begin(), indices_.end(), static_cast<std::uint32_t>(range.begin));
}

MultisetDigest PartitionedKeys::element(std::size_t i) const {
    return digest_of(images_[i], has_values_ ? indices_[i] : 0);
}

MultisetDigest PartitionedKeys::content() const {
    MultisetDigest sum;
    for (std::size_t i = 0; i < images_.size(); ++i) {
        sum += element(i);
    }
    return sum;
}

bool PartitionedKeys::ascend() const {
    return std::ranges::is_sorted(images_);
}

ExpectedStep PartitionedKeys::carry_out(BucketFunction const& function,
                                        int key_bits,
                                        std::span<std::uint32_t const> column) {
    model::BucketEvaluator const evaluator(function, key_bits, column);
    ExpectedStep step;
    step.labels.resize(images_.size());
    step.digests.resize(function.buckets);
    for (std::size_t i = 0; i < images_.size(); ++i) {
        step.labels[i] = evaluator.bucket_of(images_[i], indices_[i]);
        step.digests[step.labels[i]] += element(i);
    }
    std::vector<std::uint64_t> images(images_.size());
    std::vector<std::uint32_t> indices(indices_.size());
    using Arrays = model::KeyArrays<std::uint64_t, std::uint32_t>;
    step.counts = model::stable_partition(std::span<std::uint32_t const>(step.labels),
                                          function.buckets,
                                          Arrays{images_, indices_},
                                          Arrays{images, indices});
    images_ = std::move(images);
    indices_ = std::move(indices);
    for (std::size_t i = 0; i < images_.size(); ++i) {
        step.output += digest_at(i, element(i));
    }
    return step;
}

} // namespace keyswap::conformance
