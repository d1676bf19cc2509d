#include "model/partition/refinement.hpp"

#include "model/partition/bucket_rule.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::model {

RefinedBucket
children_of(SpanningBucket const& bucket, BucketFunction const& function, int key_bits) {
    auto const edges = lower_edges(function, key_bits);
    KEYSWAP_EXPECTS(edges.has_value());
    RefinedBucket refined{bucket.bucket, std::vector<ImageInterval>(function.buckets)};
    uint128 lowest = bucket.images.lowest;
    for (std::size_t child = 0; child < function.buckets; ++child) {
        // Omitted edges lie above the largest image.
        bool const bounded = child < edges->size();
        uint128 const edge = bounded ? (*edges)[child] : 0;
        bool const ends_inside = bounded && edge <= bucket.images.highest;
        if (ends_inside && edge <= lowest) {
            continue;
        }
        refined.children[child] = {lowest, ends_inside ? edge - 1 : bucket.images.highest};
        if (!ends_inside) {
            break;
        }
        lowest = edge;
    }
    return refined;
}

} // namespace keyswap::model
