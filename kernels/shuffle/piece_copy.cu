#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/begin_search.cuh"
#include "kernels/shuffle/piece_copy.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr unsigned threads = 256;
constexpr unsigned elements_a_thread = 8;
constexpr unsigned tile = threads * elements_a_thread;
/// Half of what is resident on an H200, so that pieces that stay are copied beside those that
/// leave.
constexpr std::uint64_t blocks_max = 528;

struct Keys {
    static __device__ void const* from(Piece const& piece) { return piece.keys; }
    static __device__ void* to(Piece const& piece) { return piece.keys_to; }
};

struct Values {
    static __device__ void const* from(Piece const& piece) { return piece.values; }
    static __device__ void* to(Piece const& piece) { return piece.values_to; }
};

/// Copies places [begin, end), which no other piece has a part in.
template <class T, class Array>
__device__ void copy_tile(Piece const& piece, std::uint64_t begin, std::uint64_t end) {
    T const* const from = static_cast<T const*>(Array::from(piece));
    T* const to = static_cast<T*>(Array::to(piece));
    std::uint64_t const first = begin - piece.begin; // wraps before the first piece
    T read[elements_a_thread];
#pragma unroll
    for (unsigned i = 0; i < elements_a_thread; ++i) {
        std::uint64_t const element = first + i * threads + threadIdx.x;
        if (element < piece.count) {
            read[i] = from[element];
        }
    }
#pragma unroll
    for (unsigned i = 0; i < elements_a_thread; ++i) {
        std::uint64_t const element = first + i * threads + threadIdx.x;
        if (element < piece.count && element < first + (end - begin)) {
            to[element] = read[i];
        }
    }
}

/// The same where pieces begin or end; each thread looks for those of its places.
template <class T, class Array>
__device__ void copy_several(Piece const* pieces,
                             std::uint32_t low,
                             std::uint32_t high,
                             std::uint64_t begin,
                             std::uint64_t end) {
    auto const begin_of = [pieces](std::uint32_t piece) { return pieces[piece].begin; };
    for (std::uint64_t at = begin + threadIdx.x; at < end; at += threads) {
        Piece const& piece = pieces[last_beginning_by(begin_of, low, high, at)];
        std::uint64_t const element = at - piece.begin; // wraps before the first piece
        if (element < piece.count) {
            static_cast<T*>(Array::to(piece))[element] =
                static_cast<T const*>(Array::from(piece))[element];
        }
    }
}

/// A block takes tiles of consecutive places, whose first and last piece bound the search.
template <class T, class Array>
__global__ void __launch_bounds__(threads)
    piece_copy_kernel(Piece const* pieces, std::uint32_t count, std::uint64_t places) {
    __shared__ std::uint32_t bounds[2];
    auto const begin_of = [pieces](std::uint32_t piece) { return pieces[piece].begin; };
    std::uint64_t const stride = gridDim.x * std::uint64_t{tile};
    for (std::uint64_t begin = blockIdx.x * std::uint64_t{tile}; begin < places; begin += stride) {
        std::uint64_t const end = min(begin + tile, places);
        if (threadIdx.x == 0 || threadIdx.x == 32) { // of two warps, side by side
            bounds[threadIdx.x / 32] =
                last_beginning_by(begin_of, 0, count - 1, threadIdx.x == 0 ? begin : end - 1);
        }
        __syncthreads();
        std::uint32_t const low = bounds[0];
        std::uint32_t const high = bounds[1];
        if (low == high) {
            copy_tile<T, Array>(pieces[low], begin, end);
        } else {
            copy_several<T, Array>(pieces, low, high, begin, end);
        }
        __syncthreads(); // all have read the bounds
    }
}

template <class Array>
void start_copies(cudaStream_t stream,
                  Piece const* pieces,
                  std::uint32_t count,
                  std::uint64_t places,
                  int element_bytes) {
    auto const blocks =
        static_cast<unsigned>(std::min<std::uint64_t>((places + tile - 1) / tile, blocks_max));
    auto const kernel = element_bytes == 4 ? piece_copy_kernel<std::uint32_t, Array>
                                           : piece_copy_kernel<std::uint64_t, Array>;
    kernel<<<blocks, threads, 0, stream>>>(pieces, count, places);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace

void launch_piece_copies(cudaStream_t stream,
                         Piece const* pieces,
                         std::uint32_t count,
                         std::uint64_t places,
                         int key_bytes,
                         int value_bytes) {
    if (places == 0) {
        return;
    }
    start_copies<Keys>(stream, pieces, count, places, key_bytes);
    if (value_bytes != 0) {
        start_copies<Values>(stream, pieces, count, places, value_bytes);
    }
}

} // namespace keyswap::kernels
