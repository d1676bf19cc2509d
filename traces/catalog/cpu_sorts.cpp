/// \file Sorts of CPUs that the RMG paper measures.

#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array sort_phase{Phase::cpu_sort};

constexpr std::array<std::string_view, 2> properties{"sorted", "permutation"};

} // namespace

AlgorithmInfo const& cpu_gnu_parallel_algorithm() {
    static constexpr std::array variants{
        VariantInfo{"published", "as measured", std::nullopt, "gnu-parallel-sort"}};
    static constexpr AlgorithmInfo info{"cpu-gnu-parallel",
                                        "the GNU library's parallel multiway merge sort",
                                        "RMG paper, section 5",
                                        Operation::sort,
                                        variants,
                                        {},
                                        GpuCounts::none,
                                        host_only,
                                        narrow_key_types,
                                        Stability::unstable,
                                        sort_phase,
                                        properties};
    return info;
}

AlgorithmInfo const& cpu_paradis_algorithm() {
    static constexpr std::array variants{
        VariantInfo{"published", "as measured", std::nullopt, "paradis-sort"}};
    static constexpr AlgorithmInfo info{
        "cpu-paradis",
        "PARADIS, a parallel radix sort of CPUs",
        "Cho et al., PVLDB 2015, as measured in the RMG paper, section 5",
        Operation::sort,
        variants,
        {},
        GpuCounts::none,
        host_only,
        narrow_key_types,
        Stability::unstable,
        sort_phase,
        properties};
    return info;
}

} // namespace keyswap
