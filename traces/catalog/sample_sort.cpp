#include "traces/catalog/algorithm_info.hpp"

#include <limits>

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"fast",
                "splitters that many keys equal get buckets of their own; rounds as RMG's fast",
                SwapLayout::by_round,
                ""},
    VariantInfo{"paper",
                "the same exchange; each GPU sorts its keys as published",
                SwapLayout::by_bucket,
                ""}};

constexpr std::array parameters{
    ParameterInfo{"ways",
                  "buckets",
                  "Buckets into which a pass divides each bucket",
                  2,
                  256, // a bucket's index has 8 bits
                  256,
                  "GPU Sample Sort paper, \"Parameters\", which takes 128 on one GPU"},
    ParameterInfo{"oversampling",
                  "keys",
                  "Keys that the first pass samples per way",
                  1,
                  1024,
                  32,
                  "GPU Sample Sort paper, \"Parameters\", which takes 30, and 15 of 64-bit keys"},
    ParameterInfo{"sample-seed",
                  "",
                  "Seed of the sample positions",
                  0,
                  std::numeric_limits<std::uint64_t>::max(),
                  1,
                  "any number serves; one, as for the seed of keys"},
    ParameterInfo{"tolerance-ppm",
                  "ppm of a chunk",
                  "How far a GPU's range may exceed its chunk at each end, in ppm of a chunk",
                  0,
                  500'000, // twice the tolerance must fit into a chunk, or two overhangs would meet
                  20'000,
                  "a bucket's share of a chunk: splitters never meet a border exactly"},
    ParameterInfo{"fuse-ppm",
                  "ppm of a chunk",
                  "Size below which neighbouring buckets are sorted together, in ppm of a chunk",
                  0,
                  1'000'000,
                  10'000,
                  "RMG paper, section 3.3"}};

constexpr std::array phases{Phase::host_to_device,
                            Phase::histogram,
                            Phase::scatter,
                            Phase::planning,
                            Phase::key_swap,
                            Phase::bucket_sort,
                            Phase::bucket_sort_and_copy_back,
                            Phase::device_to_host};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "balance"};

constexpr AlgorithmInfo info{
    "sample-sort",
    "Sample sort: buckets between splitters drawn from the keys, one all-to-all key swap",
    "Leischner, Osipov, Sanders, IPDPS 2010; across GPUs as RMG sort",
    Operation::sort,
    variants,
    parameters,
    GpuCounts::any,
    every_residence,
    every_key_type,
    every_value_type,
    Stability::unstable,
    phases,
    properties};

} // namespace

AlgorithmInfo const& sample_sort_algorithm() {
    return info;
}

} // namespace keyswap
