#pragma once

#include "model/buckets/chunks.hpp"
#include "traces/records/records.hpp"

#include <cstdint>

namespace keyswap::model {

/// E = floor(C * ppm / 1e6), the keys by which a GPU may be over- or underfull at each end of its
/// chunk. Source: RMG paper, section 3.2, "Load Balancing" (epsilon = 0.5 % of the chunk).
[[nodiscard]] std::uint64_t tolerance_keys(Chunks const& chunks, std::uint32_t tolerance_ppm);

/// The GPUs that a bucket touches.
struct GpuSpan {
    GpuId first;
    GpuId last;
    friend bool operator==(GpuSpan const&, GpuSpan const&) = default;
};

/// The GPUs that the non-empty bucket [begin, end) of the sorted order needs, once the tolerance
/// has pushed slight overhangs to the neighbour that holds the rest. Equal GPUs mean that the
/// bucket is placed; otherwise it is a spanning bucket. Source: RMG paper, sections 3.1 and 3.2.
[[nodiscard]] GpuSpan
place_bucket(Chunks const& chunks, IndexRange bucket, std::uint64_t tolerance);

} // namespace keyswap::model
