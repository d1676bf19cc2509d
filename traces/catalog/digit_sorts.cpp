/// \file LSD radix sorts: stable steps over all keys by a digit each.

#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array step_phases{
    Phase::host_to_device, Phase::histogram, Phase::scatter, Phase::device_to_host};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "stable"};

} // namespace

AlgorithmInfo const& multisplit_sort_algorithm() {
    static constexpr std::array variants{
        VariantInfo{
            "fast",
            "all digits counted in one read, one pass with look-back per step (method fused)",
            std::nullopt,
            ""},
        VariantInfo{"published",
                    "a step counts, scans and moves as published (method block)",
                    std::nullopt,
                    ""}};
    static constexpr std::array parameters{
        ParameterInfo{"digit-bits",
                      "bits",
                      "Bits that a step reads",
                      1,
                      8, // methods `fused` and `block` take 256 buckets
                      8,
                      "GPU Multisplit paper, section 7, which takes 4 to 8"}};
    static constexpr AlgorithmInfo info{
        "multisplit-sort",
        "Multisplit-sort: stable partitions of all keys by a digit, lowest first",
        "Ashkiani, Davidson, Meyer, Owens, TOPC 2017",
        Operation::sort,
        variants,
        parameters,
        GpuCounts::one,
        every_residence,
        every_key_type,
        Stability::stable,
        step_phases,
        properties};
    return info;
}

AlgorithmInfo const& split_radix_algorithm() {
    static constexpr std::array variants{VariantInfo{
        "published", "each step is one stable split per bit of its digit", std::nullopt, ""}};
    static constexpr std::array parameters{
        ParameterInfo{"digit-bits",
                      "bits",
                      "Bits that a step reads",
                      1,
                      12, // method `bit-split` takes 4,096 buckets
                      4,
                      "Satish et al., GPU sort"},
        ParameterInfo{"last-digit-bits",
                      "bits",
                      "Bits of the last step; 0: the bits left by the other steps",
                      0,
                      12,
                      0,
                      "Satish et al., GPU sort; on Knights Ferry 8, after digits of 6"}};
    static constexpr AlgorithmInfo info{
        "split-radix",
        "Radix sort by splits: stable steps of few bits, lowest first",
        "Satish et al., Intel report 2010",
        Operation::sort,
        variants,
        parameters,
        GpuCounts::one,
        every_residence,
        every_key_type,
        Stability::stable,
        step_phases,
        properties};
    return info;
}

AlgorithmInfo const& buffered_radix_algorithm() {
    static constexpr std::array variants{VariantInfo{
        "published", "keys go through one cache line of buffer per digit value", std::nullopt, ""}};
    static constexpr std::array parameters{ParameterInfo{
        "digit-bits", "bits", "Bits that a step reads", 1, 16, 8, "Satish et al., CPU sort"}};
    static constexpr std::array phases{Phase::cpu_sort};
    static constexpr AlgorithmInfo info{
        "buffered-radix",
        "Radix sort of CPUs through buffers: stable steps, lowest digit first",
        "Satish et al., Intel report 2010",
        Operation::sort,
        variants,
        parameters,
        GpuCounts::none,
        host_only,
        every_key_type,
        Stability::stable,
        phases,
        properties};
    return info;
}

} // namespace keyswap
