#include "model/sorts/rmg/placement.hpp"

#include "model/buckets/parts_per_million.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::model {

namespace {

/// A bucket across two GPUs: the smaller part moves if it is within the tolerance.
GpuSpan
placed_over_two(Chunks const& chunks, IndexRange bucket, GpuSpan span, std::uint64_t tolerance) {
    std::uint64_t const on_first = chunks.border(span.first) - bucket.begin;
    std::uint64_t const on_last = bucket.end - chunks.border(span.first);
    if (on_first > on_last && on_last <= tolerance) {
        return {span.first, span.first};
    }
    if (on_first <= on_last && on_first <= tolerance) {
        return {span.last, span.last};
    }
    return span;
}

/// A bucket across three or more GPUs: each end moves inward if it is within the tolerance.
GpuSpan
placed_over_many(Chunks const& chunks, IndexRange bucket, GpuSpan span, std::uint64_t tolerance) {
    GpuId const before_last{span.last.value - 1};
    GpuSpan result = span;
    if (chunks.border(span.first) - bucket.begin <= tolerance) {
        result.first.value += 1;
    }
    if (bucket.end - chunks.border(before_last) <= tolerance) {
        result.last = before_last;
    }
    return result;
}

} // namespace

std::uint64_t tolerance_keys(Chunks const& chunks, std::uint32_t tolerance_ppm) {
    return parts_per_million(chunks.size(), tolerance_ppm);
}

GpuSpan place_bucket(Chunks const& chunks, IndexRange bucket, std::uint64_t tolerance) {
    KEYSWAP_EXPECTS(bucket.begin < bucket.end && bucket.end <= chunks.key_count());
    GpuSpan const span{chunks.owner_of(bucket.begin), chunks.owner_of(bucket.end - 1)};
    std::uint32_t const borders = span.last.value - span.first.value;
    if (borders == 0) {
        return span;
    }
    return borders == 1 ? placed_over_two(chunks, bucket, span, tolerance)
                        : placed_over_many(chunks, bucket, span, tolerance);
}

} // namespace keyswap::model
