#include "kernels/device/cuda_check.hpp"
#include "kernels/graphs/path_kernels.hpp"

#include <algorithm>
#include <cub/device/device_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr unsigned threads = 256;
constexpr std::uint64_t blocks_max = 1'056; // 8 a multiprocessor of an H200

unsigned blocks_for(std::uint64_t count) {
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>((count + threads - 1) / threads, 1, blocks_max));
}

template <class Act>
__device__ void for_each_of(std::uint64_t count, Act act) {
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += stride) {
        act(i);
    }
}

/// One atomic a warp. All of its threads call it.
__device__ void note_nearest(std::uint32_t own, PathCounters* counters) {
    std::uint32_t const least = __reduce_min_sync(0xffffffffU, own);
    if (threadIdx.x % 32 == 0 && least != 0xffffffffU) {
        atomicMin(&counters->nearest, least);
    }
}

__global__ void round_start_kernel(PathCounters* counters) {
    *counters = {0xffffffffU, 0, 0, 0, 0};
}

__global__ void distances_kernel(DevicePaths paths, VertexList list, std::uint32_t count) {
    for_each_of(count,
                [&](std::uint64_t i) { list.distances[i] = paths.distances[list.vertices[i]]; });
}

__global__ void
waiting_distances_kernel(DevicePaths paths, VertexList list, PathCounters* counters) {
    std::uint32_t own = 0xffffffffU;
    for_each_of(counters->improved + counters->kept, [&](std::uint64_t i) {
        std::uint32_t const distance = paths.distances[list.vertices[i]];
        list.distances[i] = distance;
        own = min(own, distance);
    });
    note_nearest(own, counters);
}

/// Degrees, and a 0 behind them whose exclusive sum is their total.
__global__ void degrees_kernel(DevicePaths paths,
                               std::uint32_t const* frontier,
                               std::uint32_t count,
                               std::uint64_t* degrees) {
    for_each_of(count + std::uint64_t{1}, [&](std::uint64_t i) {
        degrees[i] = i < count ? paths.offsets[frontier[i] + 1] - paths.offsets[frontier[i]] : 0;
    });
}

/// The last vertex whose edges begin at or before `edge`.
__device__ std::uint32_t
vertex_of(std::uint64_t const* begins, std::uint32_t count, std::uint64_t edge) {
    std::uint32_t low = 0;
    std::uint32_t high = count - 1;
    while (low < high) {
        std::uint32_t const middle = low + (high - low + 1) / 2;
        if (begins[middle] <= edge) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

__global__ void relax_kernel(DevicePaths paths,
                             VertexList frontier,
                             std::uint32_t count,
                             std::uint64_t const* begins,
                             std::uint32_t round,
                             std::uint32_t* improved,
                             PathCounters* counters) {
    std::uint64_t const edges = begins[count];
    for_each_of(edges, [&](std::uint64_t i) {
        std::uint32_t const from = vertex_of(begins, count, i);
        std::uint64_t const edge = paths.offsets[frontier.vertices[from]] + (i - begins[from]);
        std::uint32_t const target = paths.targets[edge];
        std::uint32_t const through = frontier.distances[from] + paths.weights[edge];
        if (through < paths.distances[target] &&
            through < atomicMin(&paths.distances[target], through) &&
            atomicExch(&paths.stamps[target], round) != round) {
            improved[atomicAdd(&counters->improved, 1U)] = target;
        }
    });
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        counters->edges = edges;
    }
}

__global__ void keep_rest_kernel(DevicePaths paths,
                                 std::uint32_t const* rest,
                                 std::uint32_t count,
                                 std::uint32_t round,
                                 std::uint32_t* waiting,
                                 PathCounters* counters) {
    for_each_of(count, [&](std::uint64_t i) {
        std::uint32_t const vertex = rest[i];
        if (paths.stamps[vertex] != round) {
            waiting[counters->improved + atomicAdd(&counters->kept, 1U)] = vertex;
        }
    });
}

__device__ void put_on_pile(VertexList const& far,
                            std::uint32_t vertex,
                            std::uint32_t distance,
                            PathCounters* counters) {
    std::uint32_t const place = atomicAdd(&counters->kept, 1U);
    far.vertices[place] = vertex;
    far.distances[place] = distance;
}

__global__ void share_improved_kernel(DevicePaths paths,
                                      std::uint32_t const* improved,
                                      std::uint64_t split,
                                      std::uint32_t* near,
                                      VertexList far,
                                      PathCounters* counters) {
    for_each_of(counters->improved, [&](std::uint64_t i) {
        std::uint32_t const vertex = improved[i];
        std::uint32_t const distance = paths.distances[vertex];
        if (distance < split) {
            near[atomicAdd(&counters->near, 1U)] = vertex;
        } else {
            put_on_pile(far, vertex, distance, counters);
        }
    });
}

__global__ void share_pile_kernel(DevicePaths paths,
                                  VertexList pile,
                                  std::uint32_t count,
                                  std::uint64_t split,
                                  std::uint32_t* near,
                                  VertexList far,
                                  PathCounters* counters) {
    for_each_of(count, [&](std::uint64_t i) {
        std::uint32_t const vertex = pile.vertices[i];
        std::uint32_t const distance = pile.distances[i];
        if (paths.distances[vertex] != distance) {
            return;
        }
        if (distance >= split) {
            put_on_pile(far, vertex, distance, counters);
        } else if (near != nullptr) {
            near[atomicAdd(&counters->near, 1U)] = vertex;
        }
    });
}

__global__ void
nearest_kernel(std::uint32_t const* distances, std::uint32_t count, PathCounters* counters) {
    std::uint32_t own = 0xffffffffU;
    for_each_of(count, [&](std::uint64_t i) { own = min(own, distances[i]); });
    note_nearest(own, counters);
}

cudaError_t scan_degrees(void* temp,
                         std::size_t& temp_bytes,
                         std::uint64_t* degrees,
                         std::uint32_t count,
                         cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(
        temp, temp_bytes, degrees, std::uint64_t{count} + 1, stream);
}

} // namespace

void launch_round_start(cudaStream_t stream, PathCounters* counters) {
    round_start_kernel<<<1, 1, 0, stream>>>(counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_distances(cudaStream_t stream,
                      DevicePaths const& paths,
                      VertexList const& list,
                      std::uint32_t count) {
    distances_kernel<<<blocks_for(count), threads, 0, stream>>>(paths, list, count);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_waiting_distances(cudaStream_t stream,
                              DevicePaths const& paths,
                              VertexList const& list,
                              std::uint32_t most,
                              PathCounters* counters) {
    waiting_distances_kernel<<<blocks_for(most), threads, 0, stream>>>(paths, list, counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

std::size_t relax_temp_bytes(std::uint32_t count) {
    std::size_t bytes = 0;
    KEYSWAP_CUDA(scan_degrees(nullptr, bytes, nullptr, count, nullptr));
    return bytes;
}

void launch_relax(cudaStream_t stream,
                  DevicePaths const& paths,
                  VertexList const& frontier,
                  std::uint32_t count,
                  std::uint64_t* begins,
                  std::uint32_t round,
                  std::uint32_t* improved,
                  PathCounters* counters,
                  void* temp,
                  std::size_t temp_bytes) {
    degrees_kernel<<<blocks_for(count), threads, 0, stream>>>(
        paths, frontier.vertices, count, begins);
    KEYSWAP_CUDA(cudaGetLastError());
    KEYSWAP_CUDA(scan_degrees(temp, temp_bytes, begins, count, stream));
    // How many edges there are is known on the device alone.
    relax_kernel<<<static_cast<unsigned>(blocks_max), threads, 0, stream>>>(
        paths, frontier, count, begins, round, improved, counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_keep_rest(cudaStream_t stream,
                      DevicePaths const& paths,
                      std::uint32_t const* rest,
                      std::uint32_t count,
                      std::uint32_t round,
                      std::uint32_t* waiting,
                      PathCounters* counters) {
    if (count == 0) {
        return;
    }
    keep_rest_kernel<<<blocks_for(count), threads, 0, stream>>>(
        paths, rest, count, round, waiting, counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_share_improved(cudaStream_t stream,
                           DevicePaths const& paths,
                           std::uint32_t const* improved,
                           std::uint32_t most,
                           std::uint64_t split,
                           std::uint32_t* near,
                           VertexList const& far,
                           PathCounters* counters) {
    share_improved_kernel<<<blocks_for(most), threads, 0, stream>>>(
        paths, improved, split, near, far, counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_share_pile(cudaStream_t stream,
                       DevicePaths const& paths,
                       VertexList const& pile,
                       std::uint32_t count,
                       std::uint64_t split,
                       std::uint32_t* near,
                       VertexList const& far,
                       PathCounters* counters) {
    if (count == 0) {
        return;
    }
    share_pile_kernel<<<blocks_for(count), threads, 0, stream>>>(
        paths, pile, count, split, near, far, counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_nearest(cudaStream_t stream,
                    std::uint32_t const* distances,
                    std::uint32_t count,
                    PathCounters* counters) {
    nearest_kernel<<<blocks_for(count), threads, 0, stream>>>(distances, count, counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
