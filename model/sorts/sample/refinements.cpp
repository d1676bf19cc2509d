#include "model/sorts/sample/refinements.hpp"

#include "model/partition/bucket_rule.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace keyswap::model {

namespace {

BucketFunction uniform_function(ImageInterval const& images, std::uint32_t ways) {
    // Ceiling of (number of images / ways), without exceeding 128 bits.
    uint128 const width = (images.highest - images.lowest) / ways + 1;
    return {ways, DeltaBuckets{key_image(images.lowest), key_image(width)}};
}

} // namespace

UniformRefinement::UniformRefinement(int key_bits, std::uint32_t ways)
    : key_bits_(key_bits), ways_(ways), child_bits_(std::bit_width(ways - 1)) {
    KEYSWAP_EXPECTS(ways >= 2 && ways <= 256);
}

RefinedPass UniformRefinement::refine(int /*pass*/,
                                      std::span<SpanningBucket const> spanning,
                                      KeySource& /*source*/) const {
    RefinedPass result;
    for (SpanningBucket const& bucket : spanning) {
        BucketFunction const function = uniform_function(bucket.images, ways_);
        result.buckets.push_back(children_of(bucket, function, key_bits_));
        result.functions.push_back(function);
    }
    return result;
}

SplitterRefinement::SplitterRefinement(int key_bits, SampleParameters const& parameters)
    : key_bits_(key_bits), parameters_(parameters),
      // m <= max(k, 3): two ways with one equality bucket make three.
      child_bits_(std::bit_width(std::max(parameters.ways, 3U) - 1)) {
    KEYSWAP_EXPECTS(validated(parameters).has_value());
}

RefinedPass SplitterRefinement::refine(int pass,
                                       std::span<SpanningBucket const> spanning,
                                       KeySource& source) const {
    std::vector<uint128> const drawn = draw_sample(parameters_, pass, source);
    RefinedPass result;
    for (SpanningBucket const& bucket : spanning) {
        auto const begin = std::ranges::lower_bound(drawn, bucket.images.lowest);
        auto const end = std::ranges::upper_bound(drawn, bucket.images.highest);
        std::span<uint128 const> const sample(begin, end);
        // A small bucket may have no sampled key; ranges of equal width still make it smaller.
        BucketFunction const function =
            sample.empty() ? uniform_function(bucket.images, parameters_.ways)
                           : splitter_function(splitters_of(sample, parameters_.ways));
        result.buckets.push_back(children_of(bucket, function, key_bits_));
        result.functions.push_back(function);
    }
    return result;
}

} // namespace keyswap::model
