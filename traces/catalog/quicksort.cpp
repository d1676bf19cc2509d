#include "traces/catalog/algorithm_info.hpp"

#include <limits>

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"published",
                "buckets around a pivot; keys that equal it get one of their own; one exchange",
                SwapLayout::by_bucket,
                ""}};

constexpr std::array parameters{
    ParameterInfo{"sample-seed",
                  "",
                  "Seed of the positions at which pivots are drawn",
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
                            Phase::device_to_host};

constexpr std::array<std::string_view, 3> properties{"sorted", "permutation", "balance"};

constexpr AlgorithmInfo info{
    "quicksort",
    "Quicksort: every pass divides by one pivot; a baseline of sample sort",
    "Hoare, Computer Journal 1962; across GPUs as RMG sort",
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

AlgorithmInfo const& quicksort_algorithm() {
    return info;
}

} // namespace keyswap
