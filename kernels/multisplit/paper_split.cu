#include "kernels/device/cuda_check.hpp"
#include "kernels/multisplit/bucket_rule.cuh"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/multisplit/warp_votes.cuh"
#include "kernels/primitives/element_types.cuh"

namespace keyswap::kernels {

namespace {

constexpr int paper_threads = 256;
constexpr int paper_warps = paper_threads / window_keys;
/// Windows of a warp's subproblem in methods direct and warp: one column of the table per 256
/// keys.
constexpr int warp_windows = 8;
/// Windows that a warp reorders at once: four exclusive offsets fit the bytes of a word.
constexpr int tile_windows = 4;
static_assert((tile_windows - 1) * window_keys < 256);
static_assert(warp_windows % tile_windows == 0);
constexpr std::uint32_t warp_subproblem = warp_windows * window_keys;
/// A block's tile: 8 warps of 4 windows.
constexpr int block_windows = 4;
constexpr std::uint32_t block_subproblem = paper_warps * block_windows * window_keys;
constexpr int block_groups = static_cast<int>(block_buckets_max) / window_keys;

template <class Key, class Value>
struct PaperArrays : TypedArrays<Key, Value> {
    std::uint64_t subproblems; ///< L
    std::uint32_t* table;      ///< H, then G: [m][L], bucket-major
};

/// Index of this warp's subproblem.
__device__ std::uint64_t warp_index() {
    return blockIdx.x * static_cast<std::uint64_t>(paper_warps) + threadIdx.x / window_keys;
}

// ---- direct and warp: one warp per subproblem, lane = bucket -----------------------------------

template <class Key>
__global__ void __launch_bounds__(paper_threads)
    warp_prescan_kernel(PaperArrays<Key, NoValue> arrays, AnyRule<Key> rule, int rounds) {
    std::uint64_t const subproblem = warp_index();
    if (subproblem >= arrays.subproblems) {
        return;
    }
    std::uint32_t const lane = threadIdx.x % window_keys;
    std::uint32_t count = 0;
#pragma unroll
    for (int window = 0; window < warp_windows; ++window) {
        std::uint64_t const at = subproblem * warp_subproblem + window * window_keys + lane;
        Key const key = at < arrays.count ? arrays.keys_in[at] : Key{0};
        count += WindowVotes<1>(label_or_last(rule, key, at, arrays.count), rounds).count(0);
    }
    if (lane < rule.rule.buckets) {
        bool const transposed = kernel_has_fault(DeviceFault::table_transposed);
        arrays.table[transposed ? subproblem * rule.rule.buckets + lane
                                : lane * arrays.subproblems + subproblem] = count;
    }
}

template <class Key, class Value>
__global__ void __launch_bounds__(paper_threads)
    direct_postscan_kernel(PaperArrays<Key, Value> arrays, AnyRule<Key> rule, int rounds) {
    std::uint64_t const subproblem = warp_index();
    if (subproblem >= arrays.subproblems) {
        return;
    }
    std::uint32_t const lane = threadIdx.x % window_keys;
    std::uint32_t base =
        lane < rule.rule.buckets ? arrays.table[lane * arrays.subproblems + subproblem] : 0;
#pragma unroll
    for (int window = 0; window < warp_windows; ++window) {
        std::uint64_t const at = subproblem * warp_subproblem + window * window_keys + lane;
        Key const key = at < arrays.count ? arrays.keys_in[at] : Key{0};
        std::uint32_t const label = label_or_last(rule, key, at, arrays.count);
        WindowVotes<1> const votes(label, rounds);
        std::uint32_t const to =
            __shfl_sync(every_lane, base, static_cast<int>(label)) + votes.offset();
        if (at < arrays.count) {
            arrays.keys_out[to] = key;
            if constexpr (is_value<Value>) {
                arrays.values_out[to] = arrays.values_in[at];
            }
        }
        if (window > 0 || !kernel_has_fault(DeviceFault::window_base_stale)) {
            base += votes.count(0);
        }
    }
}

template <class Key, class Value>
__global__ void __launch_bounds__(paper_threads)
    warp_postscan_kernel(PaperArrays<Key, Value> arrays, AnyRule<Key> rule, int rounds) {
    constexpr int tile_keys = tile_windows * window_keys;
    __shared__ Key shared_keys[paper_warps][tile_keys];
    __shared__ Value shared_values[paper_warps][is_value<Value> ? tile_keys : 1];
    __shared__ std::uint8_t shared_labels[paper_warps][tile_keys];
    std::uint64_t const subproblem = warp_index();
    if (subproblem >= arrays.subproblems) {
        return;
    }
    std::uint32_t const lane = threadIdx.x % window_keys;
    std::uint32_t const warp = threadIdx.x / window_keys;
    std::uint32_t const buckets = rule.rule.buckets;
    std::uint32_t base = lane < buckets ? arrays.table[lane * arrays.subproblems + subproblem] : 0;
    for (int tile = 0; tile < warp_windows / tile_windows; ++tile) {
        std::uint64_t const begin = subproblem * warp_subproblem + tile * tile_keys;
        Key keys[tile_windows];
        Value values[tile_windows];
        std::uint32_t labels[tile_windows];
        std::uint32_t offsets[tile_windows];
        std::uint32_t earlier_windows = 0; // of bucket `lane`, one byte per window
        std::uint32_t tile_count = 0;      // of bucket `lane`
#pragma unroll
        for (int window = 0; window < tile_windows; ++window) {
            std::uint64_t const at = begin + window * window_keys + lane;
            keys[window] = at < arrays.count ? arrays.keys_in[at] : Key{0};
            if constexpr (is_value<Value>) {
                values[window] = at < arrays.count ? arrays.values_in[at] : Value{0};
            }
            labels[window] = label_or_last(rule, keys[window], at, arrays.count);
            WindowVotes<1> const votes(labels[window], rounds);
            offsets[window] = votes.offset();
            earlier_windows |= tile_count << (8 * window);
            tile_count += lane < buckets ? votes.count(0) : 0;
        }
        std::uint32_t const counter_mask =
            kernel_has_fault(DeviceFault::packed_byte_overflow) ? 0x1fU : 0xffU;
        std::uint32_t const bucket_begin = exclusive_lane_sum(tile_count);
#pragma unroll
        for (int window = 0; window < tile_windows; ++window) {
            auto const owner = static_cast<int>(labels[window]);
            std::uint32_t const earlier = __shfl_sync(every_lane, earlier_windows, owner);
            std::uint32_t const index = offsets[window] + (earlier >> (8 * window) & counter_mask) +
                                        __shfl_sync(every_lane, bucket_begin, owner);
            shared_keys[warp][index] = keys[window];
            shared_labels[warp][index] = static_cast<std::uint8_t>(labels[window]);
            if constexpr (is_value<Value>) {
                shared_values[warp][index] = values[window];
            }
        }
        __syncwarp();
#pragma unroll
        for (int window = 0; window < tile_windows; ++window) {
            std::uint32_t const index = window * window_keys + lane;
            std::uint32_t const to =
                __shfl_sync(every_lane, base - bucket_begin, shared_labels[warp][index]) + index;
            if (begin + index < arrays.count) { // pads come last in the tile
                arrays.keys_out[to] = shared_keys[warp][index];
                if constexpr (is_value<Value>) {
                    arrays.values_out[to] = shared_values[warp][index];
                }
            }
        }
        __syncwarp();
        base += tile_count;
    }
}

// ---- block: one block per subproblem ----------------------------------------------------------

/// Counts of every warp, bucket-major: all warps of bucket 0, then of bucket 1, ...
struct BlockCounts {
    std::uint32_t of[block_buckets_max * paper_warps];
};

/// Keys, labels and ranks of the four windows of this warp.
template <class Key>
struct WarpWindows {
    Key keys[block_windows];
    std::uint32_t labels[block_windows];
    std::uint32_t offsets[block_windows]; ///< among the warp's keys of the same bucket
};

/// Ballots for all windows of a warp; writes the warp's counts to shared memory.
template <class Key>
__device__ WarpWindows<Key> count_windows(Key const* keys_in,
                                          std::uint64_t begin,
                                          std::uint64_t count,
                                          AnyRule<Key> const& rule,
                                          int rounds,
                                          BlockCounts& counts) {
    std::uint32_t const lane = threadIdx.x % window_keys;
    std::uint32_t const warp = threadIdx.x / window_keys;
    std::uint32_t const buckets = rule.rule.buckets;
    WarpWindows<Key> windows;
    std::uint32_t seen[block_groups] = {}; // of buckets lane + 32 g in earlier windows
#pragma unroll
    for (int window = 0; window < block_windows; ++window) {
        std::uint64_t const at = begin + window * window_keys + lane;
        windows.keys[window] = at < count ? keys_in[at] : Key{0};
        std::uint32_t const label = label_or_last(rule, windows.keys[window], at, count);
        windows.labels[window] = label;
        WindowVotes<block_groups> const votes(label, rounds);
        std::uint32_t earlier = 0;
#pragma unroll
        for (int group = 0; group < block_groups; ++group) {
            if (static_cast<std::uint32_t>(group) * window_keys < buckets) {
                std::uint32_t const other =
                    __shfl_sync(every_lane, seen[group], static_cast<int>(label % window_keys));
                earlier =
                    label / window_keys == static_cast<std::uint32_t>(group) ? other : earlier;
                seen[group] += votes.count(group);
            }
        }
        windows.offsets[window] = votes.offset() + earlier;
    }
#pragma unroll
    for (int group = 0; group < block_groups; ++group) {
        std::uint32_t const bucket = lane + group * window_keys;
        if (bucket < buckets) {
            counts.of[bucket * paper_warps + warp] = seen[group];
        }
    }
    return windows;
}

template <class Key>
__global__ void __launch_bounds__(paper_threads)
    block_prescan_kernel(PaperArrays<Key, NoValue> arrays, AnyRule<Key> rule, int rounds) {
    __shared__ BlockCounts counts;
    std::uint64_t const begin = blockIdx.x * static_cast<std::uint64_t>(block_subproblem) +
                                threadIdx.x / window_keys * (block_windows * window_keys);
    count_windows(arrays.keys_in, begin, arrays.count, rule, rounds, counts);
    __syncthreads();
    // Segmented reduction: log2(warps) shuffles.
    std::uint32_t const entries = rule.rule.buckets * paper_warps;
    for (std::uint32_t first = 0; first < entries; first += paper_threads) {
        std::uint32_t const entry = first + threadIdx.x;
        std::uint32_t sum = entry < entries ? counts.of[entry] : 0;
#pragma unroll
        for (int distance = paper_warps / 2; distance > 0; distance /= 2) {
            sum += __shfl_xor_sync(every_lane, sum, distance);
        }
        if (entry < entries && entry % paper_warps == 0) {
            arrays.table[entry / paper_warps * arrays.subproblems + blockIdx.x] = sum;
        }
    }
}

template <class Key, class Value>
__global__ void __launch_bounds__(paper_threads)
    block_postscan_kernel(PaperArrays<Key, Value> arrays, AnyRule<Key> rule, int rounds) {
    __shared__ BlockCounts counts;
    __shared__ std::uint32_t bucket_count[block_buckets_max];
    __shared__ std::uint32_t bucket_begin[block_buckets_max];
    __shared__ std::uint32_t base[block_buckets_max]; // wraps below zero; the index undoes it
    __shared__ Key shared_keys[block_subproblem];
    __shared__ Value shared_values[is_value<Value> ? block_subproblem : 1];
    __shared__ std::uint8_t shared_labels[block_subproblem];
    std::uint32_t const lane = threadIdx.x % window_keys;
    std::uint32_t const warp = threadIdx.x / window_keys;
    std::uint32_t const buckets = rule.rule.buckets;
    std::uint64_t const tile_begin = blockIdx.x * static_cast<std::uint64_t>(block_subproblem);
    std::uint64_t const begin = tile_begin + warp * (block_windows * window_keys);
    WarpWindows<Key> const windows =
        count_windows(arrays.keys_in, begin, arrays.count, rule, rounds, counts);
    __syncthreads();
    // Segmented scan over the warps of each bucket.
    std::uint32_t const entries = buckets * paper_warps;
    for (std::uint32_t first = 0; first < entries; first += paper_threads) {
        std::uint32_t const entry = first + threadIdx.x;
        std::uint32_t const own = entry < entries ? counts.of[entry] : 0;
        std::uint32_t sum = own;
#pragma unroll
        for (int distance = 1; distance < paper_warps; distance *= 2) {
            std::uint32_t const other = __shfl_up_sync(every_lane, sum, distance);
            sum += lane % paper_warps >= static_cast<std::uint32_t>(distance) ? other : 0;
        }
        if (entry < entries) {
            counts.of[entry] = sum - own;
            if (entry % paper_warps == paper_warps - 1) {
                bucket_count[entry / paper_warps] = sum;
            }
        }
    }
    __syncthreads();
    // Begin of each bucket in the tile, scanned by the first warp.
    if (warp == 0) {
        std::uint32_t carried = 0;
        for (std::uint32_t first = 0; first < buckets; first += window_keys) {
            std::uint32_t const bucket = first + lane;
            std::uint32_t const own = bucket < buckets ? bucket_count[bucket] : 0;
            std::uint32_t const sum = carried + exclusive_lane_sum(own);
            if (bucket < buckets) {
                bucket_begin[bucket] = sum;
                base[bucket] = arrays.table[bucket * arrays.subproblems + blockIdx.x] - sum;
            }
            carried = __shfl_sync(every_lane, sum + own, window_keys - 1);
        }
    }
    __syncthreads();
#pragma unroll
    for (int window = 0; window < block_windows; ++window) {
        std::uint32_t const label = windows.labels[window];
        // Equation (5) of the paper, then the keys of earlier buckets.
        std::uint32_t const index =
            windows.offsets[window] + counts.of[label * paper_warps + warp] + bucket_begin[label];
        shared_keys[index] = windows.keys[window];
        shared_labels[index] = static_cast<std::uint8_t>(label);
        if constexpr (is_value<Value>) {
            std::uint64_t const at = begin + window * window_keys + lane;
            shared_values[index] = at < arrays.count ? arrays.values_in[at] : Value{0};
        }
    }
    if (!kernel_has_fault(DeviceFault::tile_reused_too_early)) {
        __syncthreads();
    }
    for (std::uint32_t index = threadIdx.x; index < block_subproblem; index += paper_threads) {
        if (tile_begin + index < arrays.count) { // pads come last in the tile
            std::uint32_t const to = base[shared_labels[index]] + index;
            arrays.keys_out[to] = shared_keys[index];
            if constexpr (is_value<Value>) {
                arrays.values_out[to] = shared_values[index];
            }
        }
    }
}

std::uint64_t subproblems_of(MultisplitMethod method, std::uint64_t count) {
    std::uint64_t const keys = paper_tile_keys(method);
    return (count + keys - 1) / keys;
}

template <class Key, class Value>
void start(cudaStream_t stream,
           MultisplitMethod method,
           OutOfPlaceArrays const& arrays,
           DeviceRule const& given,
           std::uint64_t* starts,
           void* scratch,
           std::size_t scratch_bytes) {
    AnyRule<Key> const rule(given);
    int const rounds = vote_rounds(given.buckets);
    std::uint64_t const subproblems = subproblems_of(method, arrays.count);
    auto* const table = static_cast<std::uint32_t*>(scratch);
    PaperArrays<Key, NoValue> const counted{TypedArrays<Key, NoValue>(arrays), subproblems, table};
    PaperArrays<Key, Value> const moved{TypedArrays<Key, Value>(arrays), subproblems, table};
    bool const by_block = method == MultisplitMethod::block;
    auto const blocks = static_cast<unsigned>(
        by_block ? subproblems : (subproblems + paper_warps - 1) / paper_warps);
    auto const prescan = by_block ? block_prescan_kernel<Key> : warp_prescan_kernel<Key>;
    prescan<<<blocks, paper_threads, 0, stream>>>(counted, rule, rounds);
    KEYSWAP_CUDA(cudaGetLastError());
    launch_table_scan(stream, subproblems * given.buckets, scratch, scratch_bytes);
    auto const postscan = by_block                             ? block_postscan_kernel<Key, Value>
                          : method == MultisplitMethod::direct ? direct_postscan_kernel<Key, Value>
                                                               : warp_postscan_kernel<Key, Value>;
    postscan<<<blocks, paper_threads, 0, stream>>>(moved, rule, rounds);
    KEYSWAP_CUDA(cudaGetLastError());
    launch_table_starts(stream, table, subproblems, given.buckets, starts);
}

} // namespace

std::uint32_t paper_tile_keys(MultisplitMethod method) {
    return method == MultisplitMethod::block ? block_subproblem : warp_subproblem;
}

std::size_t
paper_scratch_bytes(MultisplitMethod method, std::uint64_t count, std::uint32_t buckets) {
    return table_scan_bytes(subproblems_of(method, count) * buckets);
}

void launch_paper_split(cudaStream_t stream,
                        MultisplitMethod method,
                        OutOfPlaceArrays const& arrays,
                        DeviceRule const& rule,
                        std::uint64_t* starts,
                        void* scratch,
                        std::size_t scratch_bytes) {
    upload_active_fault();
    with_element_types(arrays.shape, [&]<class Key, class Value>() {
        start<Key, Value>(stream, method, arrays, rule, starts, scratch, scratch_bytes);
    });
}

} // namespace keyswap::kernels
