#include "kernels/sorts/rmg/key_swap.hpp"

namespace keyswap::kernels {

namespace {

/// Digests of pieces that lie in a rank's current place, in their order.
std::vector<MultisetDigest>
digests_of(RunContext const& context, Rank const& rank, std::vector<BucketPiece> const& pieces) {
    if (pieces.empty()) {
        return {};
    }
    DeviceScope const scope{rank.device};
    std::vector<KeyRange> ranges;
    ranges.reserve(pieces.size());
    for (BucketPiece const& piece : pieces) {
        ranges.push_back(piece.range);
    }
    DeviceBuffer<KeyRange> const device_ranges{rank.device, ranges.size()};
    DeviceBuffer<MultisetDigest> const device_digests{rank.device, ranges.size()};
    std::vector<MultisetDigest> digests(ranges.size());
    KEYSWAP_CUDA(cudaMemcpyAsync(device_ranges.data(),
                                 ranges.data(),
                                 ranges.size() * sizeof(KeyRange),
                                 cudaMemcpyHostToDevice,
                                 rank.stream));
    auto const place = static_cast<std::size_t>(rank.place.current);
    launch_digests(rank.stream,
                   context.shape.key_bytes,
                   rank.place.keys[place],
                   context.shape.value_bytes,
                   rank.place.values[place],
                   device_ranges.data(),
                   static_cast<std::uint32_t>(ranges.size()),
                   device_digests.data());
    KEYSWAP_CUDA(cudaMemcpyAsync(digests.data(),
                                 device_digests.data(),
                                 digests.size() * sizeof(MultisetDigest),
                                 cudaMemcpyDeviceToHost,
                                 rank.stream));
    KEYSWAP_CUDA(cudaStreamSynchronize(rank.stream));
    return digests;
}

} // namespace

void write_digests(RunContext const& context,
                   Rank const& rank,
                   std::vector<BucketPiece> const& pieces,
                   DigestStage stage) {
    std::vector<MultisetDigest> const digests = digests_of(context, rank, pieces);
    for (std::size_t i = 0; i < pieces.size();) {
        DigestRecord record{stage, rank.gpu, pieces[i].bucket, {}};
        for (; i < pieces.size() && pieces[i].bucket == record.bucket; ++i) {
            record.digest += digests[i];
        }
        context.trace->write(record);
    }
}

void record_digests_before_swap(RunContext const& context,
                                std::vector<Rank> const& ranks,
                                Partition const& partition) {
    if (context.trace == nullptr) {
        return;
    }
    for (Rank const& rank : ranks) {
        std::vector<BucketPiece> pieces;
        for (FinalBucket const& bucket : partition.buckets) {
            BucketPart const part = bucket.parts[rank.gpu.value];
            if (part.count > 0) {
                pieces.push_back({bucket.placement.bucket, {part.offset, part.count}});
            }
        }
        write_digests(context, rank, pieces, DigestStage::before_swap);
    }
}

void record_digests(RunContext const& context,
                    std::vector<Rank> const& ranks,
                    std::span<OwnedBucket const> owned,
                    DigestStage stage) {
    if (context.trace == nullptr) {
        return;
    }
    for (Rank const& rank : ranks) {
        std::vector<BucketPiece> pieces;
        for (OwnedBucket const& piece : owned) {
            if (piece.gpu == rank.gpu) {
                pieces.push_back({piece.bucket, {piece.offset, piece.count}});
            }
        }
        write_digests(context, rank, pieces, stage);
    }
}

} // namespace keyswap::kernels
