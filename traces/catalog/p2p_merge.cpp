#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"published", "pairs of GPUs exchange blocks around pivots", std::nullopt, ""}};

constexpr std::array phases{
    Phase::host_to_device, Phase::sort, Phase::merge, Phase::device_to_host};

constexpr std::array<std::string_view, 2> properties{"sorted", "permutation"};

constexpr AlgorithmInfo info{
    "p2p-merge",
    "P2P merge sort: sorted chunks, merged by pairwise swaps around pivots",
    "Tanasic et al., GPGPU-6 2013",
    Operation::sort,
    variants,
    {},
    GpuCounts::power_of_two,
    every_residence,
    narrow_key_types,
    Stability::unstable, // swaps change the order of equal keys
    phases,
    properties};

} // namespace

AlgorithmInfo const& p2p_merge_algorithm() {
    return info;
}

} // namespace keyswap
