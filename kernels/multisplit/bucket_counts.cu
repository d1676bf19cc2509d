#include "kernels/device/cuda_check.hpp"
#include "kernels/device/multiprocessors.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/multisplit/bucket_rule.cuh"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/element_types.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <type_traits>

namespace keyswap::kernels {

namespace {

constexpr int count_threads = 512;
constexpr int loads_per_thread = 4;
constexpr int blocks_per_multiprocessor = 4;
constexpr int scan_threads = 1024;
/// Up to here counters are kept twice, so that only half of a block's warps share one.
constexpr std::uint32_t twice_counted_max = 512;
/// Levels of a tree copied to shared memory: 2^12 words of 8 B are 32 KiB.
constexpr int shared_levels_max = 12;

/// Evaluates a rule, with the key's index if the rule needs it.
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

struct LabelCounts : BucketCounts {
    int tree_words = 0; ///< of the tree's copy in shared memory; 0: no copy
    int copies = 1;     ///< of the counters
};

/// A block's part of a launch. Shared memory: the tree's copy, followed by the counters.
template <class Key, class Rule, bool with_labels>
class LabelCounter {
    static constexpr int per_load = sizeof(uint4) / sizeof(Key);

  public:
    /// \param bytes shared memory
    __device__ LabelCounter(LabelCounts const& launch, unsigned char* bytes)
        : launch_(launch), keys_(static_cast<Key const*>(launch.keys)), rule_(launch.rule),
          counters_(reinterpret_cast<std::uint32_t*>(bytes + launch.tree_words * sizeof(Key))),
          own_(counters_ +
               (launch.copies == 2 && threadIdx.x >= count_threads / 2 ? launch.rule.buckets : 0)),
          is_aligned_(reinterpret_cast<std::uintptr_t>(launch.keys) % sizeof(uint4) == 0) {
        for (std::uint32_t i = threadIdx.x; i < launch.rule.buckets * launch.copies;
             i += blockDim.x) {
            counters_[i] = 0;
        }
        if constexpr (std::is_same_v<Rule, TreeRule<Key>>) {
            copy_tree(reinterpret_cast<Key*>(bytes));
        }
    }

    /// \pre all threads of the block have constructed their object
    __device__ void count() {
        std::uint64_t const loads = launch_.count / per_load;
        std::uint64_t const thread =
            blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
        std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
        std::uint64_t i = thread;
        for (; i + (loads_per_thread - 1) * stride < loads; i += loads_per_thread * stride) {
            take<loads_per_thread>(i, stride);
        }
        for (; i < loads; i += stride) {
            take<1>(i, stride);
        }
        std::uint64_t const tail = loads * per_load + thread;
        if (tail < launch_.count) { // fewer than one load
            std::uint32_t const label = label_of(rule_, keys_[tail], tail);
            atomicAdd(&own_[label], 1U);
            if constexpr (with_labels) {
                launch_.labels[tail] = static_cast<std::uint8_t>(label);
            }
        }
    }

    /// \pre all threads of the block have returned from count()
    __device__ void write() const {
        std::uint32_t const buckets = launch_.rule.buckets;
        for (std::uint32_t bucket = threadIdx.x + launch_.outside;
             bucket + launch_.outside < buckets;
             bucket += blockDim.x) {
            std::uint32_t const sum =
                counters_[bucket] + (launch_.copies == 2 ? counters_[buckets + bucket] : 0);
            if (sum != 0) {
                atomicAdd(reinterpret_cast<unsigned long long*>(
                              &launch_.counts[bucket - launch_.outside]),
                          static_cast<unsigned long long>(sum));
            }
        }
    }

  private:
    __device__ void copy_tree(Key* tree) {
        if (launch_.tree_words != 0) {
            for (int i = static_cast<int>(threadIdx.x); i < launch_.tree_words;
                 i += count_threads) {
                tree[i] = static_cast<Key const*>(launch_.rule.tree)[i];
            }
            rule_.tree = tree;
        }
    }

    /// Handles several loads at once, a stride apart, so that their tree searches overlap.
    template <int loads_at_once>
    __device__ void take(std::uint64_t first, std::uint64_t stride) {
        constexpr int keys_at_once = loads_at_once * per_load;
        LoadedKeys<Key> loaded[loads_at_once];
#pragma unroll
        for (int j = 0; j < loads_at_once; ++j) {
            loaded[j] = load(first + j * stride);
        }
        Key taken[keys_at_once];
        std::uint32_t labels[keys_at_once];
#pragma unroll
        for (int k = 0; k < keys_at_once; ++k) {
            taken[k] = loaded[k / per_load].keys[k % per_load];
        }
        if constexpr (std::is_same_v<Rule, TreeRule<Key>>) {
            tree_labels(rule_.rule, rule_.tree, taken, labels);
        } else {
#pragma unroll
            for (int k = 0; k < keys_at_once; ++k) {
                labels[k] = label_of(
                    rule_, taken[k], (first + k / per_load * stride) * per_load + k % per_load);
            }
        }
#pragma unroll
        for (int k = 0; k < keys_at_once; ++k) {
            atomicAdd(&own_[labels[k]], 1U);
        }
        if constexpr (with_labels) {
#pragma unroll
            for (int j = 0; j < loads_at_once; ++j) {
                write_labels(labels + j * per_load, first + j * stride);
            }
        }
    }

    /// Loads keys; without 16-byte alignment one by one.
    __device__ LoadedKeys<Key> load(std::uint64_t at) const {
        LoadedKeys<Key> loaded;
        if (is_aligned_) {
            loaded.vector = __ldcs(reinterpret_cast<uint4 const*>(keys_) + at);
        } else {
#pragma unroll
            for (int k = 0; k < per_load; ++k) {
                loaded.keys[k] = keys_[at * per_load + k];
            }
        }
        return loaded;
    }

    /// Writes the labels of one load as a single word.
    __device__ void write_labels(std::uint32_t const* labels, std::uint64_t at) const {
        std::uint32_t packed = 0;
#pragma unroll
        for (int k = 0; k < per_load; ++k) {
            packed |= labels[k] << (8 * k);
        }
        if constexpr (per_load == 4) {
            reinterpret_cast<std::uint32_t*>(launch_.labels)[at] = packed;
        } else {
            reinterpret_cast<std::uint16_t*>(launch_.labels)[at] =
                static_cast<std::uint16_t>(packed);
        }
    }

    LabelCounts const& launch_;
    Key const* keys_;
    Rule rule_;
    std::uint32_t* counters_;
    std::uint32_t* own_; ///< the copy this thread increments
    bool is_aligned_;
};

/// Blocks required per multiprocessor, which limits registers per thread.
template <class Rule>
constexpr int resident_counters = 2;
template <class Key>
constexpr int resident_counters<DigitRule<Key>> = 4;
template <>
constexpr int resident_counters<TreeRule<std::uint64_t>> = 3;

template <class Key, class Rule, bool with_labels>
__global__ void __launch_bounds__(count_threads, resident_counters<Rule>)
    bucket_counts_kernel(LabelCounts launch) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    LabelCounter<Key, Rule, with_labels> counter{launch, shared_bytes};
    __syncthreads();
    counter.count();
    __syncthreads();
    counter.write();
}

/// Counts all digits in shared memory.
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
void start_counts(cudaStream_t stream, BucketCounts const& counts) {
    DeviceRule const& rule = counts.rule;
    LabelCounts launch{counts};
    launch.copies = rule.buckets <= twice_counted_max ? 2 : 1;
    bool const copies_tree = rule.kind == RuleKind::splitters && rule.levels <= shared_levels_max;
    launch.tree_words =
        copies_tree ? std::max(1 << rule.levels, 16 / static_cast<int>(sizeof(Key))) : 0;
    std::size_t const shared_bytes =
        launch.tree_words * sizeof(Key) + sizeof(std::uint32_t) * launch.copies * rule.buckets;
    auto const kernel = bucket_counts_kernel<Key, Rule, with_labels>;
    allow_shared_memory(kernel, shared_bytes);
    kernel<<<count_blocks(launch.count, sizeof(Key)), count_threads, shared_bytes, stream>>>(
        launch);
    KEYSWAP_CUDA(cudaGetLastError());
}

template <class Key>
void counts_by_rule(cudaStream_t stream, BucketCounts const& launch) {
    RuleKind const kind = launch.rule.kind;
    bool const with_labels = launch.labels != nullptr;
    if (kind == RuleKind::splitters && with_labels) {
        start_counts<Key, TreeRule<Key>, true>(stream, launch);
    } else if (kind == RuleKind::splitters) {
        start_counts<Key, TreeRule<Key>, false>(stream, launch);
    } else if (kind == RuleKind::even) {
        start_counts<Key, EvenRule<Key>, false>(stream, launch);
    } else if (with_labels) {
        start_counts<Key, AnyRule<Key>, true>(stream, launch);
    } else if (kind == RuleKind::digit) {
        start_counts<Key, DigitRule<Key>, false>(stream, launch);
    } else if (kind == RuleKind::delta) {
        start_counts<Key, DeltaRule<Key>, false>(stream, launch);
    } else {
        start_counts<Key, AnyRule<Key>, false>(stream, launch);
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
    std::uint64_t before = 0; // keys of buckets in earlier rounds
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

} // namespace

void launch_bucket_counts(cudaStream_t stream, int key_bytes, BucketCounts const& launch) {
    if (launch.count == 0) {
        return;
    }
    upload_active_fault();
    with_key_type(key_bytes, [&]<class Key>() { counts_by_rule<Key>(stream, launch); });
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
    with_key_type(key_bytes, [&]<class Key>() {
        digit_counts_kernel<<<blocks, count_threads, 0, stream>>>(
            static_cast<Key const*>(keys), count, code, digit_bits, steps, counts);
    });
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
