#include "model/verify/recorded_buckets.hpp"

#include "model/sorts/algorithm.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::model::verify {

BucketSpace bucket_space_of(SortConfig const& config, RecordedRun const& run) {
    int const bits = key_bits(config.key_type);
    auto const algorithm = find_algorithm(run.header.algorithm);
    if (!algorithm || (*algorithm)->refinement == nullptr) {
        return BucketSpace(DigitLayout(bits, config.digit_bits));
    }
    BucketSpace space(bits, (*algorithm)->refinement(config)->child_bits());
    std::vector<BucketFunctionRecord> functions = run.functions;
    std::ranges::stable_sort(functions, {}, &BucketFunctionRecord::bucket); // parents first
    for (BucketFunctionRecord const& record : functions) {
        space.divide(record.bucket, record.function);
    }
    return space;
}

} // namespace keyswap::model::verify
