#include "traces/catalog/exchange_parameters.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{VariantInfo{
    "published", "every bucket is divided evenly; one exchange", SwapLayout::by_bucket, ""}};

constexpr std::array parameters{ways_parameter("as many as sample sort makes"),
                                tolerance_parameter(splitter_tolerance_ppm, "as for sample sort"),
                                fuse_parameter};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "balance"};

constexpr AlgorithmInfo info{"uniform-buckets",
                             "Buckets of equal width in image space, as in bbsort and hybrid sort; "
                             "a baseline of sample sort",
                             "Sintorn, Assarsson, JPDC 2008; across GPUs as RMG sort",
                             Operation::sort,
                             variants,
                             parameters,
                             GpuCounts::any,
                             every_residence,
                             narrow_key_types,
                             every_value_type,
                             Stability::unstable,
                             exchange_phases,
                             properties};

} // namespace

AlgorithmInfo const& uniform_buckets_algorithm() {
    return info;
}

} // namespace keyswap
