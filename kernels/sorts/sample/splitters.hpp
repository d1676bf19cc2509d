#pragma once

/// \file Splitters of sample sort's passes: sample sizes and seeds, the choice of splitters, and
/// the image ranges of children. Plain C++; the reference model implements the same independently.
/// Source: GPU Sample Sort (Leischner, Osipov, Sanders, IPDPS 2010), section 4; equality buckets
/// are ours.

#include "kernels/exchange_plan/bucket_images.hpp"
#include "kernels/sort.hpp"
#include "traces/records/bucket_function.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

struct SampleParameters {
    std::uint32_t ways = 256;        ///< k
    std::uint32_t oversampling = 32; ///< a
    std::uint64_t seed = 1;          ///< of the sampled positions
};

/// \pre the options choose sample sort
[[nodiscard]] SampleParameters sample_parameters(SortOptions const& options);

/// c: bits of a child's index. k ways make at most k children; two ways and an equality bucket, 3.
[[nodiscard]] int child_bits_of(SampleParameters const& parameters);
/// Most passes whose child indices fit a prefix: 64 / c.
[[nodiscard]] int passes_max_of(SampleParameters const& parameters);

/// Draws of a pass from the whole input: a k in the first; min(2^18, 64 n) in later ones, where
/// each bucket uses the draws inside it.
[[nodiscard]] std::uint64_t
draws_of_pass(SampleParameters const& parameters, int pass, std::uint64_t key_count);
/// The given seed in pass 1, mix_bits(seed + pass) afterwards.
[[nodiscard]] std::uint64_t seed_of_pass(SampleParameters const& parameters, int pass);

/// Divides a bucket by splitters: keys ceil(i s / k') of its sample of size s for i = 1 .. k' - 1
/// with k' = min(ways, s + 1), without duplicates. A splitter that was picked twice, or is the only
/// one, gets an equality bucket. Without a sample: ranges of equal width.
/// \param images of the bucket \param sample the bucket's sampled images, sorted
[[nodiscard]] BucketFunction
dividing_function(ImageRange images, std::span<WideImage const> sample, std::uint32_t ways);

/// Lowest image of each child but the first, ascending. Children above the largest image have no
/// entry. \pre function is a result of dividing_function() for keys of key_bits bits
[[nodiscard]] std::vector<WideImage> lower_edges(BucketFunction const& function, int key_bits);

/// Images of a child, intersected with its bucket's.
[[nodiscard]] ImageRange
child_range(ImageRange bucket, std::span<WideImage const> edges, std::uint32_t child);

} // namespace keyswap::kernels
