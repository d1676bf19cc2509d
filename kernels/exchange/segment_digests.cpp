#include "kernels/exchange/segment_digests.hpp"

#include "kernels/device/vector_copies.hpp"

#include <array>
#include <map>

namespace keyswap::kernels {

namespace {

/// A GPU's parts of the segments, and the bucket of each digest.
struct Stretches {
    std::vector<BucketStretch> stretches;
    std::vector<WideImage> lowest;
    std::vector<BucketPrefix> buckets;

    void add(KeyRange part, SwapSegment const& segment, std::span<FinalBucket const> all) {
        if (part.count == 0) {
            return;
        }
        auto const first = static_cast<std::uint32_t>(buckets.size());
        auto const count = static_cast<std::uint32_t>(segment.end_bucket - segment.first_bucket);
        stretches.push_back({part, first, count});
        for (std::size_t i = segment.first_bucket; i < segment.end_bucket; ++i) {
            lowest.push_back(all[i].images.lowest);
            buckets.push_back(all[i].placement.bucket);
        }
    }
};

std::vector<MultisetDigest> digests_of(RunContext const& context,
                                       GpuState const& gpu,
                                       Stretches const& pieces,
                                       std::size_t buffer) {
    DeviceScope const scope{gpu.device};
    auto const stretches = copy_to_device(gpu.device, gpu.stream, pieces.stretches);
    auto const lowest = copy_to_device(gpu.device, gpu.stream, pieces.lowest);
    DeviceBuffer<MultisetDigest> const digests{gpu.device, pieces.buckets.size()};
    launch_bucket_digests(gpu.stream,
                          digested_elements(gpu, context.shape, static_cast<int>(buffer)),
                          {stretches.data(),
                           static_cast<std::uint32_t>(pieces.stretches.size()),
                           lowest.data(),
                           static_cast<std::uint32_t>(pieces.lowest.size())},
                          digests.data());
    return copy_to_vector(gpu.stream, digests.data(), digests.size());
}

} // namespace

void record_segment_digests(RunContext const& context,
                            std::vector<GpuState> const& gpus,
                            std::span<FinalBucket const> buckets,
                            std::span<SwapSegment const> segments,
                            DigestStage stage) {
    bool const is_before = stage == DigestStage::before_swap;
    for (GpuState const& gpu : gpus) {
        std::array<Stretches, 2> of_buffers;
        for (SwapSegment const& segment : segments) {
            if (is_before) {
                of_buffers[1].add(segment.sent[gpu.id.value], segment, buckets);
            } else if (segment.gpu == gpu.id) {
                for (std::uint32_t source = 0; source < segment.arrived.size(); ++source) {
                    ArrivedPart const part = segment.part_from(source);
                    of_buffers[part.buffer == KeyBuffer::output ? 1 : 0].add(
                        {part.offset, part.count}, segment, buckets);
                }
            }
        }
        std::map<BucketPrefix, MultisetDigest> sums;
        for (std::size_t buffer = 0; buffer < of_buffers.size(); ++buffer) {
            Stretches const& pieces = of_buffers[buffer];
            if (pieces.buckets.empty()) {
                continue;
            }
            auto const digests = digests_of(context, gpu, pieces, buffer);
            for (std::size_t i = 0; i < digests.size(); ++i) {
                sums[pieces.buckets[i]] += digests[i];
            }
        }
        for (auto const& [bucket, digest] : sums) {
            if (digest.count > 0) {
                context.trace->write(DigestRecord{stage, gpu.id, bucket, digest});
            }
        }
    }
}

} // namespace keyswap::kernels
