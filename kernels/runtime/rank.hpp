#pragma once

/// \file One GPU of a sort, real or virtual: its streams, scratch memory and the places of its
/// keys.

#include "kernels/device/stream.hpp"
#include "kernels/primitives/partition_kernels.hpp"
#include "kernels/primitives/radix_sort.hpp"
#include "kernels/primitives/segmented_sort.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// What variant `fast` keeps on a GPU; empty for others. Look-back words share the sort's temp.
struct FastResources {
    Stream send_stream;
    std::vector<Event> sent; ///< [rounds]
    Event round_sorted;
    DeviceBuffer<SegmentPart> parts;
    PinnedBuffer<SegmentPart> host_parts;
    DeviceBuffer<SortTile> arrival_tiles; ///< of keys as they came
    DeviceBuffer<SortTile> tiles;         ///< of keys in order of buckets
    DeviceBuffer<std::uint32_t> bins;
    DeviceBuffer<std::uint32_t> scatter_bins; ///< [refined buckets][digits], 256 at least
    PinnedBuffer<std::uint32_t> host_scatter_bins;
    PinnedBuffer<std::uint32_t> crowding; ///< [1]; see launch_crowding_sample
};

/// What a GPU keeps from call to call.
struct RankResources {
    int device = 0;
    Stream stream;
    Stream copy_stream; ///< copies back to the host, beside the bucket sort
    Event ready;        ///< reused: what a stream waited for stays as it was when it began to wait
    Event group_sorted;
    DeviceBuffer<std::byte> sort_temp;
    DeviceBuffer<std::uint64_t> counts; ///< histograms of one pass
    DeviceBuffer<std::byte> keys[2];    ///< empty where the caller brings the chunks
    DeviceBuffer<std::byte> values[2];
    FastResources fast;
};

/// What a GPU is during one call: places 0 and 1 each hold `capacity` keys and values.
struct Rank {
    RankResources* resources = nullptr;
    GpuId gpu;
    int device = 0;
    cudaStream_t stream = nullptr;
    SortBuffers place;       ///< place.current holds the chunk until the key swap
    std::uint64_t count = 0; ///< keys of the chunk
};

/// The address of element `index`.
[[nodiscard]] inline void* element(void* array, int element_bytes, std::uint64_t index) {
    return array == nullptr
               ? nullptr
               : static_cast<std::byte*>(array) + index * static_cast<std::uint64_t>(element_bytes);
}

/// The places of a part that begins at `offset`.
[[nodiscard]] inline SortBuffers
buffers_at(SortBuffers const& place, ElementShape shape, std::uint64_t offset) {
    SortBuffers part = place;
    for (std::size_t i = 0; i < 2; ++i) {
        part.keys[i] = element(place.keys[i], shape.key_bytes, offset);
        part.values[i] = element(place.values[i], shape.value_bytes, offset);
    }
    return part;
}

/// Copies between devices, or within one, in a stream of either.
inline void copy_async(cudaStream_t stream,
                       int destination_device,
                       void* destination,
                       int source_device,
                       void const* source,
                       std::size_t bytes) {
    if (bytes == 0) {
        return;
    }
    if (destination_device == source_device) {
        KEYSWAP_CUDA(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, stream));
    } else {
        KEYSWAP_CUDA(cudaMemcpyPeerAsync(
            destination, destination_device, source, source_device, bytes, stream));
    }
}

/// Copies keys and values of a range from place `from` to the other, in the rank's stream.
void copy_to_other_place(Rank const& rank, ElementShape shape, KeyRange range, int from);

/// Every rank's stream waits for what all ranks' streams hold now.
void join_streams(std::vector<Rank> const& ranks);

} // namespace keyswap::kernels
