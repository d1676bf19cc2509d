#pragma once

/// \file The assignment of a bucket to GPUs: the rule that the placement kernel applies to every
/// bucket of a pass. Source: RMG paper, section 3.2 ("Load Balancing").

#include "traces/records/digest.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Ideal chunks and the tolerance by which a GPU may exceed them, in keys.
struct PlacementRule {
    std::uint64_t chunk_size = 1; ///< C = ceil(n/g), at least 1
    std::uint64_t tolerance = 0;  ///< E
    std::uint32_t gpu_count = 1;  ///< g
};

/// A contiguous range of one GPU's keys, in keys.
struct KeyRange {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    friend bool operator==(KeyRange const&, KeyRange const&) = default;
};

/// First and last GPU of a bucket, given the tolerance; equal if it is placed.
struct GpuRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    friend bool operator==(GpuRange const&, GpuRange const&) = default;
};

/// \param begin,end non-empty range of global indices in sorted order
[[nodiscard]] KEYSWAP_HOST_DEVICE inline GpuRange
place_bucket(PlacementRule rule, std::uint64_t begin, std::uint64_t end) {
    auto const border = [&rule](std::uint32_t gpu) { return (gpu + 1ULL) * rule.chunk_size; };
    auto first = static_cast<std::uint32_t>(begin / rule.chunk_size);
    auto last = static_cast<std::uint32_t>((end - 1) / rule.chunk_size);
    if (last - first == 1) {
        std::uint64_t const before = border(first) - begin;
        std::uint64_t const after = end - border(first);
        if (before > after && after <= rule.tolerance) {
            last = first;
        } else if (before <= after && before <= rule.tolerance) {
            first = last;
        }
    } else if (last - first >= 2) {
        if (border(first) - begin <= rule.tolerance) {
            first += 1;
        }
        if (end - border(last - 1) <= rule.tolerance) {
            last -= 1;
        }
    }
    return {first, last};
}

/// floor(C * ppm / 1e6) without overflow for any C below 2^44.
[[nodiscard]] constexpr std::uint64_t share_of_chunk(std::uint64_t chunk_size, std::uint32_t ppm) {
    constexpr std::uint64_t million = 1'000'000;
    return chunk_size / million * ppm + chunk_size % million * ppm / million;
}

} // namespace keyswap::kernels
