/// \file Sorts that divide buckets by a refinement in place of digits.

#include "traces/catalog/exchange_parameters.hpp"

namespace keyswap {

namespace {

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "balance"};

} // namespace

AlgorithmInfo const& sample_sort_algorithm() {
    static constexpr std::array variants{
        VariantInfo{"fast",
                    "frequent splitter values get their own buckets; rounds as in RMG's fast",
                    SwapLayout::by_round,
                    ""},
        VariantInfo{"paper",
                    "the same exchange; each GPU sorts its keys as published",
                    SwapLayout::by_bucket,
                    ""}};
    static constexpr std::array parameters{
        ways_parameter("GPU Sample Sort paper, \"Parameters\", which takes 128 on one GPU"),
        ParameterInfo{
            "oversampling",
            "keys",
            "Keys that the first pass samples per way",
            1,
            1024,
            32,
            "GPU Sample Sort paper, \"Parameters\", which takes 30, and 15 of 64-bit keys"},
        sample_seed_parameter("Seed of the sample positions"),
        tolerance_parameter(splitter_tolerance_ppm, splitter_tolerance_source),
        fuse_parameter};
    static constexpr AlgorithmInfo info{
        "sample-sort",
        "Sample sort: buckets between splitters drawn from the keys, one all-to-all key swap",
        "Leischner, Osipov, Sanders, IPDPS 2010; across GPUs as RMG sort",
        Operation::sort,
        variants,
        parameters,
        GpuCounts::any,
        every_residence,
        every_key_type,
        Stability::unstable,
        round_phases,
        properties};
    return info;
}

AlgorithmInfo const& quicksort_algorithm() {
    static constexpr std::array variants{
        VariantInfo{"published",
                    "buckets around a pivot, one of them for keys equal to it; one exchange",
                    SwapLayout::by_bucket,
                    ""}};
    static constexpr std::array parameters{
        sample_seed_parameter("Seed of the positions at which pivots are drawn"),
        tolerance_parameter(splitter_tolerance_ppm, splitter_tolerance_source),
        fuse_parameter};
    static constexpr AlgorithmInfo info{
        "quicksort",
        "Quicksort: every pass divides by one pivot; a baseline of sample sort",
        "Hoare, Computer Journal 1962; across GPUs as RMG sort",
        Operation::sort,
        variants,
        parameters,
        GpuCounts::any,
        every_residence,
        every_key_type,
        Stability::unstable,
        exchange_phases,
        properties};
    return info;
}

AlgorithmInfo const& uniform_buckets_algorithm() {
    static constexpr std::array variants{VariantInfo{
        "published", "every bucket is divided evenly; one exchange", SwapLayout::by_bucket, ""}};
    static constexpr std::array parameters{
        ways_parameter("as many as sample sort makes"),
        tolerance_parameter(splitter_tolerance_ppm, "as for sample sort"),
        fuse_parameter};
    static constexpr AlgorithmInfo info{
        "uniform-buckets",
        "Buckets of equal width in image space, as in bbsort and hybrid sort; "
        "a baseline of sample sort",
        "Sintorn, Assarsson, JPDC 2008; across GPUs as RMG sort",
        Operation::sort,
        variants,
        parameters,
        GpuCounts::any,
        every_residence,
        narrow_key_types,
        Stability::unstable,
        exchange_phases,
        properties};
    return info;
}

} // namespace keyswap
