#pragma once

#include "model/keys/key_source.hpp"
#include "model/keys/refined_bucket.hpp"
#include "traces/records/bucket_function.hpp"

#include <span>
#include <vector>

namespace keyswap::model {

/// How one pass divides the buckets that still span borders.
struct RefinedPass {
    std::vector<RefinedBucket> buckets;    ///< in the order of the spanning ones
    std::vector<BucketFunction> functions; ///< [buckets] that gave the children
};

/// A bucket that is to be divided, and where its keys lie.
struct SpanningBucket {
    BucketPrefix bucket;
    ImageInterval images;
};

/// A rule by which each pass divides buckets into children that ascend with the key. RMG's digits
/// are one; this interface is for those that depend on the keys or on the bucket.
class Refinement {
  public:
    virtual ~Refinement() = default;
    /// \param pass 1 = the first
    /// \param spanning ascending; each holds at least two different images
    /// \post every child that is not single-valued holds fewer images than its bucket
    [[nodiscard]] virtual RefinedPass
    refine(int pass, std::span<SpanningBucket const> spanning, KeySource& source) const = 0;
    /// c: bits of a child's index in a prefix, which has room for 64 / c passes.
    [[nodiscard]] virtual int child_bits() const = 0;
};

/// Children of a bucket under a monotone function, cut to the bucket's own images.
/// \pre validated(function, key_bits); it is monotone
[[nodiscard]] RefinedBucket
children_of(SpanningBucket const& bucket, BucketFunction const& function, int key_bits);

} // namespace keyswap::model
