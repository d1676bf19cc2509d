#pragma once

/// \file Splitters of sample sort's passes: which keys are drawn, which of them divide a bucket,
/// and what its children can hold. Plain C++; the reference model draws the same without this file.
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
    std::uint64_t seed = 1;          ///< of the positions that are drawn
};

/// \pre the options choose sample sort
[[nodiscard]] SampleParameters sample_parameters(SortOptions const& options);

/// c: bits of a child's index. k ways make k children at most, two ways and an equality bucket 3.
[[nodiscard]] int child_bits_of(SampleParameters const& parameters);
/// Passes whose indices fit into a prefix: 64 / c.
[[nodiscard]] int passes_max_of(SampleParameters const& parameters);

/// Draws of a pass from the whole input: a k in the first; 2^18 or, if that is less, 64 n in later
/// ones, whose buckets take those that fall into them.
[[nodiscard]] std::uint64_t
draws_of_pass(SampleParameters const& parameters, int pass, std::uint64_t key_count);
/// The given seed in pass 1, mix_bits(seed + pass) afterwards.
[[nodiscard]] std::uint64_t seed_of_pass(SampleParameters const& parameters, int pass);

/// What divides a bucket: splitters from its sample, the keys ceil(i s / k') of s for i = 1 .. k' -
/// 1 with k' = min(ways, s + 1), each once. One that was picked twice, or is the only one, gets an
/// equality bucket. Without a sample: ranges of equal width.
/// \param images of the bucket \param sample its sorted images
[[nodiscard]] BucketFunction
dividing_function(ImageRange images, std::span<WideImage const> sample, std::uint32_t ways);

/// The lowest image of each child but the first, ascending. Children above the largest image have
/// none. \pre dividing_function() gave it, for keys of key_bits
[[nodiscard]] std::vector<WideImage> lower_edges(BucketFunction const& function, int key_bits);

/// The images of a child within its bucket's.
[[nodiscard]] ImageRange
child_range(ImageRange bucket, std::span<WideImage const> edges, std::uint32_t child);

} // namespace keyswap::kernels
