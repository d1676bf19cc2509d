#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"published", "keys go through a buffer of a cache line a digit", std::nullopt, ""}};

constexpr std::array parameters{ParameterInfo{
    "digit-bits", "bits", "Bits that a step reads", 1, 16, 8, "Satish et al., CPU sort"}};

constexpr std::array phases{Phase::cpu_sort};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "stable"};

constexpr AlgorithmInfo info{"buffered-radix",
                             "Radix sort of CPUs through buffers: stable steps, lowest digit first",
                             "Satish et al., Intel report 2010",
                             Operation::sort,
                             variants,
                             parameters,
                             GpuCounts::none,
                             host_only,
                             every_key_type,
                             every_value_type,
                             Stability::stable,
                             phases,
                             properties};

} // namespace

AlgorithmInfo const& buffered_radix_algorithm() {
    return info;
}

} // namespace keyswap
