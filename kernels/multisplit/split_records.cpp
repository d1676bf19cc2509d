#include "kernels/multisplit/split_records.hpp"

#include "kernels/device/vector_copies.hpp"
#include "kernels/runtime/range_digests.hpp"

namespace keyswap::kernels {

namespace {

SequenceDigest
digest_of_sequence(cudaStream_t stream, DigestedElements const& elements, std::uint64_t count) {
    DeviceBuffer<SequenceDigest> const digest{current_device(), 1};
    launch_sequence_digest(stream, elements, count, digest.data());
    return copy_to_vector(stream, digest.data(), 1).front();
}

/// The ranges between starts; a range with an invalid start is empty.
std::vector<KeyRange> ranges_of(std::vector<std::uint64_t> const& starts, std::uint64_t count) {
    std::vector<KeyRange> ranges;
    for (std::size_t bucket = 0; bucket < starts.size(); ++bucket) {
        std::uint64_t const begin = starts[bucket];
        std::uint64_t const end = bucket + 1 < starts.size() ? starts[bucket + 1] : count;
        ranges.push_back({begin, begin <= end && end <= count ? end - begin : 0});
    }
    return ranges;
}

} // namespace

SplitRecords read_records(cudaStream_t stream,
                          SplitWorkspace const& workspace,
                          OutOfPlaceArrays const& arrays,
                          DeviceRule const& rule,
                          std::uint64_t const* starts) {
    DigestedElements const elements{arrays.shape.key_bytes,
                                    arrays.keys_out,
                                    arrays.shape.value_bytes,
                                    arrays.values_out,
                                    rule.code};
    MultisplitMethodInfo const& method = info_of(workspace.needs().method);
    SplitRecords records;
    PartitionRecord& partition = records.partition;
    partition.count = arrays.count;
    partition.method = method.name;
    partition.stability = method.stability;
    partition.starts = copy_to_vector(stream, starts, rule.buckets);
    if (method.stability == Stability::stable) {
        partition.output = digest_of_sequence(stream, elements, arrays.count);
    }
    ScannedTable const table = workspace.table(arrays.count, rule.buckets);
    if (table.entries != nullptr) {
        partition.tile_keys = table.tile_keys;
        partition.table = digest_of_sequence(stream, {4, table.entries}, table.count);
    }
    std::vector<KeyRange> const ranges = ranges_of(partition.starts, arrays.count);
    records.digests = digests_of_ranges(stream, elements, ranges);
    for (KeyRange const& range : ranges) {
        records.counts.push_back(range.count);
    }
    return records;
}

} // namespace keyswap::kernels
