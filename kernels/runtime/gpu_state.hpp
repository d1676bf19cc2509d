#pragma once

/// \file One GPU of a sort, real or virtual: streams, scratch memory and buffers for
/// keys.

#include "kernels/device/stream.hpp"
#include "kernels/exchange_plan/upload_pieces.hpp"
#include "kernels/primitives/out_of_place_arrays.hpp"
#include "kernels/primitives/partition/partition_kernels.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"
#include "kernels/ranks/shared_memory.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace keyswap::kernels {

/// Memory of a particular sort on one GPU, kept between calls.
class SortMemory {
  public:
    SortMemory() = default;
    SortMemory(SortMemory const&) = delete;
    SortMemory& operator=(SortMemory const&) = delete;
    virtual ~SortMemory() = default;
    /// Waits for all work queued in the object's own streams and ignores errors.
    virtual void drain() const {}
};

/// A GPU's resources, kept between calls.
struct GpuResources {
    int device = 0;
    Stream stream;
    Stream copy_stream; ///< for uploads during counts and downloads during the bucket sort
    Event ready;        ///< reused: waits refer to the last record before they were queued
    Event group_sorted;
    std::array<Event, upload_pieces_max> piece_uploaded; ///< a piece of keys is uploaded
    Event uploaded;                                      ///< all keys and values are uploaded
    DeviceBuffer<std::byte> sort_temp;
    DeviceBuffer<std::uint64_t> counts; ///< histograms of one pass
    DeviceBuffer<std::byte> keys[2];    ///< empty if the caller owns the chunks
    DeviceBuffer<std::byte> values[2];
    std::unique_ptr<SortMemory> own;  ///< of the sort; may be null
    std::vector<SharedMemory> shared; ///< keys and values, if ranks exchange them
};

/// An upload of a chunk in progress (chunk_upload.hpp).
struct ChunkUpload {
    void const* host_keys = nullptr; ///< the chunk's first key; must not change during the upload
    std::vector<KeyRange> pieces;    ///< of keys, in order of upload
};

/// A GPU during one call; buffers 0 and 1 each hold `capacity` keys and values.
struct GpuState {
    GpuResources* resources = nullptr;
    GpuId id;
    int device = 0;
    cudaStream_t stream = nullptr;
    SortBuffers buffers;               ///< buffers.current holds the chunk until the key swap
    std::uint64_t count = 0;           ///< keys of the chunk
    std::optional<ChunkUpload> upload; ///< nullopt if the keys are on the GPU, in stream order

    /// Device pointer to the keys in the current buffer.
    [[nodiscard]] void* keys() const {
        return buffers.keys[static_cast<std::size_t>(buffers.current)];
    }
};

[[nodiscard]] inline std::size_t bytes_of(std::uint64_t count, int element_bytes) {
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes);
}

/// Address of element `index`; null for a null array.
[[nodiscard]] inline void* element(void* array, int element_bytes, std::uint64_t index) {
    return array == nullptr ? nullptr
                            : static_cast<std::byte*>(array) + bytes_of(index, element_bytes);
}

[[nodiscard]] inline void const*
element(void const* array, int element_bytes, std::uint64_t index) {
    return array == nullptr ? nullptr
                            : static_cast<std::byte const*>(array) + bytes_of(index, element_bytes);
}

/// Both buffers, starting at element `offset`.
[[nodiscard]] inline SortBuffers
buffers_at(SortBuffers const& buffers, ElementShape shape, std::uint64_t offset) {
    SortBuffers part = buffers;
    for (std::size_t i = 0; i < 2; ++i) {
        part.keys[i] = element(buffers.keys[i], shape.key_bytes, offset);
        part.values[i] = element(buffers.values[i], shape.value_bytes, offset);
    }
    return part;
}

/// The images in a GPU's buffer, for digests.
[[nodiscard]] inline DigestedElements
digested_elements(GpuState const& gpu, ElementShape shape, int buffer) {
    auto const i = static_cast<std::size_t>(buffer);
    return {shape.key_bytes, gpu.buffers.keys[i], shape.value_bytes, gpu.buffers.values[i]};
}

/// Copies between devices or within one; the stream may be of either device.
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

/// Arrays of a kernel that moves the chunk from the current buffer to the other.
[[nodiscard]] inline OutOfPlaceArrays arrays_to_other_buffer(GpuState const& gpu,
                                                             ElementShape shape) {
    auto const from = static_cast<std::size_t>(gpu.buffers.current);
    return {arrays_between(gpu.buffers, from, 1 - from), gpu.count, shape};
}

/// An element of one of a GPU's buffers.
struct BufferPlace {
    GpuState const& gpu;
    int buffer = 0;
    std::uint64_t offset = 0;
};

/// Copies keys and values between GPUs or within one; the stream may be of either.
void copy_elements(cudaStream_t stream,
                   ElementShape shape,
                   BufferPlace const& from,
                   BufferPlace const& to,
                   std::uint64_t count);

/// Copies keys and values of a range from buffer `from` to the other, in the GPU's stream.
void copy_to_other_buffer(GpuState const& gpu, ElementShape shape, KeyRange range, int from);

/// Makes every GPU's stream wait for all work queued in any GPU's stream.
void join_streams(std::vector<GpuState> const& gpus);

} // namespace keyswap::kernels
