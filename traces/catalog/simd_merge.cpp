#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{VariantInfo{
    "published", "runs that fit a cache, then one merge of all of them", std::nullopt, ""}};

constexpr std::array parameters{
    ParameterInfo{"run-keys",
                  "keys",
                  "Keys per sorted run before the first merge",
                  2,
                  1U << 24,
                  1U << 15,
                  "a run of 32-bit keys and its copy in a cache of 256 KiB"}};

constexpr std::array phases{Phase::cpu_sort, Phase::cpu_merge};

constexpr std::array<std::string_view, 2> properties{"sorted", "permutation"};

constexpr AlgorithmInfo info{
    "simd-merge",
    "Merge sort of CPUs by SIMD networks: runs in the cache, then one merge",
    "Chhugani et al., PVLDB 2008; Satish et al., Intel report 2010",
    Operation::sort,
    variants,
    parameters,
    GpuCounts::none,
    host_only,
    every_key_type,
    every_value_type,
    Stability::unstable,
    phases,
    properties};

} // namespace

AlgorithmInfo const& simd_merge_algorithm() {
    return info;
}

} // namespace keyswap
