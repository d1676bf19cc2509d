#pragma once

/// \file One GPU of a sort, real or virtual: its streams, scratch memory and the buffers of its
/// keys.

#include "kernels/device/stream.hpp"
#include "kernels/exchange_plan/upload_pieces.hpp"
#include "kernels/primitives/partition/partition_kernels.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"
#include "kernels/ranks/rank_transport.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace keyswap::kernels {

/// What a sort keeps on a GPU from call to call, beside what every sort needs.
class SortMemory {
  public:
    SortMemory() = default;
    SortMemory(SortMemory const&) = delete;
    SortMemory& operator=(SortMemory const&) = delete;
    virtual ~SortMemory() = default;
    /// Waits for what was queued in streams of its own, whether it failed or not.
    virtual void drain() const {}
};

/// What a GPU keeps from call to call.
struct GpuResources {
    int device = 0;
    Stream stream;
    Stream copy_stream; ///< copies from the host beside counts, and back beside the bucket sort
    Event ready;        ///< reused: what a stream waited for stays as it was when it began to wait
    Event group_sorted;
    std::array<Event, upload_pieces_max> piece_uploaded; ///< keys that come from the host
    Event uploaded;                                      ///< all of them, and values
    DeviceBuffer<std::byte> sort_temp;
    DeviceBuffer<std::uint64_t> counts; ///< histograms of one pass
    DeviceBuffer<std::byte> keys[2];    ///< empty where the caller brings the chunks
    DeviceBuffer<std::byte> values[2];
    std::unique_ptr<SortMemory> own;          ///< of the sort; null where it keeps nothing
    std::vector<RegisteredMemory> registered; ///< chunks, where ranks exchange them
};

/// A chunk on its way from host memory (chunk_upload.hpp).
struct ChunkUpload {
    void const* host_keys = nullptr; ///< the chunk's first; stay as they are until it has come
    std::vector<KeyRange> pieces;    ///< of keys, in the order in which they come
};

/// What a GPU is during one call: buffers 0 and 1 each hold `capacity` keys and values.
struct GpuState {
    GpuResources* resources = nullptr;
    GpuId id;
    int device = 0;
    cudaStream_t stream = nullptr;
    SortBuffers buffers;               ///< buffers.current holds the chunk until the key swap
    std::uint64_t count = 0;           ///< keys of the chunk
    std::optional<ChunkUpload> upload; ///< nullopt if the keys are there, in the stream

    /// Those in the current buffer.
    [[nodiscard]] void* keys() const {
        return buffers.keys[static_cast<std::size_t>(buffers.current)];
    }
};

[[nodiscard]] inline std::size_t bytes_of(std::uint64_t count, int element_bytes) {
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes);
}

/// The address of element `index`.
[[nodiscard]] inline void* element(void* array, int element_bytes, std::uint64_t index) {
    return array == nullptr ? nullptr
                            : static_cast<std::byte*>(array) + bytes_of(index, element_bytes);
}

[[nodiscard]] inline void const*
element(void const* array, int element_bytes, std::uint64_t index) {
    return array == nullptr ? nullptr
                            : static_cast<std::byte const*>(array) + bytes_of(index, element_bytes);
}

/// The buffers of a part that begins at `offset`.
[[nodiscard]] inline SortBuffers
buffers_at(SortBuffers const& buffers, ElementShape shape, std::uint64_t offset) {
    SortBuffers part = buffers;
    for (std::size_t i = 0; i < 2; ++i) {
        part.keys[i] = element(buffers.keys[i], shape.key_bytes, offset);
        part.values[i] = element(buffers.values[i], shape.value_bytes, offset);
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

/// Copies keys and values of a range from buffer `from` to the other, in the GPU's stream.
void copy_to_other_buffer(GpuState const& gpu, ElementShape shape, KeyRange range, int from);

/// Every GPU's stream waits for what all GPUs' streams hold now.
void join_streams(std::vector<GpuState> const& gpus);

} // namespace keyswap::kernels
