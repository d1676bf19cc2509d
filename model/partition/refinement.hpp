#pragma once

#include "model/keys/key_source.hpp"
#include "model/keys/refined_bucket.hpp"
#include "traces/records/bucket_function.hpp"

#include <span>
#include <vector>

namespace keyswap::model {

/// The children of all buckets that one pass divides.
struct RefinedPass {
    std::vector<RefinedBucket> buckets;    ///< in the order of the spanning buckets
    std::vector<BucketFunction> functions; ///< [buckets] functions that divide them
};

/// A bucket to divide, with the interval of its images.
struct SpanningBucket {
    BucketPrefix bucket;
    ImageInterval images;
};

/// Divides buckets into children that ascend with the key, pass by pass. This interface is for
/// rules that depend on the keys or the bucket; RMG sort's digits depend on neither.
class Refinement {
  public:
    virtual ~Refinement() = default;
    /// \param pass 1 = the first
    /// \param spanning ascending; each contains at least two different images
    /// \post every child that is not single-valued contains fewer images than its bucket
    [[nodiscard]] virtual RefinedPass
    refine(int pass, std::span<SpanningBucket const> spanning, KeySource& source) const = 0;
    /// c: bits of a child's index in a prefix; limits the number of passes to 64 / c.
    [[nodiscard]] virtual int child_bits() const = 0;
};

/// The children of a bucket under a monotone function, intersected with the bucket's images.
/// \pre validated(function, key_bits); the function is monotone
[[nodiscard]] RefinedBucket
children_of(SpanningBucket const& bucket, BucketFunction const& function, int key_bits);

} // namespace keyswap::model
