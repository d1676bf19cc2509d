#include "kernels/device/cuda_check.hpp"
#include "kernels/multisplit/bucket_rule.cuh"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/multisplit/warp_votes.cuh"
#include "kernels/primitives/element_types.cuh"

#include <cub/device/device_scan.cuh>
#include <utility>

namespace keyswap::kernels {

namespace {

constexpr int threads = 256;

unsigned blocks_of(std::uint64_t count) {
    return static_cast<unsigned>((count + threads - 1) / threads);
}

__device__ std::uint64_t thread_index() {
    return blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
}

template <class Key>
__global__ void label_kernel(Key const* keys,
                             std::uint64_t count,
                             AnyRule<Key> rule,
                             std::uint32_t* labels,
                             std::uint32_t* indices) {
    std::uint64_t const i = thread_index();
    if (i < count) {
        labels[i] = rule(keys[i], i);
        if (indices != nullptr) {
            indices[i] = static_cast<std::uint32_t>(i);
        }
    }
}

__global__ void pack_kernel(std::uint32_t const* keys,
                            std::uint32_t const* values,
                            std::uint64_t count,
                            std::uint64_t* packed) {
    std::uint64_t const i = thread_index();
    if (i < count) {
        packed[i] = static_cast<std::uint64_t>(values[i]) << 32 | keys[i];
    }
}

__global__ void unpack_kernel(std::uint64_t const* packed,
                              std::uint64_t count,
                              std::uint32_t* keys,
                              std::uint32_t* values) {
    std::uint64_t const i = thread_index();
    if (i < count) {
        keys[i] = static_cast<std::uint32_t>(packed[i]);
        values[i] = static_cast<std::uint32_t>(packed[i] >> 32);
    }
}

template <class Word>
__global__ void
gather_kernel(Word const* in, std::uint32_t const* indices, std::uint64_t count, Word* out) {
    std::uint64_t const i = thread_index();
    if (i < count) {
        out[i] = in[indices[i]];
    }
}

/// Writes the first position of each bucket among sorted labels.
__global__ void label_starts_kernel(std::uint32_t const* labels,
                                    std::uint64_t count,
                                    std::uint32_t buckets,
                                    std::uint64_t* starts) {
    std::uint64_t const bucket = thread_index();
    if (bucket >= buckets) {
        return;
    }
    std::uint64_t low = 0;
    std::uint64_t high = count;
    while (low < high) {
        std::uint64_t const middle = low + (high - low) / 2;
        if (labels[middle] < bucket) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    starts[bucket] = low;
}

/// Writes 1 for labels in which the bit is clear, otherwise 0.
__global__ void
clear_bit_kernel(std::uint32_t const* labels, std::uint64_t count, int bit, std::uint32_t* flags) {
    std::uint64_t const i = thread_index();
    if (i < count) {
        flags[i] = (labels[i] >> bit & 1U) == 0 ? 1 : 0;
    }
}

/// Two-sided compaction: elements with a clear bit come first, the others after them.
/// \param before number of clear bits before each element
__global__ void compact_kernel(std::uint32_t const* labels,
                               std::uint32_t const* indices,
                               std::uint64_t count,
                               int bit,
                               std::uint32_t const* before,
                               std::uint32_t* labels_out,
                               std::uint32_t* indices_out) {
    std::uint64_t const i = thread_index();
    if (i >= count) {
        return;
    }
    bool const is_clear = (labels[i] >> bit & 1U) == 0;
    std::uint64_t const last = count - 1;
    std::uint64_t const clear_total = before[last] + ((labels[last] >> bit & 1U) == 0 ? 1 : 0);
    std::uint64_t const to = is_clear ? before[i] : clear_total + (i - before[i]);
    labels_out[to] = labels[i];
    indices_out[to] = indices[i];
}

/// Allocates from scratch memory with an alignment of 256 bytes.
class Arena {
  public:
    explicit Arena(void* begin) : at_(static_cast<unsigned char*>(begin)) {}
    template <class T>
    T* take(std::uint64_t count) {
        auto* const begin = reinterpret_cast<T*>(at_);
        at_ += rounded(count * sizeof(T));
        return begin;
    }
    [[nodiscard]] std::size_t left(void* begin, std::size_t bytes) const {
        return bytes - static_cast<std::size_t>(at_ - static_cast<unsigned char*>(begin));
    }
    static std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  private:
    unsigned char* at_;
};

void launch_labels(cudaStream_t stream,
                   OutOfPlaceArrays const& arrays,
                   DeviceRule const& rule,
                   std::uint32_t* labels,
                   std::uint32_t* indices) {
    upload_active_fault();
    unsigned const blocks = blocks_of(arrays.count);
    with_key_type(arrays.shape.key_bytes, [&]<class Key>() {
        label_kernel<<<blocks, threads, 0, stream>>>(static_cast<Key const*>(arrays.keys_in),
                                                     arrays.count,
                                                     AnyRule<Key>(rule),
                                                     labels,
                                                     indices);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

/// \param bytes of an element; 0: no such array
void launch_gather(cudaStream_t stream,
                   int bytes,
                   void const* in,
                   std::uint32_t const* indices,
                   std::uint64_t count,
                   void* out) {
    if (bytes == 0) {
        return;
    }
    with_key_type(bytes, [&]<class Word>() {
        gather_kernel<<<blocks_of(count), threads, 0, stream>>>(
            static_cast<Word const*>(in), indices, count, static_cast<Word*>(out));
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_label_starts(cudaStream_t stream,
                         std::uint32_t const* labels,
                         std::uint64_t count,
                         std::uint32_t buckets,
                         std::uint64_t* starts) {
    label_starts_kernel<<<blocks_of(buckets), threads, 0, stream>>>(labels, count, buckets, starts);
    KEYSWAP_CUDA(cudaGetLastError());
}

/// Payload of the sort by label: the key, key and value in one word, or the element's index.
enum class Payload { key32, word64, index };

Payload payload_of(ElementShape shape) {
    if (shape.key_bytes == 4 && shape.value_bytes == 0) {
        return Payload::key32;
    }
    if (shape.bytes() == 8) {
        return Payload::word64;
    }
    return Payload::index;
}

std::size_t scan_bytes(std::uint64_t count) {
    std::size_t bytes = 0;
    std::uint32_t* const none = nullptr;
    KEYSWAP_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, count));
    return bytes;
}

} // namespace

std::size_t reduced_bit_scratch_bytes(ElementShape shape, std::uint64_t count) {
    int const payload_bytes = payload_of(shape) == Payload::word64 ? 8 : 4;
    return 2 * Arena::rounded(count * 4) + 2 * Arena::rounded(count * payload_bytes) +
           radix_sort_temp_bytes({4, payload_bytes}, count);
}

void launch_reduced_bit_split(cudaStream_t stream,
                              OutOfPlaceArrays const& arrays,
                              DeviceRule const& rule,
                              std::uint64_t* starts,
                              void* scratch,
                              std::size_t scratch_bytes) {
    std::uint64_t const count = arrays.count;
    Payload const payload = payload_of(arrays.shape);
    int const payload_bytes = payload == Payload::word64 ? 8 : 4;
    bool const cut = rule.buckets > 1 && has_fault(DeviceFault::label_cut_to_bits);
    int const label_bits = vote_rounds(rule.buckets) - (cut ? 1 : 0);
    Arena arena(scratch);
    SortBuffers buffers;
    buffers.keys = {arena.take<std::uint32_t>(count), arena.take<std::uint32_t>(count)};
    buffers.values = {arena.take<unsigned char>(count * payload_bytes),
                      arena.take<unsigned char>(count * payload_bytes)};
    auto* const labels = static_cast<std::uint32_t*>(buffers.keys[0]);
    auto* const first = static_cast<std::uint32_t*>(buffers.values[0]);
    launch_labels(stream, arrays, rule, labels, payload == Payload::index ? first : nullptr);
    if (payload == Payload::word64 && arrays.shape.key_bytes == 4) {
        pack_kernel<<<blocks_of(count), threads, 0, stream>>>(
            static_cast<std::uint32_t const*>(arrays.keys_in),
            static_cast<std::uint32_t const*>(arrays.values_in),
            count,
            static_cast<std::uint64_t*>(buffers.values[0]));
        KEYSWAP_CUDA(cudaGetLastError());
    } else if (payload != Payload::index) {
        KEYSWAP_CUDA(cudaMemcpyAsync(buffers.values[0],
                                     arrays.keys_in,
                                     count * payload_bytes,
                                     cudaMemcpyDeviceToDevice,
                                     stream));
    }
    auto* const temp = arena.take<unsigned char>(0);
    int const sorted = launch_radix_sort(stream,
                                         {4, payload_bytes},
                                         buffers,
                                         count,
                                         {0, label_bits},
                                         temp,
                                         arena.left(scratch, scratch_bytes));
    auto const* const sorted_labels = static_cast<std::uint32_t const*>(buffers.keys[sorted]);
    launch_label_starts(stream, sorted_labels, count, rule.buckets, starts);
    void const* const moved = buffers.values[sorted];
    if (payload == Payload::index) {
        auto const* const indices = static_cast<std::uint32_t const*>(moved);
        launch_gather(
            stream, arrays.shape.key_bytes, arrays.keys_in, indices, count, arrays.keys_out);
        launch_gather(
            stream, arrays.shape.value_bytes, arrays.values_in, indices, count, arrays.values_out);
    } else if (payload == Payload::word64 && arrays.shape.key_bytes == 4) {
        unpack_kernel<<<blocks_of(count), threads, 0, stream>>>(
            static_cast<std::uint64_t const*>(moved),
            count,
            static_cast<std::uint32_t*>(arrays.keys_out),
            static_cast<std::uint32_t*>(arrays.values_out));
        KEYSWAP_CUDA(cudaGetLastError());
    } else {
        KEYSWAP_CUDA(cudaMemcpyAsync(
            arrays.keys_out, moved, count * payload_bytes, cudaMemcpyDeviceToDevice, stream));
    }
}

std::size_t scan_split_scratch_bytes(std::uint64_t count) {
    return 6 * Arena::rounded(count * 4) + scan_bytes(count);
}

void launch_scan_split(cudaStream_t stream,
                       OutOfPlaceArrays const& arrays,
                       DeviceRule const& rule,
                       std::uint64_t* starts,
                       void* scratch,
                       std::size_t scratch_bytes) {
    std::uint64_t const count = arrays.count;
    unsigned const blocks = blocks_of(count);
    Arena arena(scratch);
    auto* labels = arena.take<std::uint32_t>(count);
    auto* indices = arena.take<std::uint32_t>(count);
    auto* labels_out = arena.take<std::uint32_t>(count);
    auto* indices_out = arena.take<std::uint32_t>(count);
    auto* const flags = arena.take<std::uint32_t>(count);
    auto* const before = arena.take<std::uint32_t>(count);
    auto* const temp = arena.take<unsigned char>(0);
    std::size_t temp_bytes = arena.left(scratch, scratch_bytes);
    launch_labels(stream, arrays, rule, labels, indices);
    for (int bit = 0; bit < vote_rounds(rule.buckets); ++bit) {
        clear_bit_kernel<<<blocks, threads, 0, stream>>>(labels, count, bit, flags);
        KEYSWAP_CUDA(cudaGetLastError());
        KEYSWAP_CUDA(cub::DeviceScan::ExclusiveSum(temp, temp_bytes, flags, before, count, stream));
        compact_kernel<<<blocks, threads, 0, stream>>>(
            labels, indices, count, bit, before, labels_out, indices_out);
        KEYSWAP_CUDA(cudaGetLastError());
        std::swap(labels, labels_out);
        std::swap(indices, indices_out);
    }
    launch_label_starts(stream, labels, count, rule.buckets, starts);
    launch_gather(stream, arrays.shape.key_bytes, arrays.keys_in, indices, count, arrays.keys_out);
    launch_gather(
        stream, arrays.shape.value_bytes, arrays.values_in, indices, count, arrays.values_out);
}

} // namespace keyswap::kernels
