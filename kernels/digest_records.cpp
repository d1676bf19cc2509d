#include "kernels/key_swap.hpp"

namespace keyswap::kernels {

namespace {

/// A bucket's keys on one GPU.
struct Piece {
    BucketPrefix bucket;
    KeyRange range;
};

/// Digests of pieces that lie in a rank's current place, in their order.
std::vector<MultisetDigest>
digests_of(RunContext const& context, Rank const& rank, std::vector<Piece> const& pieces) {
    if (pieces.empty()) {
        return {};
    }
    DeviceScope const scope{rank.device};
    std::vector<KeyRange> ranges;
    ranges.reserve(pieces.size());
    for (Piece const& piece : pieces) {
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

void write_digests(RunContext const& context,
                   Rank const& rank,
                   std::vector<Piece> const& pieces,
                   DigestStage stage) {
    std::vector<MultisetDigest> const digests = digests_of(context, rank, pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        context.trace->write(DigestRecord{stage, rank.gpu, pieces[i].bucket, digests[i]});
    }
}

} // namespace

void record_digests_before_swap(RunContext const& context,
                                std::vector<Rank> const& ranks,
                                Partition const& partition) {
    if (context.trace == nullptr) {
        return;
    }
    for (Rank const& rank : ranks) {
        std::vector<Piece> pieces;
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
        std::vector<Piece> pieces;
        for (OwnedBucket const& piece : owned) {
            if (piece.gpu == rank.gpu) {
                pieces.push_back({piece.bucket, {piece.offset, piece.count}});
            }
        }
        write_digests(context, rank, pieces, stage);
    }
}

} // namespace keyswap::kernels
