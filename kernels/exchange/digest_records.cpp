#include "kernels/exchange/key_swap.hpp"
#include "kernels/runtime/range_digests.hpp"

namespace keyswap::kernels {

void record_digests_before_swap(RunContext const& context,
                                std::vector<GpuState> const& gpus,
                                Partition const& partition) {
    if (context.trace == nullptr) {
        return;
    }
    std::vector<OwnedBucket> parts;
    for (GpuState const& gpu : gpus) {
        for (FinalBucket const& bucket : partition.buckets) {
            KeyRange const part = bucket.parts[gpu.id.value];
            if (part.count > 0) {
                parts.push_back({gpu.id, bucket.placement.bucket, part.offset, part.count});
            }
        }
    }
    record_digests(context, gpus, parts, DigestStage::before_swap);
}

void record_digests(RunContext const& context,
                    std::vector<GpuState> const& gpus,
                    std::span<OwnedBucket const> owned,
                    DigestStage stage) {
    if (context.trace == nullptr) {
        return;
    }
    for (GpuState const& gpu : gpus) {
        std::vector<BucketPrefix> buckets;
        std::vector<KeyRange> ranges;
        for (OwnedBucket const& piece : owned) {
            if (piece.gpu == gpu.id) {
                buckets.push_back(piece.bucket);
                ranges.push_back({piece.offset, piece.count});
            }
        }
        DeviceScope const scope{gpu.device};
        std::vector<MultisetDigest> const digests = digests_of_ranges(
            gpu.stream, digested_elements(gpu, context.shape, gpu.buffers.current), ranges);
        for (std::size_t i = 0; i < buckets.size();) {
            DigestRecord record{stage, gpu.id, buckets[i], {}};
            for (; i < buckets.size() && buckets[i] == record.bucket; ++i) {
                record.digest += digests[i];
            }
            context.trace->write(record);
        }
    }
}

} // namespace keyswap::kernels
