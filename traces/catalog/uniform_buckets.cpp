#include "traces/catalog/algorithm_info.hpp"

namespace keyswap {

namespace {

constexpr std::array variants{VariantInfo{
    "published", "every bucket is divided evenly; one exchange", SwapLayout::by_bucket, ""}};

constexpr std::array parameters{
    ParameterInfo{"ways",
                  "buckets",
                  "Buckets into which a pass divides each bucket",
                  2,
                  256, // a bucket's index has 8 bits
                  256,
                  "as many as sample sort makes"},
    ParameterInfo{"tolerance-ppm",
                  "ppm of a chunk",
                  "How far a GPU's range may exceed its chunk at each end, in ppm of a chunk",
                  0,
                  500'000, // twice the tolerance must fit into a chunk, or two overhangs would meet
                  20'000,
                  "as for sample sort"},
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

constexpr AlgorithmInfo info{"uniform-buckets",
                             "Buckets of equal width in image space, as in bbsort and hybrid sort; "
                             "a baseline of sample sort",
                             "Sintorn, Assarsson, JPDC 2008; across GPUs as RMG sort",
                             Operation::sort,
                             variants,
                             parameters,
                             GpuCounts::any,
                             every_residence,
                             narrow_key_types,
                             every_value_type,
                             Stability::unstable,
                             phases,
                             properties};

} // namespace

AlgorithmInfo const& uniform_buckets_algorithm() {
    return info;
}

} // namespace keyswap
