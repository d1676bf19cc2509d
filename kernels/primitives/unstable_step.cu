#include "kernels/device/cuda_check.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/move_values.cuh"
#include "kernels/primitives/segmented_sort.hpp"
#include "kernels/primitives/tile_ranks.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int block_threads = 512;
/// Keys a thread takes: 48 KiB of keys a block, two blocks a multiprocessor. Of seven shapes tried
/// on an H200 (2026-11-21, 5e8 u32 keys) this one took 1.46 ms, the others 1.73 to 2.06.
template <class Key, class Value>
constexpr int thread_items = sizeof(Key) == 8 || sizeof(Value) == 8 ? 12 : 24;
template <class Key, class Value>
constexpr int tile_size = block_threads* thread_items<Key, Value>;
/// Values take the place of keys that are written; labels lie behind.
template <class Key, class Value>
constexpr int tile_element_bytes = tile_size<Key, Value>* static_cast<int>(
    sizeof(Value) > sizeof(Key) ? sizeof(Value) : sizeof(Key));
/// What tells keys apart: a digit of theirs.
template <class Key>
class DigitLabels {
  public:
    static constexpr bool are_kept = false; ///< a shift costs less than a register
    struct Shared {};
    __device__ DigitLabels(DigitStep const& step, Shared& /*shared*/)
        : shift_(step.shift), mask_((1U << step.bits) - 1U), bits_(step.bits) {}
    [[nodiscard]] __device__ std::uint32_t of(Key image) const {
        return static_cast<std::uint32_t>(image >> shift_) & mask_;
    }
    /// Counters of a segment are 2^bits.
    [[nodiscard]] __device__ int bits() const { return bits_; }

  private:
    int shift_;
    std::uint32_t mask_;
    int bits_;
};

/// What tells keys apart: in which range of images they lie.
template <class Key>
class RangesOfDigits {
  public:
    static constexpr bool are_kept = true;
    struct Shared {
        Key lowest[range_labels_max];
        std::uint16_t entries[label_nodes_max << step_bits];
    };
    __device__ RangesOfDigits(DigitStep const& step, Shared& shared)
        : shared_(shared), labels_(step.ranges.labels), bits_(step.bits) {
        for (std::uint32_t i = threadIdx.x; i < step.ranges.nodes << bits_; i += block_threads) {
            shared.entries[i] = step.ranges.entries[i];
        }
        for (std::uint32_t i = threadIdx.x; i < step.ranges.labels; i += block_threads) {
            shared.lowest[i] = static_cast<Key const*>(step.ranges.lowest)[i];
        }
    }
    [[nodiscard]] __device__ std::uint32_t of(Key image) const {
        int const below = static_cast<int>(sizeof(Key)) * 8 - bits_;
        std::uint32_t entry = shared_.entries[static_cast<std::uint32_t>(image >> below)];
        for (Key digits = image; (entry & LabelEntry::node_bit) != 0;) {
            digits <<= bits_;
            entry = shared_.entries[((entry & LabelEntry::number_mask) << bits_) +
                                    static_cast<std::uint32_t>(digits >> below)];
        }
        std::uint32_t label = entry & LabelEntry::number_mask;
        if ((entry & LabelEntry::search_bit) != 0) {
            while (label + 1 < labels_ && shared_.lowest[label + 1] <= image) {
                ++label;
            }
        }
        bool const is_before = kernel_has_fault(DeviceFault::range_off_by_one) && label > 0 &&
                               shared_.lowest[label] == image;
        return is_before ? label - 1 : label;
    }
    [[nodiscard]] __device__ int bits() const { return wide_step_bits; }

  private:
    Shared& shared_;
    std::uint32_t labels_;
    int bits_;
};

/// Labels that take long to look up are kept. What is in order has labels beside it, for the values
/// if not for the keys.
template <class Key, class Value, class Labels>
constexpr int tile_labels = (Labels::are_kept  ? 2
                             : is_value<Value> ? 1
                                               : 0) *
                            tile_size<Key, Value>; ///< as keys come in, then in order
template <class Key, class Value, class Labels>
constexpr int
    tile_shared_bytes = tile_element_bytes<Key, Value> +
                        tile_labels<Key, Value, Labels>* static_cast<int>(sizeof(std::uint16_t));

/// Orders a tile by label in shared memory, takes room for its keys in the segment by one atomic a
/// label, and writes them, then their values. \tparam coded keys are encoded on the way in or
/// decoded on the way out
template <class Key, class Value, template <class> class LabelsOf, int label_bits, bool coded>
__global__ void __launch_bounds__(block_threads, 2) unstable_step_kernel(DigitStep step) {
    constexpr int items = thread_items<Key, Value>;
    constexpr int bins = 1 << label_bits;
    static_assert(bins <= block_threads);
    using Scan = cub::BlockScan<std::uint32_t, block_threads>;
    using Labels = LabelsOf<Key>;
    extern __shared__ __align__(16) unsigned char tile_bytes[];
    auto* const tile_keys = reinterpret_cast<Key*>(tile_bytes);
    constexpr bool has_labels_in_order = Labels::are_kept || is_value<Value>;
    [[maybe_unused]] auto* const labels_in_order =
        reinterpret_cast<std::uint16_t*>(tile_bytes + tile_element_bytes<Key, Value>);
    [[maybe_unused]] auto* const kept = labels_in_order + tile_size<Key, Value>;
    __shared__ typename Labels::Shared label_storage;
    __shared__ std::uint32_t counters[bins]; // then where each label begins in the tile
    __shared__ std::uint32_t label_offset[bins];
    __shared__ typename Scan::TempStorage scan_storage;

    SortTile const tile = step.tiles[blockIdx.x];
    int const count = static_cast<int>(tile.count);
    int const thread = static_cast<int>(threadIdx.x);
    bool const whole = count == tile_size<Key, Value>;
    Labels const labels(step, label_storage);
    bool const has_bin = thread < bins && (!is_value<Value> || thread < 1 << labels.bits());
    if (thread < bins) {
        counters[thread] = 0;
    }
    Key const* const keys_in = step.keys_read().of<Key>(tile.buffer) + tile.source;
    auto const is_key = [whole, thread, count](int i) {
        return whole || i * block_threads + thread < count;
    };
    Key keys[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        keys[i] = is_key(i) ? keys_in[i * block_threads + thread] : Key{0};
    }
    if constexpr (coded) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            keys[i] = encode_image(keys[i], step.encode);
        }
    }
    __syncthreads();

    if constexpr (Labels::are_kept) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            kept[i * block_threads + thread] = static_cast<std::uint16_t>(labels.of(keys[i]));
        }
    }
    auto const label_of = [&](int i) -> std::uint32_t {
        if constexpr (Labels::are_kept) {
            return kept[i * block_threads + thread];
        } else {
            return labels.of(keys[i]);
        }
    };
    TileRanks<items> ranks;
    rank_tile(ranks, counters, label_of, is_key);
    __syncthreads();

    std::uint32_t const label_count = has_bin ? counters[thread] : 0;
    std::uint32_t label_begin = 0;
    Scan(scan_storage).ExclusiveSum(label_count, label_begin);
    std::uint32_t place = 0; // of this thread's label in the segment
    if (has_bin) {
        counters[thread] = label_begin;
        place =
            step.bins[static_cast<std::uint64_t>(tile.segment) * step.bins_stride + threadIdx.x];
        if (label_count != 0) {
            std::uint32_t* const taken =
                step.scratch + (static_cast<std::uint64_t>(tile.segment) << labels.bits());
            place += kernel_has_fault(DeviceFault::room_not_taken)
                         ? taken[thread]
                         : atomicAdd(&taken[thread], label_count);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (is_key(i)) {
            std::uint32_t const at = counters[label_of(i)] + ranks.at(i);
            if constexpr (is_value<Value>) {
                ranks.replace(i, at);
            }
            if constexpr (has_labels_in_order) {
                labels_in_order[at] = static_cast<std::uint16_t>(label_of(i));
            }
            tile_keys[at] = keys[i];
        }
    }
    if (has_bin) {
        // May wrap below zero; adding a place inside the tile brings it back.
        label_offset[thread] = place - label_begin;
    }
    __syncthreads();

    // Values are on their way while keys are written.
    [[maybe_unused]] Value values[is_value<Value> ? items : 1];
    if constexpr (is_value<Value>) {
        Value const* const values_in = step.values_read().of<Value>(tile.buffer) + tile.source;
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                values[i] = values_in[i * block_threads + thread];
            }
        }
    }
    auto const place_of = [&](std::uint32_t label, int at) {
        return label_offset[label] + static_cast<std::uint32_t>(at);
    };
    Key* const keys_out = static_cast<Key*>(step.keys_out) + tile.destination;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = i * block_threads + thread;
        if (is_key(i)) {
            Key const key = tile_keys[at];
            std::uint32_t label = 0;
            if constexpr (Labels::are_kept) {
                label = labels_in_order[at];
            } else {
                label = labels.of(key);
            }
            keys_out[place_of(label, at)] = coded ? decode_image(key, step.decode) : key;
        }
    }
    if constexpr (is_value<Value>) {
        auto* const tile_values = reinterpret_cast<Value*>(tile_bytes);
        Value* const values_out = static_cast<Value*>(step.values_out) + tile.destination;
        if (kernel_has_fault(DeviceFault::values_by_other_rank)) {
            values[0] = values[1];
        }
        __syncthreads(); // all have read the keys
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                tile_values[ranks.at(i)] = values[i];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
            int const at = i * block_threads + thread;
            if (is_key(i)) {
                values_out[place_of(labels_in_order[at], at)] = tile_values[at];
            }
        }
    }
}

template <class Key, class Value, template <class> class LabelsOf, int label_bits, bool coded>
void start(cudaStream_t stream, DigitStep const& step) {
    constexpr int shared_bytes = tile_shared_bytes<Key, Value, LabelsOf<Key>>;
    auto const kernel = unstable_step_kernel<Key, Value, LabelsOf, label_bits, coded>;
    KEYSWAP_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    kernel<<<step.tile_count, block_threads, shared_bytes, stream>>>(step);
}

template <class Key, int label_bits>
void start_by_code(cudaStream_t stream, DigitStep const& step) {
    if (step.encode.is_identity() && step.decode.is_identity()) {
        start<Key, NoValue, DigitLabels, label_bits, false>(stream, step);
    } else {
        start<Key, NoValue, DigitLabels, label_bits, true>(stream, step);
    }
}

/// Where labels or values are looked at, codes are not worth a kernel of their own.
template <class Key, class Value>
void start_coded(cudaStream_t stream, DigitStep const& step) {
    if (step.ranges.empty()) {
        start<Key, Value, DigitLabels, wide_step_bits, true>(stream, step);
    } else {
        start<Key, Value, RangesOfDigits, wide_step_bits, true>(stream, step);
    }
}

template <class Key>
void start_by_value(cudaStream_t stream, int value_bytes, DigitStep const& step) {
    switch (value_bytes) {
    case 4:
        start_coded<Key, std::uint32_t>(stream, step);
        break;
    case 8:
        start_coded<Key, std::uint64_t>(stream, step);
        break;
    default:
        if (!step.ranges.empty()) {
            start<Key, NoValue, RangesOfDigits, wide_step_bits, true>(stream, step);
        } else if (step.bits > step_bits) {
            start_by_code<Key, wide_step_bits>(stream, step);
        } else {
            start_by_code<Key, step_bits>(stream, step);
        }
    }
}

} // namespace

std::uint32_t unstable_tile_keys(ElementShape shape) {
    bool const is_wide = std::max(shape.key_bytes, shape.value_bytes) == 8;
    return is_wide ? tile_size<std::uint64_t, NoValue> : tile_size<std::uint32_t, NoValue>;
}

void launch_unstable_step(cudaStream_t stream, ElementShape shape, DigitStep const& step) {
    if (step.tile_count == 0) {
        return;
    }
    tell_kernels_of_fault();
    int const label_bits = step.ranges.empty() ? step.bits : wide_step_bits;
    std::size_t const words = static_cast<std::size_t>(step.segment_count) << label_bits;
    KEYSWAP_CUDA(cudaMemsetAsync(step.scratch, 0, words * sizeof(std::uint32_t), stream));
    if (shape.key_bytes == 8) {
        start_by_value<std::uint64_t>(stream, shape.value_bytes, step);
    } else {
        start_by_value<std::uint32_t>(stream, shape.value_bytes, step);
    }
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
