#include "traces/catalog/exchange_parameters.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"fast",
                "splitters that many keys equal get buckets of their own; rounds as RMG's fast",
                SwapLayout::by_round,
                ""},
    VariantInfo{"paper",
                "the same exchange; each GPU sorts its keys as published",
                SwapLayout::by_bucket,
                ""}};

constexpr std::array parameters{
    ways_parameter("GPU Sample Sort paper, \"Parameters\", which takes 128 on one GPU"),
    ParameterInfo{"oversampling",
                  "keys",
                  "Keys that the first pass samples per way",
                  1,
                  1024,
                  32,
                  "GPU Sample Sort paper, \"Parameters\", which takes 30, and 15 of 64-bit keys"},
    sample_seed_parameter("Seed of the sample positions"),
    tolerance_parameter(splitter_tolerance_ppm, splitter_tolerance_source),
    fuse_parameter};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "balance"};

constexpr AlgorithmInfo info{
    "sample-sort",
    "Sample sort: buckets between splitters drawn from the keys, one all-to-all key swap",
    "Leischner, Osipov, Sanders, IPDPS 2010; across GPUs as RMG sort",
    Operation::sort,
    variants,
    parameters,
    GpuCounts::any,
    every_residence,
    every_key_type,
    every_value_type,
    Stability::unstable,
    round_phases,
    properties};

} // namespace

AlgorithmInfo const& sample_sort_algorithm() {
    return info;
}

} // namespace keyswap
