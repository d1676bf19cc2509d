#include "kernels/exchange/key_swap.hpp"
#include "kernels/runtime/range_digests.hpp"

namespace keyswap::kernels {

namespace {

/// Digests of pieces in a GPU's current buffer, in the order of the pieces.
std::vector<MultisetDigest>
digests_of(RunContext const& context, GpuState const& gpu, std::vector<BucketPiece> const& pieces) {
    DeviceScope const scope{gpu.device};
    std::vector<KeyRange> ranges;
    ranges.reserve(pieces.size());
    for (BucketPiece const& piece : pieces) {
        ranges.push_back(piece.range);
    }
    auto const buffer = static_cast<std::size_t>(gpu.buffers.current);
    return digests_of_ranges(gpu.stream,
                             {context.shape.key_bytes,
                              gpu.buffers.keys[buffer],
                              context.shape.value_bytes,
                              gpu.buffers.values[buffer]},
                             ranges);
}

} // namespace

void write_digests(RunContext const& context,
                   GpuState const& gpu,
                   std::vector<BucketPiece> const& pieces,
                   DigestStage stage) {
    std::vector<MultisetDigest> const digests = digests_of(context, gpu, pieces);
    for (std::size_t i = 0; i < pieces.size();) {
        DigestRecord record{stage, gpu.id, pieces[i].bucket, {}};
        for (; i < pieces.size() && pieces[i].bucket == record.bucket; ++i) {
            record.digest += digests[i];
        }
        context.trace->write(record);
    }
}

void record_digests_before_swap(RunContext const& context,
                                std::vector<GpuState> const& gpus,
                                Partition const& partition) {
    if (context.trace == nullptr) {
        return;
    }
    for (GpuState const& gpu : gpus) {
        std::vector<BucketPiece> pieces;
        for (FinalBucket const& bucket : partition.buckets) {
            BucketPart const part = bucket.parts[gpu.id.value];
            if (part.count > 0) {
                pieces.push_back({bucket.placement.bucket, {part.offset, part.count}});
            }
        }
        write_digests(context, gpu, pieces, DigestStage::before_swap);
    }
}

void record_digests(RunContext const& context,
                    std::vector<GpuState> const& gpus,
                    std::span<OwnedBucket const> owned,
                    DigestStage stage) {
    if (context.trace == nullptr) {
        return;
    }
    for (GpuState const& gpu : gpus) {
        std::vector<BucketPiece> pieces;
        for (OwnedBucket const& piece : owned) {
            if (piece.gpu == gpu.id) {
                pieces.push_back({piece.bucket, {piece.offset, piece.count}});
            }
        }
        write_digests(context, gpu, pieces, stage);
    }
}

} // namespace keyswap::kernels
