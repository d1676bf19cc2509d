#pragma once

/// \file Destinations of the buckets' pieces in a shuffle. Plain C++.

#include "kernels/shuffle.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace keyswap::kernels {

/// Default owners [m]: bucket b of m belongs to GPU floor(b g / m).
[[nodiscard]] std::vector<std::uint32_t> default_owners(std::uint32_t buckets,
                                                        std::uint32_t gpu_count);

/// The caller's owners, or the default owners if `given` is empty; an error unless there are m
/// numbers below g.
[[nodiscard]] tl::expected<std::vector<std::uint32_t>, std::string> validate_owners(
    std::vector<std::uint32_t> const& given, std::uint32_t buckets, std::uint32_t gpu_count);

/// Everything but times and peer access. Copies are by source, starting with the first bucket of
/// the next GPU, so that sources do not all write to the same destination at once; never empty
/// ones. \param counts [g * m] keys by GPU and bucket, GPU-major \param owners [m] each below g
[[nodiscard]] ShuffleReport plan_shuffle(std::span<std::uint64_t const> counts,
                                         std::span<std::uint32_t const> owners,
                                         std::uint32_t gpu_count);

} // namespace keyswap::kernels
