#pragma once

#include "model/buckets/bucket_histogram.hpp"
#include "model/buckets/bucket_slots.hpp"
#include "model/buckets/chunks.hpp"
#include "model/keys/parallel.hpp"
#include "model/keys/refined_bucket.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Histograms of all buckets from one parallel sweep over the keys. The counters are integers, so
/// the result does not depend on the number of threads.
/// \param digits counters per bucket
/// \param count_range adds the keys of an IndexRange to counters [buckets x digits]; called
///       concurrently
template <class CountRange>
[[nodiscard]] std::vector<BucketHistogram> count_chunks(Chunks const& chunks,
                                                        std::uint32_t digits,
                                                        std::span<BucketPrefix const> buckets,
                                                        CountRange const& count_range) {
    /// Keys per task: about 0.1 ms of work, against microseconds to start a task.
    constexpr std::uint64_t task_size = std::uint64_t{1} << 18;
    std::vector<BucketHistogram> result;
    result.reserve(buckets.size());
    for (BucketPrefix const bucket : buckets) {
        result.emplace_back(bucket, chunks.gpu_count(), digits);
    }
    using Counters = std::vector<std::uint64_t>;
    std::size_t const size = buckets.size() * digits;
    for (GpuId gpu{0}; gpu.value < chunks.gpu_count(); ++gpu.value) {
        IndexRange const chunk = chunks.of(gpu);
        if (chunk.size() == 0) {
            continue;
        }
        Counters const sum = parallel_counts(
            chunk.size(),
            task_size,
            size,
            [&](std::span<std::uint64_t> counters, std::uint64_t begin, std::uint64_t end) {
                count_range(IndexRange{chunk.begin + begin, chunk.begin + end}, counters);
            });
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            auto const row = std::span<std::uint64_t const>(sum).subspan(i * digits, digits);
            // Row 0 is already all zeros.
            if (std::ranges::any_of(row, [](std::uint64_t count) { return count != 0; })) {
                result[i].assign_row(gpu, result[i].add_row(row));
            }
        }
    }
    return result;
}

/// The prefixes of refined buckets, in order.
[[nodiscard]] inline std::vector<BucketPrefix> prefixes_of(std::span<RefinedBucket const> buckets) {
    std::vector<BucketPrefix> prefixes;
    prefixes.reserve(buckets.size());
    for (RefinedBucket const& bucket : buckets) {
        prefixes.push_back(bucket.bucket);
    }
    return prefixes;
}

} // namespace keyswap::model
