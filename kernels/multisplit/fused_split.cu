#include "kernels/device/cuda_check.hpp"
#include "kernels/multisplit/bucket_rule.cuh"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/steps/look_back.cuh"

#include <cub/block/block_radix_rank.cuh>

namespace keyswap::kernels {

namespace {

/// Stored labels are next to the tile; both must fit a block's 48 KiB.
template <class Key, class Value, bool kept>
constexpr int split_items =
    kept&& step_block<Key, Value>.items == 15 ? 13 : step_block<Key, Value>.items;
template <class Key, class Value, bool kept>
constexpr int split_tile = step_threads* split_items<Key, Value, kept>;

/// Blocks required per multiprocessor, which limits registers per thread. Fastest of 1 to 4 on an
/// H200 (2026-11-22, 2^28 keys): 3 gives 224 Gkeys/s for u32 keys in two buckets, while 1, 2 and 4
/// give 215, 186 and 205; 2 gives 166 for pairs, 3 gives 142.
template <class Value>
constexpr int resident_blocks = is_value<Value> ? 2 : 3;

/// Evaluates a cheap rule in the interface of CUB's ranking.
template <class Rule>
struct ComputedLabel {
    Rule rule;
    template <class Key>
    __device__ std::uint32_t Digit(Key key) const {
        return rule(key);
    }
};

/// The interface of CUB's ranking for stored labels: the word is the label.
struct KeptLabel {
    __device__ std::uint32_t Digit(std::uint32_t label) const { return label; }
};

template <class Key>
struct FusedSplit {
    Key const* keys_in;
    Key* keys_out;
    void const* values_in;
    void* values_out;
    std::uint8_t const* labels;     ///< null for a cheap rule
    std::uint32_t const* positions; ///< [buckets]
    std::uint32_t* lookback;        ///< [tiles][2^bits], initially zero
    std::uint64_t count;
    std::uint32_t buckets;
    Key pad_key; ///< has the largest label of all keys, so that pads come last
};

/// One tile of a split.
/// \tparam Rule of the labels; is_cheap is false for stored labels
/// \tparam bits of a label
template <class Key, class Value, class Rule, int bits>
class FusedTile {
    static constexpr bool kept = !Rule::is_cheap;
    static constexpr int items = split_items<Key, Value, kept>;
    static constexpr int size = split_tile<Key, Value, kept>;
    static constexpr bool has_values = is_value<Value>;
    static constexpr int warp_size = 32;
    static constexpr std::uint32_t bins = 1U << bits;
    using Keys = Key[items];
    using Labels = std::uint32_t[kept ? items : 1];
    using Ranks = int[items];
    using Rank = cub::BlockRadixRankMatchEarlyCounts<step_threads,
                                                     bits,
                                                     false,
                                                     cub::BLOCK_SCAN_RAKING_MEMOIZE,
                                                     cub::WARP_MATCH_ANY,
                                                     1>;

  public:
    struct Shared {
        union {
            typename Rank::TempStorage rank;
            Key keys[size];
            Value values[has_values ? size : 1];
        };
        __align__(16) std::uint8_t labels[kept ? size : 1];
        std::uint32_t offsets[bins]; ///< by bucket; added to a tile position: output index
    };
    static_assert(size % 16 == 0);

    /// \param tile index. Blocks start in order of their indices (CUB's scan relies on the same),
    /// so a block waits only for running ones
    __device__
    FusedTile(FusedSplit<Key> const& split, Rule rule, std::uint32_t tile, Shared& shared)
        : split_(split), rule_(rule), tile_(tile), shared_(shared),
          begin_(static_cast<std::uint64_t>(kernel_has_fault(DeviceFault::tiles_out_of_order)
                                                ? gridDim.x - 1 - tile
                                                : tile) *
                 size),
          count_(static_cast<int>(split.count - begin_ < size ? split.count - begin_ : size)) {}

    __device__ void run() {
        Keys keys;
        Labels labels;
        load(keys, labels);
        Ranks ranks;
        rank(keys, labels, ranks);
        write(ranks);
    }

  private:
    __device__ void load(Keys& keys, Labels& labels) {
        int const lane = static_cast<int>(threadIdx.x) % warp_size;
        int const begin = static_cast<int>(threadIdx.x) / warp_size * (warp_size * items) + lane;
        Key const* const keys_in = split_.keys_in + begin_;
        if (count_ == size) {
#pragma unroll
            for (int i = 0; i < items; ++i) {
                keys[i] = keys_in[begin + i * warp_size];
            }
            if constexpr (kept) { // in loads of 16 bytes
                auto const* const from = reinterpret_cast<uint4 const*>(split_.labels + begin_);
                auto* const to = reinterpret_cast<uint4*>(shared_.labels);
                for (int i = static_cast<int>(threadIdx.x); i < size / 16; i += step_threads) {
                    to[i] = from[i];
                }
                __syncthreads();
#pragma unroll
                for (int i = 0; i < items; ++i) {
                    labels[i] = shared_.labels[begin + i * warp_size];
                }
            }
        } else {
#pragma unroll
            for (int i = 0; i < items; ++i) {
                int const at = begin + i * warp_size;
                keys[i] = at < count_ ? keys_in[at] : split_.pad_key;
                if constexpr (kept) {
                    labels[i] = at < count_ ? split_.labels[begin_ + at] : bins - 1;
                }
            }
        }
    }

    /// Orders the keys by label within the tile, and looks back for the buckets' begins.
    __device__ void rank(Keys const& keys, Labels const& labels, Ranks& ranks) {
        std::uint32_t pad_label = bins - 1;
        if constexpr (!kept) {
            pad_label = rule_(split_.pad_key);
        }
        LabelWords<bins> const words{split_.lookback};
        int prefix[1];
        int bucket_count = 0;
        PublishCounts<bins> publish{words,
                                    tile_,
                                    tile_ == 0 || kernel_has_fault(DeviceFault::lookback_flag_early)
                                        ? inclusive_flag<std::uint32_t>
                                        : partial_flag<std::uint32_t>,
                                    pad_label,
                                    size - count_,
                                    bucket_count};
        if constexpr (kept) {
            Rank(shared_.rank).RankKeys(labels, ranks, KeptLabel{}, prefix, publish);
        } else if constexpr (std::is_same_v<Rule, DeltaRule<Key>> && !has_values) {
            // CUB evaluates each label twice. (With values there are no registers to store them.)
            std::uint32_t once[items];
#pragma unroll
            for (int i = 0; i < items; ++i) {
                once[i] = rule_(keys[i]);
            }
            Rank(shared_.rank).RankKeys(once, ranks, KeptLabel{}, prefix, publish);
        } else {
            Rank(shared_.rank).RankKeys(keys, ranks, ComputedLabel<Rule>{rule_}, prefix, publish);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
            shared_.keys[ranks[i]] = keys[i];
            if constexpr (kept) {
                shared_.labels[ranks[i]] = static_cast<std::uint8_t>(labels[i]);
            }
        }
        if (threadIdx.x < bins) {
            std::uint32_t const before =
                look_back(words, tile_, 0, static_cast<std::uint32_t>(bucket_count));
            std::uint32_t const start =
                threadIdx.x < split_.buckets ? split_.positions[threadIdx.x] : 0;
            // May wrap below zero; adding the position in the tile undoes it.
            shared_.offsets[threadIdx.x] = start + before - static_cast<std::uint32_t>(prefix[0]);
        }
        __syncthreads();
    }

    __device__ void write(Ranks const& ranks) {
        std::uint32_t positions[items];
#pragma unroll
        for (int i = 0; i < items; ++i) {
            int const at = static_cast<int>(threadIdx.x) + i * step_threads;
            Key const key = shared_.keys[at];
            std::uint32_t label = 0;
            if constexpr (kept) {
                label = shared_.labels[at];
            } else {
                label = rule_(key);
            }
            positions[i] = shared_.offsets[label] + static_cast<std::uint32_t>(at);
            if (at < count_) {
                split_.keys_out[positions[i]] = key;
            }
        }
        if constexpr (has_values) {
            move_values<step_threads>(shared_.values,
                                      static_cast<Value const*>(split_.values_in) + begin_,
                                      static_cast<Value*>(split_.values_out),
                                      count_,
                                      ranks,
                                      [&](int i, int /*at*/) { return positions[i]; });
        }
    }

    FusedSplit<Key> const& split_;
    Rule rule_;
    std::uint32_t tile_;
    Shared& shared_;
    std::uint64_t begin_;
    int count_;
};

template <class Key, class Value, class Rule, int bits>
__global__ void __launch_bounds__(step_threads, resident_blocks<Value>)
    fused_split_kernel(FusedSplit<Key> split, Rule rule) {
    using Tile = FusedTile<Key, Value, Rule, bits>;
    __shared__ typename Tile::Shared shared;
    Tile{split, rule, blockIdx.x, shared}.run();
}

template <class Key, class Value, bool kept>
std::uint32_t tiles_of(std::uint64_t count) {
    constexpr std::uint64_t tile = split_tile<Key, Value, kept>;
    return static_cast<std::uint32_t>((count + tile - 1) / tile);
}

template <class Key, class Value, class Rule>
void start_split(cudaStream_t stream, FusedSplit<Key> const& split, Rule const& rule) {
    std::uint32_t const tiles = tiles_of<Key, Value, !Rule::is_cheap>(split.count);
    if (split.buckets <= 32) { // CUB's ranking requires at least 5 bits
        fused_split_kernel<Key, Value, Rule, 5><<<tiles, step_threads, 0, stream>>>(split, rule);
    } else {
        fused_split_kernel<Key, Value, Rule, 8><<<tiles, step_threads, 0, stream>>>(split, rule);
    }
    KEYSWAP_CUDA(cudaGetLastError());
}

template <class Key, class Value>
void split_by_rule(cudaStream_t stream,
                   OutOfPlaceArrays const& arrays,
                   DeviceRule const& rule,
                   std::uint8_t const* labels,
                   std::uint32_t const* positions,
                   void* scratch) {
    FusedSplit<Key> const split{static_cast<Key const*>(arrays.keys_in),
                                static_cast<Key*>(arrays.keys_out),
                                arrays.values_in,
                                arrays.values_out,
                                labels,
                                positions,
                                static_cast<std::uint32_t*>(scratch),
                                arrays.count,
                                rule.buckets,
                                decode_image(static_cast<Key>(~Key{0}), rule.code)};
    std::size_t const scratch_bytes = fused_scratch_bytes(arrays.shape, arrays.count);
    KEYSWAP_CUDA(cudaMemsetAsync(
        scratch, 0, rule.buckets <= 32 ? scratch_bytes / 8 : scratch_bytes, stream));
    if (labels != nullptr) {
        start_split<Key, Value>(stream, split, KeptRule{});
    } else if (rule.kind == RuleKind::digit) {
        start_split<Key, Value>(stream, split, DigitRule<Key>(rule));
    } else {
        start_split<Key, Value>(stream, split, DeltaRule<Key>(rule));
    }
}

} // namespace

std::size_t fused_scratch_bytes(ElementShape shape, std::uint64_t count) {
    // Tiles with stored labels are smaller.
    std::uint32_t const tiles = with_element_types(
        shape, [count]<class Key, class Value>() { return tiles_of<Key, Value, true>(count); });
    return static_cast<std::size_t>(tiles) * fused_buckets_max * sizeof(std::uint32_t);
}

void launch_fused_split(cudaStream_t stream,
                        OutOfPlaceArrays const& arrays,
                        DeviceRule const& rule,
                        std::uint8_t const* labels,
                        std::uint32_t const* positions,
                        void* scratch) {
    if (arrays.count == 0) {
        return;
    }
    upload_active_fault();
    with_element_types(arrays.shape, [&]<class Key, class Value>() {
        split_by_rule<Key, Value>(stream, arrays, rule, labels, positions, scratch);
    });
}

} // namespace keyswap::kernels
