#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"published", "neighbours exchange blocks, in turns", std::nullopt, ""}};

constexpr std::array parameters{ParameterInfo{"quiet-stages",
                                              "stages",
                                              "Stages without a swap after which the sort ends",
                                              2,
                                              8,
                                              2,
                                              "even and odd pairs are looked at once each"}};

constexpr std::array phases{
    Phase::host_to_device, Phase::sort, Phase::merge, Phase::device_to_host};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "stable"};

constexpr AlgorithmInfo info{
    "odd-even",
    "Odd-even transposition of chunks: sorted chunks, merged by neighbours",
    "Knuth, TAOCP volume 3, section 5.3.4, exercise 38",
    Operation::sort,
    variants,
    parameters,
    GpuCounts::any,
    every_residence,
    narrow_key_types,
    Stability::stable,
    phases,
    properties};

} // namespace

AlgorithmInfo const& odd_even_algorithm() {
    return info;
}

} // namespace keyswap
