#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/keys/parallel.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "traces/records/digest.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace keyswap::model {

/// Digest of a range of keys and values; independent of the number of threads, because digests of
/// parts add up.
template <class Image, class Value>
[[nodiscard]] MultisetDigest digest_of_range(KeyArrays<Image, Value> const& arrays) {
    return parallel_sum<MultisetDigest>(
        arrays.size(),
        std::uint64_t{1} << 16,
        [&](MultisetDigest& sum, std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                sum += element_digest(arrays.keys[i], value_word(arrays, i));
            }
        });
}

/// Writes one record for each final bucket and source GPU, in the memory order before the swap.
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

/// Writes one record for each final bucket and owner.
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
