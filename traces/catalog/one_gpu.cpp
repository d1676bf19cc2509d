#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"published", "all bits in one call", std::nullopt, "thrust-sort"}};

constexpr std::array phases{Phase::host_to_device, Phase::sort, Phase::device_to_host};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "stable"};

constexpr AlgorithmInfo info{"one-gpu",
                             "CUB's radix sort on one GPU",
                             "RMG paper, section 5",
                             Operation::sort,
                             variants,
                             {},
                             GpuCounts::one,
                             every_residence,
                             narrow_key_types,
                             Stability::stable,
                             phases,
                             properties};

} // namespace

AlgorithmInfo const& one_gpu_algorithm() {
    return info;
}

} // namespace keyswap
