#include "kernels/device/cuda_check.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/begin_search.cuh"
#include "kernels/shuffle/piece_copy.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr unsigned threads = 256;
constexpr unsigned lanes = 32;
constexpr unsigned elements_per_lane = 8;
/// Consecutive positions per step; whole lines of memory for all element widths.
constexpr std::uint64_t step = std::uint64_t{lanes} * elements_per_lane;
/// Half of an H200's resident blocks, so that local pieces are copied in parallel with those for
/// other GPUs.
constexpr std::uint64_t blocks_max = 528;

struct Keys {
    static __device__ void const* from(Piece const& piece) { return piece.keys; }
    static __device__ void* to(Piece const& piece) { return piece.keys_to; }
};

struct Values {
    static __device__ void const* from(Piece const& piece) { return piece.values; }
    static __device__ void* to(Piece const& piece) { return piece.values_to; }
};

/// Copies positions [begin, end) of a piece by one warp. \pre begin starts a line
template <class T, class Array>
__device__ void copy_places(Piece const& piece, std::uint64_t begin, std::uint64_t end) {
    T const* const from = static_cast<T const*>(Array::from(piece));
    T* const to = static_cast<T*>(Array::to(piece));
    std::uint64_t const elements = min(end - piece.begin, piece.count);
    for (std::uint64_t at = begin; at < end; at += step) {
        std::uint64_t const first = at - piece.begin + threadIdx.x % lanes; // wraps before it
        T read[elements_per_lane];
#pragma unroll
        for (unsigned i = 0; i < elements_per_lane; ++i) {
            if (first + i * lanes < elements) {
                read[i] = from[first + i * lanes];
            }
        }
#pragma unroll
        for (unsigned i = 0; i < elements_per_lane; ++i) {
            if (first + i * lanes < elements) {
                to[first + i * lanes] = read[i];
            }
        }
    }
}

/// All warps copy equal numbers of consecutive positions and iterate over the pieces in them: one
/// search per warp, not per step.
template <class T, class Array>
__global__ void __launch_bounds__(threads) piece_copy_kernel(Piece const* pieces,
                                                             std::uint32_t count,
                                                             std::uint64_t places,
                                                             std::uint64_t places_per_warp) {
    constexpr std::uint64_t line = 128 / sizeof(T);
    std::uint64_t const warp = (blockIdx.x * std::uint64_t{threads} + threadIdx.x) / lanes;
    std::uint64_t const begin = warp * places_per_warp;
    std::uint64_t const end = min(begin + places_per_warp, places);
    if (begin >= end) {
        return;
    }
    auto const begin_of = [pieces](std::uint32_t piece) { return pieces[piece].begin; };
    for (std::uint32_t i = last_beginning_by(begin_of, 0, count - 1, begin);
         i < count && pieces[i].begin < end;
         ++i) {
        Piece const piece = pieces[i];
        std::uint64_t const before = kernel_has_fault(DeviceFault::piece_head_lost) ? line - 1 : 0;
        copy_places<T, Array>(piece,
                              max(begin, (piece.begin + before) / line * line),
                              min(end, piece.begin + piece.count));
    }
}

template <class Array>
void start_copies(cudaStream_t stream,
                  Piece const* pieces,
                  std::uint32_t count,
                  std::uint64_t places,
                  int element_bytes) {
    std::uint64_t const steps = (places + step - 1) / step;
    std::uint64_t const warps = std::min(steps, blocks_max * (threads / lanes));
    std::uint64_t const places_per_warp = (steps + warps - 1) / warps * step;
    auto const blocks = static_cast<unsigned>((warps * lanes + threads - 1) / threads);
    auto const kernel = element_bytes == 4 ? piece_copy_kernel<std::uint32_t, Array>
                                           : piece_copy_kernel<std::uint64_t, Array>;
    kernel<<<blocks, threads, 0, stream>>>(pieces, count, places, places_per_warp);
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
    upload_active_fault();
    start_copies<Keys>(stream, pieces, count, places, key_bytes);
    if (value_bytes != 0) {
        start_copies<Values>(stream, pieces, count, places, value_bytes);
    }
}

} // namespace keyswap::kernels
