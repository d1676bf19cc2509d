#include "traces/catalog/exchange_parameters.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"fast",
                "swap in rounds, overlapped with the bucket sort of earlier rounds",
                SwapLayout::by_round,
                ""},
    VariantInfo{"rotated",
                "each GPU starts at the next one, adjacent copies are merged",
                SwapLayout::by_source,
                ""},
    VariantInfo{"paper",
                "as published: one copy per bucket, destinations ascending",
                SwapLayout::by_bucket,
                "radix-mgpu-sort"}};

constexpr std::array parameters{
    ParameterInfo{"digit-bits", "bits", "Bits per pass", 1, 16, 8, "RMG paper, section 4.2"},
    tolerance_parameter(5000, "RMG paper, section 3.2"),
    fuse_parameter};

constexpr std::array<std::string_view, 4> properties{"sorted", "permutation", "balance", "stable"};

constexpr AlgorithmInfo info{"rmg",
                             "RMG sort: radix partitioning, one all-to-all key swap, bucket sort",
                             "Ilic, Tolovski, Rabl, BTW 2023",
                             Operation::sort,
                             variants,
                             parameters,
                             GpuCounts::any,
                             every_residence,
                             narrow_key_types,
                             Stability::stable,
                             round_phases,
                             properties};

} // namespace

AlgorithmInfo const& rmg_algorithm() {
    return info;
}

} // namespace keyswap
