#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "traces/records/digest.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <functional>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <vector>

namespace keyswap::model {

/// Digest of a range of keys with their values; the same for any thread count, because parts add
/// up.
template <class Image, class Value>
[[nodiscard]] MultisetDigest digest_of_range(KeyArrays<Image, Value> const& arrays) {
    return tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, arrays.size(), std::size_t{1} << 16),
        MultisetDigest{},
        [&](tbb::blocked_range<std::size_t> const& range, MultisetDigest sum) {
            for (std::size_t i = range.begin(); i < range.end(); ++i) {
                sum += element_digest(arrays.keys[i], value_word(arrays, i));
            }
            return sum;
        },
        [](MultisetDigest a, MultisetDigest const& b) { return a += b; });
}

/// One record for each GPU's part of each final bucket, as the parts lie before the swap.
template <class Image, class Value>
void record_digests_before_swap(Plan const& plan,
                                KeyArrays<Image, Value> const& chunks,
                                TraceSink& sink) {
    std::vector<std::uint64_t> offset(plan.config.gpu_count, 0);
    for (PlannedBucket const& bucket : plan.buckets) {
        for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
            std::uint64_t const size = part_size(plan, bucket, GpuId{gpu});
            if (size == 0) {
                continue;
            }
            std::uint64_t const begin = plan.chunks.of(GpuId{gpu}).begin + offset[gpu];
            sink.write(DigestRecord{DigestStage::before_swap,
                                    GpuId{gpu},
                                    bucket.placement.bucket,
                                    digest_of_range(chunks.part(begin, size))});
            offset[gpu] += size;
        }
    }
}

/// One record for each final bucket on each of its owners.
template <class Image, class Value>
void record_digests_after_swap(Plan const& plan,
                               KeyArrays<Image, Value> const& owned,
                               DigestStage stage,
                               TraceSink& sink) {
    for (PlannedBucket const& bucket : plan.buckets) {
        for (OwnedPart const& part : owned_parts(plan.chunks, bucket.placement)) {
            if (part.range.size() > 0) {
                sink.write(
                    DigestRecord{stage,
                                 part.gpu,
                                 bucket.placement.bucket,
                                 digest_of_range(owned.part(part.range.begin, part.range.size()))});
            }
        }
    }
}

} // namespace keyswap::model
