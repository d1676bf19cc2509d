#include "kernels/primitives/copy_kernels.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/begin_search.cuh"
#include "kernels/primitives/key_words.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr int move_threads = 256;

template <class Word>
__global__ void __launch_bounds__(move_threads)
    copy_kernel(Word* destination, Word const* source, std::uint64_t count) {
    constexpr int unroll = 8;
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
    for (; i + (unroll - 1) * stride < count; i += unroll * stride) {
        Word words[unroll];
#pragma unroll
        for (int j = 0; j < unroll; ++j) {
            words[j] = source[i + j * stride];
        }
#pragma unroll
        for (int j = 0; j < unroll; ++j) {
            destination[i + j * stride] = words[j];
        }
    }
    for (; i < count; i += stride) {
        destination[i] = source[i];
    }
}

constexpr std::uint32_t keys_per_fill_block = move_threads * 32;

/// Fills of one launch and the first block of each.
struct FillBlocks {
    std::uint32_t count = 0;
    std::uint32_t first_block[fills_per_launch + 1] = {}; ///< [count + 1]
    KeyFill fill[fills_per_launch] = {};
};

template <class Word>
__global__ void __launch_bounds__(move_threads) fill_kernel(Word* keys, FillBlocks const fills) {
    std::uint32_t const index = last_beginning_by(
        [&fills](std::uint32_t i) { return fills.first_block[i]; }, 0, fills.count - 1, blockIdx.x);
    KeyFill const& fill = fills.fill[index];
    std::uint64_t const begin =
        static_cast<std::uint64_t>(blockIdx.x - fills.first_block[index]) * keys_per_fill_block;
    std::uint64_t const rest = fill.count - begin;
    auto const end = static_cast<std::uint32_t>(
        rest < keys_per_fill_block ? rest : std::uint64_t{keys_per_fill_block});
    Word* const to = keys + fill.offset + begin;
    for (std::uint32_t i = threadIdx.x; i < end; i += move_threads) {
        to[i] = static_cast<Word>(fill.image);
    }
}

template <class Word>
void start_fills(cudaStream_t stream, Word* keys, std::span<KeyFill const> fills) {
    FillBlocks blocks;
    for (KeyFill const& fill : fills) {
        blocks.fill[blocks.count] = fill;
        auto const more = (fill.count + keys_per_fill_block - 1) / keys_per_fill_block;
        blocks.first_block[blocks.count + 1] =
            blocks.first_block[blocks.count] + static_cast<std::uint32_t>(more);
        ++blocks.count;
    }
    std::uint32_t const all = blocks.first_block[blocks.count];
    if (all > 0) {
        fill_kernel<<<all, move_threads, 0, stream>>>(keys, blocks);
    }
}

/// Blocks to move `count` words: eight words per thread, but at most the blocks that run at once.
unsigned streaming_blocks(std::uint64_t count) {
    constexpr std::uint64_t blocks_max = 132 * 8;
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>(count / (move_threads * 8ULL), 1, blocks_max));
}

} // namespace

void launch_copy(cudaStream_t stream,
                 int element_bytes,
                 void* destination,
                 void const* source,
                 std::uint64_t count) {
    if (count == 0 || element_bytes == 0) {
        return;
    }
    if (element_bytes == 16) {
        count *= 2; // counted in words of 8 bytes
    }
    with_key_type(element_bytes, [&]<class Word>() {
        copy_kernel<<<streaming_blocks(count), move_threads, 0, stream>>>(
            static_cast<Word*>(destination), static_cast<Word const*>(source), count);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_fills(cudaStream_t stream, int key_bytes, void* keys, std::span<KeyFill const> fills) {
    for (; !fills.empty(); fills = fills.subspan(std::min(fills.size(), fills_per_launch))) {
        std::span<KeyFill const> const first =
            fills.first(std::min(fills.size(), fills_per_launch));
        with_key_type(key_bytes,
                      [&]<class Word>() { start_fills(stream, static_cast<Word*>(keys), first); });
        KEYSWAP_CUDA(cudaGetLastError());
    }
}

} // namespace keyswap::kernels
