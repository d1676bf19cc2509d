#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"published", "the CPU merges all chunks at once", std::nullopt, ""}};

constexpr std::array phases{
    Phase::host_to_device, Phase::sort, Phase::device_to_host, Phase::cpu_merge};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "stable"};

constexpr AlgorithmInfo info{"het-merge",
                             "HET merge sort: sorted chunks, merged by the CPU",
                             "Gowanlock and Karsin, IPDPSW 2018",
                             Operation::sort,
                             variants,
                             {},
                             GpuCounts::any,
                             host_only,
                             narrow_key_types,
                             Stability::stable,
                             phases,
                             properties};

} // namespace

AlgorithmInfo const& het_merge_algorithm() {
    return info;
}

} // namespace keyswap
