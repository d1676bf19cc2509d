#pragma once

#include "model/keys/key_source.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/bucket_function.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Parameters of sample sort (GPU Sample Sort, Leischner, Osipov, Sanders, IPDPS 2010, section 4).
struct SampleParameters {
    std::uint32_t ways = 256;        ///< k, 2 to 256; the paper uses 128 on one GPU
    std::uint32_t oversampling = 32; ///< a, 1 to 1,024; the paper uses 30
    std::uint64_t seed = 1;          ///< of the sample positions
    friend bool operator==(SampleParameters const&, SampleParameters const&) = default;
};

[[nodiscard]] Expected<SampleParameters> validated(SampleParameters const& parameters);

/// Number of draws of a later pass, shared by all buckets: the draws in a bucket are its sample. A
/// bucket with 2^-8 of the keys still gets about a thousand.
inline constexpr std::uint64_t later_draws = std::uint64_t{1} << 18;

/// Input position of draw r: mulhi64(mix_bits(seed + r 9e3779b97f4a7c15), n). It depends only on
/// seed, draw and n, so that model and kernels draw the same sample. \pre key_count > 0
[[nodiscard]] std::uint64_t
sample_position(std::uint64_t seed, std::uint64_t draw, std::uint64_t key_count);

/// Seed of a pass: `seed` itself for pass 1, mix_bits(seed + pass) for later ones.
[[nodiscard]] std::uint64_t seed_of_pass(std::uint64_t seed, int pass);

/// The sorted sample of a pass: a k keys in pass 1, later_draws (or 64 n, if that is less)
/// in later ones. \return images
[[nodiscard]] std::vector<uint128>
draw_sample(SampleParameters const& parameters, int pass, KeySource& source);

/// Splitters of a bucket from its sample of s keys: with k' = min(ways, s + 1), the picks are the
/// keys ceil(i s / k') for i = 1 .. k' - 1 (1-based; for s = a k every a-th key). Splitters are the
/// distinct picks; a value picked twice, or the only one, gets an equality bucket. Hence there are
/// at most max(ways, 3) buckets, and each that is not single-valued is smaller than its
/// parent.
/// \param sample sorted, not empty
[[nodiscard]] SplitterBuckets splitters_of(std::span<uint128 const> sample, std::uint32_t ways);

} // namespace keyswap::model
