#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{VariantInfo{
    "published", "each step by as many stable splits as a digit has bits", std::nullopt, ""}};

constexpr std::array parameters{
    ParameterInfo{"digit-bits",
                  "bits",
                  "Bits that a step reads",
                  1,
                  12, // method `bit-split` takes 4,096 buckets
                  4,
                  "Satish et al., GPU sort"},
    ParameterInfo{"last-digit-bits",
                  "bits",
                  "Bits of the last step; 0: those that the other steps leave",
                  0,
                  12,
                  0,
                  "Satish et al., GPU sort; on Knights Ferry 8, after digits of 6"}};

constexpr std::array phases{
    Phase::host_to_device, Phase::histogram, Phase::scatter, Phase::device_to_host};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "stable"};

constexpr AlgorithmInfo info{"split-radix",
                             "Radix sort by splits: stable steps of few bits, lowest first",
                             "Satish et al., Intel report 2010",
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

AlgorithmInfo const& split_radix_algorithm() {
    return info;
}

} // namespace keyswap
