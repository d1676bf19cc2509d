#include "model/verify/recorded_buckets.hpp"

#include "model/sorts/algorithm.hpp"

namespace keyswap::conformance {

model::BucketSpace bucket_space_of(model::SortConfig const& config, RecordedRun const& run) {
    int const bits = key_bits(config.key_type);
    auto const algorithm = model::find_algorithm(run.header.algorithm);
    if (!algorithm || (*algorithm)->refinement == nullptr) {
        return model::BucketSpace(model::DigitLayout(bits, config.digit_bits));
    }
    return model::BucketSpace(bits, (*algorithm)->refinement(config)->child_bits());
}

} // namespace keyswap::conformance
