#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"fast",
                "digits counted in one reading, steps of one pass with look-back (method fused)",
                std::nullopt,
                ""},
    VariantInfo{"published",
                "a step counts, scans and moves as published (method block)",
                std::nullopt,
                ""}};

constexpr std::array parameters{
    ParameterInfo{"digit-bits",
                  "bits",
                  "Bits that a step reads",
                  1,
                  8, // methods `fused` and `block` take 256 buckets
                  8,
                  "GPU Multisplit paper, section 7, which takes 4 to 8"}};

constexpr std::array phases{
    Phase::host_to_device, Phase::histogram, Phase::scatter, Phase::device_to_host};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "stable"};

constexpr AlgorithmInfo info{
    "multisplit-sort",
    "Multisplit-sort: stable partitions of all keys by a digit, lowest first",
    "Ashkiani, Davidson, Meyer, Owens, TOPC 2017",
    Operation::sort,
    variants,
    parameters,
    GpuCounts::one,
    every_residence,
    every_key_type,
    every_value_type,
    Stability::stable,
    phases,
    properties};

} // namespace

AlgorithmInfo const& multisplit_sort_algorithm() {
    return info;
}

} // namespace keyswap
