#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"published", "as measured", std::nullopt, "gnu-parallel-sort"}};

constexpr std::array phases{Phase::cpu_sort};

constexpr std::array<std::string_view, 2> properties{"sorted", "permutation"};

constexpr AlgorithmInfo info{"cpu-gnu-parallel",
                             "the GNU library's parallel multiway merge sort",
                             "RMG paper, section 5",
                             Operation::sort,
                             variants,
                             {},
                             GpuCounts::none,
                             host_only,
                             narrow_key_types,
                             every_value_type,
                             Stability::unstable,
                             phases,
                             properties};

} // namespace

AlgorithmInfo const& cpu_gnu_parallel_algorithm() {
    return info;
}

} // namespace keyswap
