#pragma once

/// \file Trace records of a partition (traces/FORMAT.md, "Partitions").

#include "model/partition/multisplit.hpp"
#include "model/partition/shuffle.hpp"
#include "traces/records/records.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::model {

/// Maximum number of buckets of a recorded function: a record with all starts takes 1.4 MB.
inline constexpr std::uint32_t recorded_buckets_max = 65'536;

/// Step, GPU and function of a partition of a GPU's whole memory.
struct PartitionPlace {
    int step = 1;
    GpuId gpu;
    std::uint32_t function = 0; ///< id of its BucketFunctionRecord
};

/// \param counts [m] keys in each bucket
[[nodiscard]] inline HistogramRecord histogram_record(PartitionPlace place,
                                                      std::span<std::uint64_t const> counts) {
    return {{}, place.gpu, 0, {counts.begin(), counts.end()}, place.step, place.function};
}

/// \param counts [m] keys in each bucket
[[nodiscard]] inline PartitionRecord partition_record(PartitionPlace place,
                                                      std::span<std::uint64_t const> counts,
                                                      MultisplitMethod const& method,
                                                      MultisplitOutcome const& outcome) {
    PartitionRecord record;
    record.step = place.step;
    record.gpu = place.gpu;
    record.function = place.function;
    record.count = outcome.output.count;
    record.method = method.name;
    record.stability = method.stability;
    record.starts = exclusive_sums(counts);
    if (outcome.table) {
        record.tile_keys = method.tile_keys(static_cast<std::uint32_t>(counts.size()));
        record.table = outcome.table;
    }
    if (method.stability == Stability::stable) {
        record.output = outcome.output; // the order of an unstable output is unspecified
    }
    return record;
}

/// Multiset digest of each bucket. \return [buckets]
/// \param labels [n] bucket of each element of `arrays`
template <class Image, class Value>
[[nodiscard]] std::vector<MultisetDigest> bucket_digests(std::span<std::uint32_t const> labels,
                                                         std::uint32_t buckets,
                                                         KeyArrays<Image, Value> const& arrays) {
    std::vector<MultisetDigest> digests(buckets);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        digests[labels[i]] += element_digest(arrays.keys[i], value_word(arrays, i));
    }
    return digests;
}

/// Writes the digests of non-empty buckets.
/// \param digests [m]
inline void record_bucket_digests(PartitionPlace place,
                                  std::span<MultisetDigest const> digests,
                                  TraceSink& sink) {
    for (std::size_t bucket = 0; bucket < digests.size(); ++bucket) {
        if (digests[bucket].count > 0) {
            sink.write(DigestRecord{
                DigestStage::after_step, place.gpu, {1, bucket}, digests[bucket], place.step});
        }
    }
}

/// Writes placements, ownership, copies, and digests of the buckets that arrived.
/// \param arrivals [placements] digest of each bucket on its owner
inline void
record_exchange(Shuffle const& shuffle, std::span<MultisetDigest const> arrivals, TraceSink& sink) {
    auto const write = [&sink](auto const& record) { sink.write(record); };
    std::ranges::for_each(shuffle.placements, write);
    std::ranges::for_each(shuffle.ownership, write);
    std::ranges::for_each(shuffle.copies, write);
    for (std::size_t place = 0; place < shuffle.placements.size(); ++place) {
        PlacementRecord const& placed = shuffle.placements[place];
        sink.write(DigestRecord{
            DigestStage::after_swap, placed.first, placed.bucket, arrivals[place], std::nullopt});
    }
}

} // namespace keyswap::model
