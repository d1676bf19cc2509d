#include "kernels/device/cuda_check.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/steps/segmented_sort.hpp"
#include "kernels/primitives/steps/tile_ranks.cuh"
#include "kernels/primitives/steps/tile_runs.cuh"
#include "kernels/primitives/steps/tile_sizes.hpp"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

/// The same for all shapes.
constexpr int block_threads = unstable_block({}).threads;
template <class Key, class Value>
constexpr int
    thread_items = unstable_block({static_cast<int>(sizeof(Key)), value_bytes<Value>}).items;
template <class Value>
constexpr int blocks_per_multiprocessor = is_value<Value> ? 1 : 2;
template <class Key, class Value>
constexpr int tile_size = block_threads* thread_items<Key, Value>;
/// Bytes of a tile: keys, followed by values.
template <class Key, class Value>
constexpr int tile_element_bytes =
    tile_size<Key, Value>* static_cast<int>(sizeof(Key) + (is_value<Value> ? sizeof(Value) : 0));
/// Distinguishes keys by a digit.
template <class Key>
class DigitLabels {
  public:
    static constexpr bool are_kept = false; ///< a shift is cheaper than a register
    struct Shared {};
    __device__ DigitLabels(DigitStep const& step, BitWindow digit, Shared& /*shared*/)
        : shift_(digit.begin), mask_((1U << (digit.end - digit.begin)) - 1U), bits_(step.bits) {}
    [[nodiscard]] __device__ std::uint32_t of(Key image) const {
        return static_cast<std::uint32_t>(image >> shift_) & mask_;
    }
    /// Width of a label; a segment has 2^bits counters.
    [[nodiscard]] __device__ int bits() const { return bits_; }

  private:
    int shift_;
    std::uint32_t mask_;
    int bits_;
};

/// Distinguishes keys by the range of images that contains them.
template <class Key>
class RangesOfDigits {
  public:
    static constexpr bool are_kept = true;
    struct Shared {
        Key lowest[range_labels_max];
        std::uint16_t entries[label_nodes_max << step_bits];
    };
    __device__ RangesOfDigits(DigitStep const& step, BitWindow /*digit*/, Shared& shared)
        : shared_(shared), labels_(step.ranges->labels), depth_(step.ranges->depth),
          bits_(step.bits) {
        RangeLabels const& ranges = *step.ranges;
        for (std::uint32_t i = threadIdx.x; i < ranges.nodes << bits_; i += block_threads) {
            shared.entries[i] = ranges.entries[i];
        }
        for (std::uint32_t i = threadIdx.x; i < ranges.labels; i += block_threads) {
            shared.lowest[i] = static_cast<Key>(ranges.lowest[i]);
        }
    }
    /// Labels of several keys, which descend the tree in parallel to hide
    /// latency.
    template <int count>
    __device__ void of(Key const (&images)[count], std::uint32_t (&labels)[count]) const {
        int const below = static_cast<int>(sizeof(Key)) * 8 - bits_;
        std::uint32_t entries[count];
#pragma unroll
        for (int i = 0; i < count; ++i) {
            entries[i] = shared_.entries[static_cast<std::uint32_t>(images[i] >> below)];
        }
        for (int lead = bits_; lead < depth_ * bits_; lead += bits_) {
#pragma unroll
            for (int i = 0; i < count; ++i) {
                if ((entries[i] & LabelEntry::node_bit) != 0) {
                    auto const digit =
                        static_cast<std::uint32_t>(static_cast<Key>(images[i] << lead) >> below);
                    entries[i] =
                        shared_.entries[((entries[i] & LabelEntry::number_mask) << bits_) + digit];
                }
            }
        }
#pragma unroll
        for (int i = 0; i < count; ++i) {
            labels[i] = label_of(entries[i], images[i]);
        }
    }
    [[nodiscard]] __device__ int bits() const {
        return wide_step_bits;
    }

  private:
    [[nodiscard]] __device__ std::uint32_t label_of(std::uint32_t entry, Key image) const {
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

    Shared& shared_;
    std::uint32_t labels_;
    int depth_;
    int bits_;
};

/// Labels with an expensive lookup are stored, in input order.
template <class Key, class Value, class Labels>
constexpr int tile_shared_bytes = tile_element_bytes<Key, Value> +
                                  (Labels::are_kept ? tile_size<Key, Value> *
                                                          static_cast<int>(sizeof(std::uint16_t))
                                                    : 0);
/// Keys whose labels a thread looks up in parallel: as many as registers allow.
template <class Key, class Value>
constexpr int looked_up = is_value<Value> ? 16 : thread_items<Key, Value> / 4;

/// Looks up and stores the labels of a thread's keys, `at_once` in parallel, if that is slow.
/// \param kept [items][block_threads] shared
template <int at_once, int items, class Key, class Labels>
__device__ void keep_labels(Labels const& labels, Key const (&keys)[items], std::uint16_t* kept) {
    if constexpr (Labels::are_kept) {
        static_assert(items % at_once == 0);
#pragma unroll
        for (int first = 0; first < items; first += at_once) {
            Key images[at_once];
            std::uint32_t found[at_once];
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                images[i] = keys[first + i];
            }
            labels.of(images, found);
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                kept[(first + i) * block_threads + threadIdx.x] =
                    static_cast<std::uint16_t>(found[i]);
            }
        }
    }
}

/// Loads a thread's elements of a tile.
template <int items, class Word, class IsKey>
__device__ void load(Word (&words)[items], Word const* in, IsKey is_key) {
#pragma unroll
    for (int i = 0; i < items; ++i) {
        words[i] = is_key(i) ? in[i * block_threads + threadIdx.x] : Word{0};
    }
}

/// Reserves room in a segment for the tile's keys of this thread's label.
/// \return offset of the reserved range
__device__ inline std::uint32_t
reserve(DigitStep const& step, std::uint32_t segment, int label_bits, std::uint32_t count) {
    std::uint32_t const begin =
        step.bins[static_cast<std::uint64_t>(segment) * step.bins_stride + threadIdx.x];
    if (count == 0) {
        return begin;
    }
    std::uint32_t* const taken =
        step.scratch + (static_cast<std::uint64_t>(segment) << label_bits) + threadIdx.x;
    return begin +
           (kernel_has_fault(DeviceFault::room_not_taken) ? *taken : atomicAdd(taken, count));
}

/// Orders a tile by label in shared memory, reserves room in the segment with one atomic per
/// label, and writes keys, then values. \tparam coded keys are encoded when read or decoded when
/// written
template <class Key, class Value, template <class> class LabelsOf, int label_bits, bool coded>
__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor<Value>)
    unstable_step_kernel(DigitStep step) {
    constexpr int items = thread_items<Key, Value>;
    constexpr int bins = 1 << label_bits;
    static_assert(bins <= block_threads);
    constexpr int warp_size = 32;
    constexpr int label_shift = 16;
    static_assert(tile_size<Key, Value> < 1 << label_shift);
    // By default one warp reads all counts, which costs registers that key-only kernels lack.
    using Scan =
        cub::BlockScan<std::uint32_t,
                       block_threads,
                       is_value<Value> ? cub::BLOCK_SCAN_RAKING : cub::BLOCK_SCAN_WARP_SCANS>;
    using Labels = LabelsOf<Key>;
    extern __shared__ __align__(16) unsigned char tile_bytes[];
    auto* const tile_keys = reinterpret_cast<Key*>(tile_bytes);
    [[maybe_unused]] auto* const tile_values =
        reinterpret_cast<Value*>(tile_keys + tile_size<Key, Value>);
    [[maybe_unused]] auto* const kept =
        reinterpret_cast<std::uint16_t*>(tile_bytes + tile_element_bytes<Key, Value>);
    __shared__ typename Labels::Shared label_storage;
    __shared__ TileRuns<Labels::are_kept ? tile_size<Key, Value> : warp_size> runs;
    __shared__ std::uint32_t counters[bins]; // then the position of each label's first key
    __shared__ std::uint32_t offsets[bins];  // by label, or by labels present in the tile
    __shared__ typename Scan::TempStorage scan_storage;

    SortTile const tile = step.tiles[blockIdx.x];
    int const count = static_cast<int>(tile.count);
    int const thread = static_cast<int>(threadIdx.x);
    bool const whole = count == tile_size<Key, Value>;
    Labels const labels(step, tile.digit.or_else(step.digit()), label_storage);
    bool const has_bin = thread < bins && (!is_value<Value> || thread < 1 << labels.bits());
    if (thread < bins) {
        counters[thread] = 0;
    }
    if constexpr (Labels::are_kept) {
        runs.clear();
    }
    Key const* const keys_in = step.keys_read().of<Key>(tile.buffer) + tile.source;
    auto const is_key = [whole, thread, count](int i) {
        return whole || i * block_threads + thread < count;
    };
    Key keys[items];
    load(keys, keys_in, is_key);
    [[maybe_unused]] Value values[is_value<Value> ? items : 1];
    if constexpr (is_value<Value>) {
        load(values, step.values_read().of<Value>(tile.buffer) + tile.source, is_key);
    }
    if constexpr (coded) {
        auto const encode = encoding_masks<Key>(step.encode);
#pragma unroll
        for (int i = 0; i < items; ++i) {
            keys[i] = encode.apply(keys[i]);
        }
    }
    __syncthreads();

    keep_labels<looked_up<Key, Value>>(labels, keys, kept);
    auto const label_of = [&](int i) -> std::uint32_t {
        if constexpr (Labels::are_kept) {
            return kept[i * block_threads + thread];
        } else {
            return labels.of(keys[i]);
        }
    };
    HalfWords<items> ranks;
    rank_tile(ranks, counters, label_of, is_key);
    __syncthreads();

    std::uint32_t const label_count = has_bin ? counters[thread] : 0;
    // The upper bits count the labels present in the tile, the lower bits its keys.
    std::uint32_t before = 0;
    Scan(scan_storage).ExclusiveSum(label_count == 0 ? 0 : label_count | 1U << label_shift, before);
    std::uint32_t const label_begin = before & ((1U << label_shift) - 1U);
    std::uint32_t place = 0; // of this thread's label in the segment
    if (has_bin) {
        counters[thread] = label_begin;
        place = reserve(step, tile.segment, labels.bits(), label_count);
        if constexpr (Labels::are_kept) {
            if (label_count != 0) {
                runs.begin_run(label_begin);
            }
        }
    }
    __syncthreads();
    if constexpr (Labels::are_kept) {
        if (thread < warp_size) {
            runs.number();
        }
    }
    if constexpr (is_value<Value>) {
        if (kernel_has_fault(DeviceFault::values_by_other_rank)) {
            values[0] = values[1];
        }
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (is_key(i)) {
            std::uint32_t const at = counters[label_of(i)] + ranks.at(i);
            tile_keys[at] = keys[i];
            if constexpr (is_value<Value>) {
                tile_values[at] = values[i];
            }
        }
    }
    if (label_count != 0) {
        // May wrap below zero; adding the position in the tile undoes it.
        offsets[Labels::are_kept ? before >> label_shift : thread] = place - label_begin;
    }
    __syncthreads();

    auto const offset_of = [&](int at, Key key) {
        if constexpr (Labels::are_kept) {
            return offsets[runs.run_at(static_cast<std::uint32_t>(at))];
        } else {
            return offsets[labels.of(key)];
        }
    };
    auto const decode = decoding_masks<Key>(step.decode);
    Key* const keys_out = static_cast<Key*>(step.keys_out) + tile.destination;
    Value* const values_out = static_cast<Value*>(step.values_out) + tile.destination;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = i * block_threads + thread;
        if (is_key(i)) {
            Key const key = tile_keys[at];
            std::uint32_t const to = static_cast<std::uint32_t>(at) + offset_of(at, key);
            keys_out[to] = coded ? decode.apply(key) : key;
            if constexpr (is_value<Value>) {
                values_out[to] = tile_values[at];
            }
        }
    }
}

template <class Key, class Value, template <class> class LabelsOf, int label_bits, bool coded>
void start(cudaStream_t stream, DigitStep const& step) {
    constexpr int shared_bytes = tile_shared_bytes<Key, Value, LabelsOf<Key>>;
    auto const kernel = unstable_step_kernel<Key, Value, LabelsOf, label_bits, coded>;
    allow_shared_memory(kernel, shared_bytes);
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

/// Ranges and values always use the `coded` kernel; another variant would not be worthwhile.
template <class Key, class Value>
void start_kernel(cudaStream_t stream, DigitStep const& step) {
    if (step.ranges != nullptr) {
        start<Key, Value, RangesOfDigits, wide_step_bits, true>(stream, step);
    } else if constexpr (is_value<Value>) {
        start<Key, Value, DigitLabels, wide_step_bits, true>(stream, step);
    } else if (step.bits > step_bits) {
        start_by_code<Key, wide_step_bits>(stream, step);
    } else {
        start_by_code<Key, step_bits>(stream, step);
    }
}

} // namespace

std::uint32_t unstable_tile_keys(ElementShape shape) {
    return unstable_block(shape).size();
}

void launch_unstable_step(cudaStream_t stream, ElementShape shape, DigitStep const& step) {
    if (step.tile_count == 0) {
        return;
    }
    upload_active_fault();
    int const label_bits = step.ranges == nullptr ? step.bits : wide_step_bits;
    std::size_t const words = static_cast<std::size_t>(step.segment_count) << label_bits;
    KEYSWAP_CUDA(cudaMemsetAsync(step.scratch, 0, words * sizeof(std::uint32_t), stream));
    with_element_types(shape,
                       [&]<class Key, class Value>() { start_kernel<Key, Value>(stream, step); });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
