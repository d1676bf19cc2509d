#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/steps/look_back.cuh"
#include "kernels/primitives/steps/segmented_sort.hpp"
#include "kernels/primitives/steps/tile_ranks.cuh"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cub/block/block_radix_rank.cuh>
#include <type_traits>

namespace keyswap::kernels {

namespace {

template <class Key>
struct StepDigit {
    int shift;
    std::uint32_t mask;
    __device__ explicit StepDigit(BitWindow digit)
        : shift(digit.begin), mask((1U << (digit.end - digit.begin)) - 1U) {}
    __device__ std::uint32_t Digit(Key key) const {
        return static_cast<std::uint32_t>(key >> shift) & mask;
    }
};

/// One tile of a stable step.
/// \tparam digit_bits of the widest digit \tparam coded keys are encoded when read or decoded when
/// written
template <class Key, class Value, int digit_bits, bool coded>
class StableTile {
    static constexpr int threads = step_block<Key, Value, digit_bits>.threads;
    static constexpr int items = step_block<Key, Value, digit_bits>.items;
    static constexpr int size = items * threads;
    static constexpr std::uint32_t bins = 1U << digit_bits;
    static_assert(threads >= bins);
    static constexpr bool has_values = is_value<Value>;
    static constexpr int warp_size = 32;
    using Rank = cub::BlockRadixRankMatchEarlyCounts<threads,
                                                     digit_bits,
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
        std::uint32_t offsets[bins]; ///< by digit; added to a tile position: offset in segment
    };

    /// \param index of the tile. Blocks start in order of their indices (CUB's scan relies on the
    /// same), so a block waits only for running ones
    __device__ StableTile(DigitStep const& step, std::uint32_t index, Shared& shared)
        : step_(step), tile_(step.tiles[index]), index_(index), shared_(shared),
          digit_(tile_.digit.or_else(step.digit())), count_(static_cast<int>(tile_.count)) {}

    __device__ void run() {
        load();
        rank();
        write();
    }

  private:
    __device__ void load() {
        int const lane = static_cast<int>(threadIdx.x) % warp_size;
        int const begin = static_cast<int>(threadIdx.x) / warp_size * (warp_size * items) + lane;
        Key const* const keys_in = step_.keys_read().of<Key>(tile_.buffer) + tile_.source;
        if (count_ == size) {
#pragma unroll
            for (int i = 0; i < items; ++i) {
                keys_[i] = keys_in[begin + i * warp_size];
            }
        } else {
#pragma unroll
            for (int i = 0; i < items; ++i) {
                int const at = begin + i * warp_size;
                keys_[i] = at < count_ ? keys_in[at] : Key{0};
            }
        }
        if constexpr (coded) {
#pragma unroll
            for (int i = 0; i < items; ++i) {
                keys_[i] = encode_image(keys_[i], step_.encode);
            }
        }
        if (count_ < size) { // positions beyond the end rank last
#pragma unroll
            for (int i = 0; i < items; ++i) {
                if (begin + i * warp_size >= count_) {
                    keys_[i] = static_cast<Key>(~Key{0});
                }
            }
        }
    }

    /// Orders the keys by digit within the tile, and looks back for the digits' begins.
    __device__ void rank() {
        bool const is_first = index_ == tile_.segment_tile;
        LabelWords<bins> const words{step_.scratch};
        int prefix[1];
        int digit_count = 0;
        PublishCounts<bins> const publish{words,
                                          index_,
                                          is_first ? inclusive_flag<std::uint32_t>
                                                   : partial_flag<std::uint32_t>,
                                          digit_.mask,
                                          size - count_,
                                          digit_count};
        Rank(shared_.rank).RankKeys(keys_, ranks_, digit_, prefix, publish);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
            shared_.keys[ranks_[i]] = keys_[i];
        }
        if (threadIdx.x < bins) {
            std::uint32_t const before = look_back(
                words, index_, tile_.segment_tile, static_cast<std::uint32_t>(digit_count));
            std::uint32_t const start =
                step_.bins[static_cast<std::uint64_t>(tile_.segment) * step_.bins_stride +
                           threadIdx.x];
            // May wrap below zero; adding the position in the tile undoes it.
            shared_.offsets[threadIdx.x] = start + before - static_cast<std::uint32_t>(prefix[0]);
        }
        __syncthreads();
    }

    __device__ void write() {
        Key* const keys_out = static_cast<Key*>(step_.keys_out) + tile_.destination;
        // Values use their keys' digits: stored positions would take registers from a second block.
        HalfWords<items> digits;
        auto const place_of = [&](int i, int at) {
            return shared_.offsets[digits.at(i)] + static_cast<std::uint32_t>(at);
        };
#pragma unroll
        for (int i = 0; i < items; ++i) {
            int const at = static_cast<int>(threadIdx.x) + i * threads;
            Key const key = shared_.keys[at];
            digits.set(i, digit_.Digit(key));
            if (at < count_) {
                keys_out[place_of(i, at)] = coded ? decode_image(key, step_.decode) : key;
            }
        }
        if constexpr (has_values) {
            move_values<threads>(shared_.values,
                                 step_.values_read().of<Value>(tile_.buffer) + tile_.source,
                                 static_cast<Value*>(step_.values_out) + tile_.destination,
                                 count_,
                                 ranks_,
                                 place_of);
        }
    }

    DigitStep const& step_;
    SortTile tile_;
    std::uint32_t index_;
    Shared& shared_;
    StepDigit<Key> digit_;
    int count_;
    Key keys_[items];
    int ranks_[items];
};

template <class Key, class Value, int digit_bits, bool coded>
__global__ void __launch_bounds__(step_block<Key, Value, digit_bits>.threads, 2)
    digit_step_kernel(DigitStep step) {
    using Tile = StableTile<Key, Value, digit_bits, coded>;
    __shared__ typename Tile::Shared shared;
    Tile{step, blockIdx.x, shared}.run();
}

template <class Key, class Value>
void start_step(cudaStream_t stream, DigitStep const& step) {
    if (step.bits > step_bits) {
        // Levels neither encode nor decode.
        if constexpr (is_value<Value>) {
            digit_step_kernel<Key, Value, wide_step_bits, false>
                <<<step.tile_count, step_block<Key, Value, wide_step_bits>.threads, 0, stream>>>(
                    step);
        }
    } else if (step.encode.is_identity() && step.decode.is_identity()) {
        digit_step_kernel<Key, Value, step_bits, false>
            <<<step.tile_count, step_threads, 0, stream>>>(step);
    } else {
        digit_step_kernel<Key, Value, step_bits, true>
            <<<step.tile_count, step_threads, 0, stream>>>(step);
    }
}

} // namespace

std::uint32_t tile_keys(ElementShape shape, int bits) {
    return stable_block(shape, bits).size();
}

void launch_digit_step(cudaStream_t stream, ElementShape shape, DigitStep const& step) {
    if (step.tile_count == 0) {
        return;
    }
    bool const is_wide = step.bits > step_bits;
    KEYSWAP_EXPECTS(!is_wide || (shape.value_bytes > 0 && step.encode.is_identity() &&
                                 step.decode.is_identity()));
    std::size_t const words = static_cast<std::size_t>(step.tile_count)
                              << (is_wide ? wide_step_bits : step_bits);
    KEYSWAP_CUDA(cudaMemsetAsync(step.scratch, 0, words * sizeof(std::uint32_t), stream));
    with_element_types(shape,
                       [&]<class Key, class Value>() { start_step<Key, Value>(stream, step); });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
