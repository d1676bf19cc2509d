#include "kernels/device/cuda_check.hpp"
#include "kernels/device/multiprocessors.hpp"
#include "kernels/multisplit/bucket_rule.cuh"
#include "kernels/multisplit/split_kernels.hpp"

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <type_traits>

namespace keyswap::kernels {

namespace {

constexpr int count_threads = 512;
constexpr int loads_per_thread = 4;
constexpr int blocks_per_multiprocessor = 4;
constexpr int scan_threads = 1024;
/// Up to here counters are kept twice, so that half of a block's warps share one.
constexpr std::uint32_t twice_counted_max = 512;
/// Splitters that are copied to shared memory: 2^12 words of 8 B are 32 KiB.
constexpr int shared_levels_max = 12;

/// The label by a rule that may or may not need the key's index.
template <class Rule, class Key>
__device__ std::uint32_t label_of(Rule const& rule, Key key, std::uint64_t index) {
    if constexpr (Rule::is_cheap) {
        return rule(key);
    } else {
        return rule(key, index);
    }
}

/// Keys of one 16-byte load.
template <class Key>
union LoadedKeys {
    uint4 vector;
    Key keys[sizeof(uint4) / sizeof(Key)];
};

template <int count>
struct Loads {};

/// Shared memory: the tree (where copied), then the counters.
/// \param outside buckets at either end that are not written
template <class Key, class Rule, bool with_labels>
__global__ void __launch_bounds__(count_threads) bucket_counts_kernel(Key const* keys,
                                                                      std::uint64_t count,
                                                                      DeviceRule given,
                                                                      int tree_words,
                                                                      int copies,
                                                                      bool aligned,
                                                                      std::uint8_t* labels,
                                                                      int outside,
                                                                      std::uint64_t* counts) {
    constexpr int per_load = sizeof(uint4) / sizeof(Key);
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    Rule rule(given);
    auto* const counters =
        reinterpret_cast<std::uint32_t*>(shared_bytes + tree_words * sizeof(Key));
    for (std::uint32_t i = threadIdx.x; i < given.buckets * copies; i += blockDim.x) {
        counters[i] = 0;
    }
    if constexpr (std::is_same_v<Rule, TreeRule<Key>>) {
        if (tree_words != 0) {
            auto* const tree = reinterpret_cast<Key*>(shared_bytes);
            for (int i = static_cast<int>(threadIdx.x); i < tree_words; i += count_threads) {
                tree[i] = static_cast<Key const*>(given.tree)[i];
            }
            rule.tree = tree;
        }
    }
    __syncthreads();
    std::uint32_t* const own =
        counters + (copies == 2 && threadIdx.x >= count_threads / 2 ? given.buckets : 0);

    std::uint64_t const loads = count / per_load;
    // Keys that begin off a 16-byte border are loaded one by one.
    auto const load_keys = [keys, aligned](std::uint64_t load) {
        LoadedKeys<Key> loaded;
        if (aligned) {
            loaded.vector = __ldcs(reinterpret_cast<uint4 const*>(keys) + load);
        } else {
#pragma unroll
            for (int k = 0; k < per_load; ++k) {
                loaded.keys[k] = keys[load * per_load + k];
            }
        }
        return loaded;
    };
    std::uint64_t const thread = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    auto const write_labels = [labels](std::uint32_t const* of_load, std::uint64_t load) {
        std::uint32_t packed = 0;
#pragma unroll
        for (int k = 0; k < per_load; ++k) {
            packed |= of_load[k] << (8 * k);
        }
        if constexpr (per_load == 4) {
            reinterpret_cast<std::uint32_t*>(labels)[load] = packed;
        } else {
            reinterpret_cast<std::uint16_t*>(labels)[load] = static_cast<std::uint16_t>(packed);
        }
    };
    // Takes several loads at once: their walks through a tree overlap.
    auto const take = [&]<int loads_at_once>(Loads<loads_at_once> const&, std::uint64_t first) {
        constexpr int keys_at_once = loads_at_once * per_load;
        LoadedKeys<Key> loaded[loads_at_once];
#pragma unroll
        for (int j = 0; j < loads_at_once; ++j) {
            loaded[j] = load_keys(first + j * stride);
        }
        Key taken[keys_at_once];
        std::uint32_t of_keys[keys_at_once];
#pragma unroll
        for (int k = 0; k < keys_at_once; ++k) {
            taken[k] = loaded[k / per_load].keys[k % per_load];
        }
        if constexpr (std::is_same_v<Rule, TreeRule<Key>>) {
            tree_labels(rule.rule, rule.tree, taken, of_keys);
        } else {
#pragma unroll
            for (int k = 0; k < keys_at_once; ++k) {
                of_keys[k] = label_of(
                    rule, taken[k], (first + k / per_load * stride) * per_load + k % per_load);
            }
        }
#pragma unroll
        for (int k = 0; k < keys_at_once; ++k) {
            atomicAdd(&own[of_keys[k]], 1U);
        }
        if constexpr (with_labels) {
#pragma unroll
            for (int j = 0; j < loads_at_once; ++j) {
                write_labels(of_keys + j * per_load, first + j * stride);
            }
        }
    };
    std::uint64_t i = thread;
    for (; i + (loads_per_thread - 1) * stride < loads; i += loads_per_thread * stride) {
        take(Loads<loads_per_thread>{}, i);
    }
    for (; i < loads; i += stride) {
        take(Loads<1>{}, i);
    }
    std::uint64_t const tail = loads * per_load + thread;
    if (tail < count) { // fewer than one load
        std::uint32_t const label = label_of(rule, keys[tail], tail);
        atomicAdd(&own[label], 1U);
        if constexpr (with_labels) {
            labels[tail] = static_cast<std::uint8_t>(label);
        }
    }
    __syncthreads();
    for (std::uint32_t bucket = threadIdx.x + outside; bucket + outside < given.buckets;
         bucket += blockDim.x) {
        std::uint32_t const sum =
            counters[bucket] + (copies == 2 ? counters[given.buckets + bucket] : 0);
        if (sum != 0) {
            atomicAdd(reinterpret_cast<unsigned long long*>(&counts[bucket - outside]),
                      static_cast<unsigned long long>(sum));
        }
    }
}

/// Counters of all digits in shared memory.
template <class Key>
__global__ void __launch_bounds__(count_threads) digit_counts_kernel(Key const* keys,
                                                                     std::uint64_t count,
                                                                     ImageCode code,
                                                                     int digit_bits,
                                                                     int steps,
                                                                     std::uint64_t* counts) {
    constexpr int keys_at_once = 8;
    __shared__ std::uint32_t counters[digit_counters_max];
    std::uint32_t const digits = 1U << digit_bits;
    std::uint32_t const all_counters = digits * static_cast<std::uint32_t>(steps);
    for (std::uint32_t i = threadIdx.x; i < all_counters; i += blockDim.x) {
        counters[i] = 0;
    }
    __syncthreads();
    auto const count_key = [&](Key key) {
        Key image = encode_image(key, code);
        for (std::uint32_t first = 0; first < all_counters; first += digits) {
            atomicAdd(&counters[first + (static_cast<std::uint32_t>(image) & (digits - 1))], 1U);
            image >>= digit_bits;
        }
    };
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
    for (; i + (keys_at_once - 1) * stride < count; i += keys_at_once * stride) {
        Key taken[keys_at_once];
#pragma unroll
        for (int k = 0; k < keys_at_once; ++k) {
            taken[k] = __ldcs(keys + i + k * stride);
        }
#pragma unroll
        for (int k = 0; k < keys_at_once; ++k) {
            count_key(taken[k]);
        }
    }
    for (; i < count; i += stride) {
        count_key(keys[i]);
    }
    __syncthreads();
    for (std::uint32_t counter = threadIdx.x; counter < all_counters; counter += blockDim.x) {
        if (counters[counter] != 0) {
            atomicAdd(reinterpret_cast<unsigned long long*>(&counts[counter]),
                      static_cast<unsigned long long>(counters[counter]));
        }
    }
}

unsigned count_blocks(std::uint64_t count, std::size_t key_bytes) {
    std::uint64_t const keys_per_block =
        count_threads * loads_per_thread * sizeof(uint4) / key_bytes;
    auto const blocks_max =
        static_cast<std::uint64_t>(multiprocessor_count()) * blocks_per_multiprocessor;
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>((count + keys_per_block - 1) / keys_per_block, 1, blocks_max));
}

template <class Key, class Rule, bool with_labels>
void start_counts(cudaStream_t stream,
                  void const* keys,
                  std::uint64_t count,
                  DeviceRule const& rule,
                  std::uint8_t* labels,
                  int outside,
                  std::uint64_t* counts) {
    unsigned const blocks = count_blocks(count, sizeof(Key));
    int const copies = rule.buckets <= twice_counted_max ? 2 : 1;
    bool const copies_tree = rule.kind == RuleKind::splitters && rule.levels <= shared_levels_max;
    int const tree_words =
        copies_tree ? std::max(1 << rule.levels, 16 / static_cast<int>(sizeof(Key))) : 0;
    std::size_t const shared_bytes =
        tree_words * sizeof(Key) + sizeof(std::uint32_t) * copies * rule.buckets;
    auto const kernel = bucket_counts_kernel<Key, Rule, with_labels>;
    KEYSWAP_CUDA(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
    kernel<<<blocks, count_threads, shared_bytes, stream>>>(
        static_cast<Key const*>(keys),
        count,
        rule,
        tree_words,
        copies,
        reinterpret_cast<std::uintptr_t>(keys) % sizeof(uint4) == 0,
        labels,
        outside,
        counts);
    KEYSWAP_CUDA(cudaGetLastError());
}

template <class Key>
void counts_by_rule(cudaStream_t stream,
                    void const* keys,
                    std::uint64_t count,
                    DeviceRule const& rule,
                    std::uint8_t* labels,
                    int outside,
                    std::uint64_t* counts) {
    if (rule.kind == RuleKind::splitters && labels != nullptr) {
        start_counts<Key, TreeRule<Key>, true>(stream, keys, count, rule, labels, outside, counts);
    } else if (rule.kind == RuleKind::splitters) {
        start_counts<Key, TreeRule<Key>, false>(stream, keys, count, rule, labels, outside, counts);
    } else if (rule.kind == RuleKind::even) {
        start_counts<Key, EvenRule<Key>, false>(stream, keys, count, rule, labels, outside, counts);
    } else if (labels != nullptr) {
        start_counts<Key, AnyRule<Key>, true>(stream, keys, count, rule, labels, outside, counts);
    } else if (rule.kind == RuleKind::digit) {
        start_counts<Key, DigitRule<Key>, false>(
            stream, keys, count, rule, labels, outside, counts);
    } else if (rule.kind == RuleKind::delta) {
        start_counts<Key, DeltaRule<Key>, false>(
            stream, keys, count, rule, labels, outside, counts);
    } else {
        start_counts<Key, AnyRule<Key>, false>(stream, keys, count, rule, labels, outside, counts);
    }
}

/// One block.
__global__ void __launch_bounds__(scan_threads) bucket_starts_kernel(std::uint64_t const* counts,
                                                                     std::uint32_t slices,
                                                                     std::uint32_t buckets,
                                                                     std::uint32_t* positions,
                                                                     std::uint64_t* starts) {
    using Scan = cub::BlockScan<std::uint64_t, scan_threads>;
    __shared__ typename Scan::TempStorage storage;
    std::uint64_t before = 0; // keys of the buckets of earlier rounds
    for (std::uint32_t first = 0; first < buckets; first += scan_threads) {
        std::uint32_t const bucket = first + threadIdx.x;
        std::uint64_t total = 0;
        for (std::uint32_t slice = 0; bucket < buckets && slice < slices; ++slice) {
            total += counts[static_cast<std::uint64_t>(slice) * buckets + bucket];
        }
        std::uint64_t start = 0;
        std::uint64_t sum = 0;
        Scan(storage).ExclusiveSum(total, start, sum);
        start += before;
        before += sum;
        if (bucket < buckets) {
            starts[bucket] = kernel_has_fault(DeviceFault::starts_not_scanned) ? total : start;
            for (std::uint32_t slice = 0; slice < slices; ++slice) {
                std::uint64_t const at = static_cast<std::uint64_t>(slice) * buckets + bucket;
                positions[at] = static_cast<std::uint32_t>(start);
                start += kernel_has_fault(DeviceFault::slice_carry_lost) ? 0 : counts[at];
            }
        }
        __syncthreads();
    }
}

void launch_counts(cudaStream_t stream,
                   int key_bytes,
                   void const* keys,
                   std::uint64_t count,
                   DeviceRule const& rule,
                   std::uint8_t* labels,
                   int outside,
                   std::uint64_t* counts) {
    if (count == 0) {
        return;
    }
    upload_active_fault();
    if (key_bytes == 4) {
        counts_by_rule<std::uint32_t>(stream, keys, count, rule, labels, outside, counts);
    } else {
        counts_by_rule<std::uint64_t>(stream, keys, count, rule, labels, outside, counts);
    }
}

} // namespace

void launch_bucket_counts(cudaStream_t stream,
                          int key_bytes,
                          void const* keys,
                          std::uint64_t count,
                          DeviceRule const& rule,
                          std::uint8_t* labels,
                          std::uint64_t* counts) {
    launch_counts(stream, key_bytes, keys, count, rule, labels, 0, counts);
}

void launch_bin_counts(cudaStream_t stream,
                       int sample_bytes,
                       void const* samples,
                       std::uint64_t count,
                       DeviceRule const& rule,
                       std::uint64_t* counts) {
    launch_counts(stream, sample_bytes, samples, count, rule, nullptr, 1, counts);
}

void launch_digit_counts(cudaStream_t stream,
                         int key_bytes,
                         void const* keys,
                         std::uint64_t count,
                         ImageCode code,
                         int digit_bits,
                         int steps,
                         std::uint64_t* counts) {
    KEYSWAP_CUDA(
        cudaMemsetAsync(counts,
                        0,
                        (static_cast<std::size_t>(steps) << digit_bits) * sizeof(std::uint64_t),
                        stream));
    unsigned const blocks = count_blocks(count, static_cast<std::size_t>(key_bytes));
    if (key_bytes == 4) {
        digit_counts_kernel<<<blocks, count_threads, 0, stream>>>(
            static_cast<std::uint32_t const*>(keys), count, code, digit_bits, steps, counts);
    } else {
        digit_counts_kernel<<<blocks, count_threads, 0, stream>>>(
            static_cast<std::uint64_t const*>(keys), count, code, digit_bits, steps, counts);
    }
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_bucket_starts(cudaStream_t stream,
                          std::uint64_t const* counts,
                          std::uint32_t slices,
                          std::uint32_t buckets,
                          std::uint32_t* positions,
                          std::uint64_t* starts) {
    upload_active_fault();
    bucket_starts_kernel<<<1, scan_threads, 0, stream>>>(
        counts, slices, buckets, positions, starts);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
