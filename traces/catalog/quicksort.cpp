#include "traces/catalog/exchange_parameters.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"published",
                "buckets around a pivot; keys that equal it get one of their own; one exchange",
                SwapLayout::by_bucket,
                ""}};

constexpr std::array parameters{
    sample_seed_parameter("Seed of the positions at which pivots are drawn"),
    tolerance_parameter(splitter_tolerance_ppm, splitter_tolerance_source),
    fuse_parameter};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "balance"};

constexpr AlgorithmInfo info{
    "quicksort",
    "Quicksort: every pass divides by one pivot; a baseline of sample sort",
    "Hoare, Computer Journal 1962; across GPUs as RMG sort",
    Operation::sort,
    variants,
    parameters,
    GpuCounts::any,
    every_residence,
    every_key_type,
    every_value_type,
    Stability::unstable,
    exchange_phases,
    properties};

} // namespace

AlgorithmInfo const& quicksort_algorithm() {
    return info;
}

} // namespace keyswap
