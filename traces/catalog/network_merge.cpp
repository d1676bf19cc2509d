#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{VariantInfo{
    "published", "runs by a sorting network, then passes that merge pairs", std::nullopt, ""}};

constexpr std::array parameters{ParameterInfo{"run-keys",
                                              "keys",
                                              "Keys per sorted run before the first merge",
                                              2,
                                              4096, // one block holds images and positions
                                              256,
                                              "Satish, Harris, Garland, IPDPS 2009"}};

constexpr std::array phases{
    Phase::host_to_device, Phase::sort, Phase::merge, Phase::device_to_host};

constexpr std::array<std::string_view, 2> properties{"sorted", "permutation"};

constexpr AlgorithmInfo info{
    "network-merge",
    "Merge sort of one GPU: runs sorted by a network, then merged in pairs",
    "Satish et al., Intel report 2010",
    Operation::sort,
    variants,
    parameters,
    GpuCounts::one,
    every_residence,
    every_key_type,
    every_value_type,
    Stability::unstable,
    phases,
    properties};

} // namespace

AlgorithmInfo const& network_merge_algorithm() {
    return info;
}

} // namespace keyswap
