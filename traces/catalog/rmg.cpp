#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{
    VariantInfo{"fast",
                "swap in rounds behind the bucket sort of earlier rounds",
                SwapLayout::by_round,
                ""},
    VariantInfo{"rotated",
                "destinations from the next GPU on, neighbouring copies joined",
                SwapLayout::by_source,
                ""},
    VariantInfo{"paper",
                "as published: a copy a bucket, destinations ascending",
                SwapLayout::by_bucket,
                "radix-mgpu-sort"}};

constexpr std::array parameters{
    ParameterInfo{"digit-bits", "bits", "Bits per pass", 1, 16, 8, "RMG paper, section 4.2"},
    ParameterInfo{"tolerance-ppm",
                  "ppm of a chunk",
                  "How far a GPU's range may exceed its chunk at each end, in ppm of a chunk",
                  0,
                  500'000, // twice the tolerance must fit into a chunk, or two overhangs would meet
                  5000,
                  "RMG paper, section 3.2"},
    ParameterInfo{"fuse-ppm",
                  "ppm of a chunk",
                  "Size below which neighbouring buckets are sorted together, in ppm of a chunk",
                  0,
                  1'000'000,
                  10000,
                  "RMG paper, section 3.3"}};

constexpr std::array phases{Phase::host_to_device,
                            Phase::histogram,
                            Phase::scatter,
                            Phase::planning,
                            Phase::key_swap,
                            Phase::bucket_sort,
                            Phase::bucket_sort_and_copy_back,
                            Phase::device_to_host};

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
                             every_value_type,
                             Stability::stable,
                             phases,
                             properties};

} // namespace

AlgorithmInfo const& rmg_algorithm() {
    return info;
}

} // namespace keyswap
