#pragma once

#include "model/buckets/chunks.hpp"
#include "traces/records/records.hpp"

#include <cstdint>

namespace keyswap::model {

/// E = floor(C * ppm / 1e6): maximum number of keys by which a GPU's range may move at either end
/// of its chunk. Source: RMG paper, section 3.2, "Load Balancing" (epsilon = 0.5 % of the chunk).
[[nodiscard]] std::uint64_t tolerance_keys(Chunks const& chunks, std::uint32_t tolerance_ppm);

/// The inclusive range of GPUs that a bucket covers.
struct GpuSpan {
    GpuId first;
    GpuId last;
    friend bool operator==(GpuSpan const&, GpuSpan const&) = default;
};

/// The GPUs that the non-empty bucket [begin, end) of the sorted order covers, after moving
/// overhangs of at most `tolerance` keys to the GPU that holds the rest. first == last: the bucket
/// is placed; otherwise it is a spanning bucket. Source: RMG paper, sections 3.1 and 3.2.
[[nodiscard]] GpuSpan
place_bucket(Chunks const& chunks, IndexRange bucket, std::uint64_t tolerance);

} // namespace keyswap::model
