/// \file Merge sorts of one processor: runs of a fixed size are sorted, then merged.

#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array<std::string_view, 2> properties{"sorted", "permutation"};

} // namespace

AlgorithmInfo const& network_merge_algorithm() {
    static constexpr std::array variants{VariantInfo{
        "published", "runs by a sorting network, then passes that merge pairs", std::nullopt, ""}};
    static constexpr std::array parameters{
        ParameterInfo{"run-keys",
                      "keys",
                      "Keys per sorted run before the first merge",
                      2,
                      4096, // images and places of a block
                      256,
                      "Satish, Harris, Garland, IPDPS 2009"}};
    static constexpr std::array phases{
        Phase::host_to_device, Phase::sort, Phase::merge, Phase::device_to_host};
    static constexpr AlgorithmInfo info{
        "network-merge",
        "Merge sort of one GPU: runs sorted by a network, then merged in pairs",
        "Satish et al., Intel report 2010",
        Operation::sort,
        variants,
        parameters,
        GpuCounts::one,
        every_residence,
        every_key_type,
        Stability::unstable,
        phases,
        properties};
    return info;
}

AlgorithmInfo const& simd_merge_algorithm() {
    static constexpr std::array variants{VariantInfo{
        "published", "runs that fit a cache, then one merge of all of them", std::nullopt, ""}};
    static constexpr std::array parameters{
        ParameterInfo{"run-keys",
                      "keys",
                      "Keys per sorted run before the first merge",
                      2,
                      1U << 24,
                      1U << 15,
                      "a run of 32-bit keys and its copy in a cache of 256 KiB"}};
    static constexpr std::array phases{Phase::cpu_sort, Phase::cpu_merge};
    static constexpr AlgorithmInfo info{
        "simd-merge",
        "Merge sort of CPUs by SIMD networks: runs in the cache, then one merge",
        "Chhugani et al., PVLDB 2008; Satish et al., Intel report 2010",
        Operation::sort,
        variants,
        parameters,
        GpuCounts::none,
        host_only,
        every_key_type,
        Stability::unstable,
        phases,
        properties};
    return info;
}

} // namespace keyswap
