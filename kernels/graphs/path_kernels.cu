#include "kernels/device/multiprocessors.hpp"
#include "kernels/graphs/path_kernels.hpp"
#include "kernels/primitives/begin_search.cuh"

#include <algorithm>
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr unsigned threads = 256;
constexpr std::uint64_t blocks_max = 1'056; // 8 per multiprocessor of an H200
constexpr unsigned edges_per_thread = 4;
constexpr unsigned edge_tile = threads * edges_per_thread;

unsigned blocks_for(std::uint64_t count, unsigned a_block = threads) {
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>((count + a_block - 1) / a_block, 1, blocks_max));
}

/// Calls `act` for every index below `count`, and for some beyond, so that all threads of a block
/// call it equally often.
template <class Act>
__device__ void for_each_in_step(std::uint64_t count, Act act) {
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    for (std::uint64_t first = blockIdx.x * static_cast<std::uint64_t>(blockDim.x); first < count;
         first += stride) {
        act(first + threadIdx.x);
    }
}

/// Reserves a position at a list's end for each requesting thread, with one atomic per block to
/// reduce contention. Called by all threads of a block.
__device__ std::uint32_t place_for(bool is_wanted, std::uint32_t* counter) {
    constexpr unsigned warp_size = 32;
    constexpr unsigned warps = threads / warp_size;
    __shared__ std::uint32_t places[warps];
    unsigned const lane = threadIdx.x % warp_size;
    unsigned const warp = threadIdx.x / warp_size;
    std::uint32_t const votes = __ballot_sync(0xffffffffU, is_wanted);
    if (lane == 0) {
        places[warp] = static_cast<std::uint32_t>(__popc(votes));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        std::uint32_t all = 0;
        for (std::uint32_t const wanted : places) {
            all += wanted;
        }
        std::uint32_t next = all == 0 ? 0 : atomicAdd(counter, all);
        for (std::uint32_t& place : places) {
            std::uint32_t const wanted = place;
            place = next;
            next += wanted;
        }
    }
    __syncthreads();
    std::uint32_t const before = votes & ((1U << lane) - 1);
    std::uint32_t const place = places[warp] + static_cast<std::uint32_t>(__popc(before));
    __syncthreads();
    return place;
}

/// Atomic minimum with one atomic per warp. Called by all of its threads.
__device__ void note_nearest(std::uint32_t own, PathCounters* counters) {
    std::uint32_t const least = __reduce_min_sync(0xffffffffU, own);
    if (threadIdx.x % 32 == 0 && least != path_unreachable) {
        atomicMin(&counters->nearest, least);
    }
}

constexpr unsigned split_items = 4;
constexpr unsigned split_tile = threads * split_items;

__device__ unsigned bucket_of(std::uint32_t distance, PathBuckets const& rule) {
    return min((distance - rule.lower) / rule.delta, path_buckets - 1U);
}

/// Reserves a position in a bucket for each thread of the warp that has an element; `is_any` is
/// true for these threads.
__device__ std::uint32_t next_place(std::uint32_t* places, unsigned bucket, bool is_any) {
    unsigned const peers = __match_any_sync(0xffffffffU, is_any ? bucket : path_buckets);
    unsigned const lane = threadIdx.x % 32;
    unsigned const leader = static_cast<unsigned>(__ffs(static_cast<int>(peers))) - 1;
    std::uint32_t first = 0;
    if (is_any && lane == leader) {
        first = atomicAdd(&places[bucket], static_cast<std::uint32_t>(__popc(peers)));
    }
    first = __shfl_sync(0xffffffffU, first, static_cast<int>(leader));
    return first + static_cast<std::uint32_t>(__popc(peers & ((1U << lane) - 1)));
}

__global__ void __launch_bounds__(threads) path_split_kernel(VertexList list,
                                                             VertexList ordered,
                                                             std::uint32_t count,
                                                             PathBuckets rule,
                                                             SplitCounters* counters,
                                                             SplitCounters* next,
                                                             std::uint64_t* buckets) {
    __shared__ std::uint32_t own[path_buckets];
    __shared__ std::uint32_t places[path_buckets];
    if (threadIdx.x < path_buckets) {
        own[threadIdx.x] = 0;
    }
    __syncthreads();
    for_each_in_step(count, [&](std::uint64_t i) {
        bool const is_any = i < count;
        next_place(own, is_any ? bucket_of(list.distances[i], rule) : 0, is_any);
    });
    __syncthreads();
    if (threadIdx.x < path_buckets && own[threadIdx.x] != 0) {
        atomicAdd(&counters->counts[threadIdx.x], own[threadIdx.x]);
    }
    cooperative_groups::this_grid().sync();
    if (threadIdx.x < path_buckets) {
        std::uint32_t start = 0;
        for (unsigned bucket = 0; bucket < threadIdx.x; ++bucket) {
            start += counters->counts[bucket];
        }
        if (own[threadIdx.x] != 0) {
            start += atomicAdd(&counters->placed[threadIdx.x], own[threadIdx.x]);
        }
        places[threadIdx.x] = start;
        if (blockIdx.x == 0) {
            buckets[threadIdx.x] = counters->counts[threadIdx.x];
            next->counts[threadIdx.x] = 0;
            next->placed[threadIdx.x] = 0;
        }
    }
    __syncthreads();
    for_each_in_step(count, [&](std::uint64_t i) {
        bool const is_any = i < count;
        std::uint32_t const distance = is_any ? list.distances[i] : 0;
        std::uint32_t const place =
            next_place(places, is_any ? bucket_of(distance, rule) : 0, is_any);
        if (is_any) {
            ordered.vertices[place] = list.vertices[i];
            ordered.distances[place] = distance;
        }
    });
}

__device__ void start_round(PathCounters* counters) {
    counters->nearest = path_unreachable;
    counters->improved = 0;
    counters->kept = 0;
    counters->near = 0;
    counters->edges = 0;
}

__global__ void round_start_kernel(PathCounters* counters) {
    start_round(counters);
}

__device__ std::uint32_t count_of(Frontier const& frontier) {
    return frontier.count == nullptr ? frontier.most : static_cast<std::uint32_t>(*frontier.count);
}

/// Edges of the list's i-th vertex; 0 beyond the frontier.
__device__ std::uint64_t degree_of(DevicePaths const& paths,
                                   Frontier const& frontier,
                                   std::uint32_t count,
                                   std::uint64_t i) {
    if (i >= count) {
        return 0;
    }
    std::uint32_t const vertex = frontier.list.vertices[i];
    return paths.offsets[vertex + 1] - paths.offsets[vertex];
}

constexpr int begin_threads = 1024;
constexpr int begin_items = 4;
constexpr std::uint32_t begin_tile = begin_threads * begin_items;

/// Degrees of begin_items vertices per thread.
__device__ void degrees_of_tile(DevicePaths const& paths,
                                Frontier const& frontier,
                                std::uint32_t count,
                                std::uint64_t (&degrees)[begin_items]) {
    std::uint64_t const first =
        (blockIdx.x * std::uint64_t{begin_threads} + threadIdx.x) * begin_items;
#pragma unroll
    for (int i = 0; i < begin_items; ++i) {
        degrees[i] = degree_of(paths, frontier, count, first + static_cast<unsigned>(i));
    }
}

/// Computes the number of edges of each tile of the frontier.
__global__ void __launch_bounds__(begin_threads)
    tile_edges_kernel(DevicePaths paths, Frontier frontier, std::uint64_t* tile_edges) {
    using Reduce = cub::BlockReduce<std::uint64_t, begin_threads>;
    __shared__ typename Reduce::TempStorage shared;
    std::uint32_t const count = count_of(frontier);
    if (blockIdx.x * std::uint64_t{begin_tile} >= count) {
        return;
    }
    std::uint64_t degrees[begin_items];
    degrees_of_tile(paths, frontier, count, degrees);
    std::uint64_t const edges = Reduce(shared).Sum(degrees);
    if (threadIdx.x == 0) {
        tile_edges[blockIdx.x] = edges;
    }
}

/// Exclusive prefix sums of the frontier vertices' degrees, followed by the total.
__global__ void __launch_bounds__(begin_threads) begins_kernel(DevicePaths paths,
                                                               Frontier frontier,
                                                               std::uint64_t const* tile_edges,
                                                               std::uint64_t* begins,
                                                               PathCounters* counters) {
    using Reduce = cub::BlockReduce<std::uint64_t, begin_threads>;
    using Scan = cub::BlockScan<std::uint64_t, begin_threads>;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    } shared;
    __shared__ std::uint64_t before_tile;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        start_round(counters);
    }
    std::uint32_t const count = count_of(frontier);
    if (blockIdx.x * std::uint64_t{begin_tile} >= count) {
        return;
    }
    std::uint64_t before = 0;
    for (unsigned tile = threadIdx.x; tile < blockIdx.x; tile += begin_threads) {
        before += tile_edges[tile];
    }
    before = Reduce(shared.reduce).Sum(before);
    if (threadIdx.x == 0) {
        before_tile = before;
    }
    __syncthreads();
    std::uint64_t degrees[begin_items];
    degrees_of_tile(paths, frontier, count, degrees);
    std::uint64_t sums[begin_items];
    Scan(shared.scan).ExclusiveSum(degrees, sums);
    std::uint64_t const first =
        (blockIdx.x * std::uint64_t{begin_threads} + threadIdx.x) * begin_items;
#pragma unroll
    for (int i = 0; i < begin_items; ++i) {
        std::uint64_t const at = first + static_cast<unsigned>(i);
        if (at < count) {
            begins[at] = before_tile + sums[i];
        }
        if (at + 1 == count) {
            begins[count] = before_tile + sums[i] + degrees[i];
        }
    }
}

unsigned begin_tiles(std::uint32_t most) {
    return (most + begin_tile - 1) / begin_tile;
}

/// A block handles tiles of consecutive edges; a tile's first and last vertex bound its searches.
__global__ void __launch_bounds__(threads) relax_kernel(DevicePaths paths,
                                                        Frontier frontier,
                                                        std::uint64_t const* begins,
                                                        std::uint32_t round,
                                                        std::uint32_t* improved,
                                                        PathCounters* counters) {
    __shared__ std::uint32_t bounds[2];
    auto const begin_of = [begins](std::uint32_t vertex) { return begins[vertex]; };
    std::uint32_t const count = count_of(frontier);
    std::uint64_t const edges = begins[count];
    std::uint64_t const stride = gridDim.x * std::uint64_t{edge_tile};
    for (std::uint64_t begin = blockIdx.x * std::uint64_t{edge_tile}; begin < edges;
         begin += stride) {
        if (threadIdx.x == 0 || threadIdx.x == 32) { // two warps in parallel
            std::uint64_t const last = min(begin + edge_tile, edges) - 1;
            bounds[threadIdx.x / 32] =
                last_beginning_by(begin_of, 0, count - 1, threadIdx.x == 0 ? begin : last);
        }
        __syncthreads();
        std::uint32_t const low = bounds[0];
        std::uint32_t const high = bounds[1];
        std::uint32_t targets[edges_per_thread];
        std::uint32_t through[edges_per_thread];
        bool is_nearer[edges_per_thread];
#pragma unroll
        for (unsigned i = 0; i < edges_per_thread; ++i) {
            std::uint64_t const at = begin + i * threads + threadIdx.x;
            is_nearer[i] = false;
            if (at < edges) {
                std::uint32_t const from = last_beginning_by(begin_of, low, high, at);
                std::uint64_t const edge =
                    paths.offsets[frontier.list.vertices[from]] + (at - begins[from]);
                targets[i] = paths.targets[edge];
                through[i] = frontier.list.distances[from] + paths.weights[edge];
                is_nearer[i] = through[i] < paths.distances[targets[i]];
            }
        }
#pragma unroll
        for (unsigned i = 0; i < edges_per_thread; ++i) {
            is_nearer[i] = is_nearer[i] &&
                           through[i] < atomicMin(&paths.distances[targets[i]], through[i]) &&
                           atomicExch(&paths.stamps[targets[i]], round) != round;
        }
#pragma unroll
        for (unsigned i = 0; i < edges_per_thread; ++i) {
            std::uint32_t const place = place_for(is_nearer[i], &counters->improved);
            if (is_nearer[i]) {
                improved[place] = targets[i];
            }
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        counters->edges = edges;
    }
}

__global__ void round_end_kernel(DevicePaths paths,
                                 Frontier frontier,
                                 std::uint32_t round,
                                 VertexList waiting,
                                 PathCounters* counters) {
    std::uint32_t const improved = counters->improved;
    std::uint32_t nearest = path_unreachable;
    for_each_in_step(improved, [&](std::uint64_t i) {
        if (i < improved) {
            std::uint32_t const distance = paths.distances[waiting.vertices[i]];
            waiting.distances[i] = distance;
            nearest = min(nearest, distance);
        }
    });
    std::uint32_t const relaxed = count_of(frontier);
    for_each_in_step(frontier.most - relaxed, [&](std::uint64_t i) {
        std::uint64_t const at = relaxed + i;
        std::uint32_t const vertex = at < frontier.most ? frontier.list.vertices[at] : 0;
        bool const is_kept = at < frontier.most && paths.stamps[vertex] != round;
        std::uint32_t const place = improved + place_for(is_kept, &counters->kept);
        if (is_kept) {
            std::uint32_t const distance = frontier.list.distances[at];
            waiting.vertices[place] = vertex;
            waiting.distances[place] = distance;
            nearest = min(nearest, distance);
        }
    });
    note_nearest(nearest, counters);
}

__global__ void distances_kernel(DevicePaths paths, VertexList list, std::uint32_t count) {
    for_each_in_step(count, [&](std::uint64_t i) {
        if (i < count) {
            list.distances[i] = paths.distances[list.vertices[i]];
        }
    });
}

/// Moves a vertex to the near list, or with its distance to the far pile. Called by all threads of
/// a block.
__device__ void share_vertex(std::uint32_t vertex,
                             std::uint32_t distance,
                             bool is_near,
                             bool is_far,
                             std::uint32_t* near,
                             VertexList const& far,
                             PathCounters* counters) {
    std::uint32_t const near_place = place_for(is_near, &counters->near);
    if (is_near) {
        near[near_place] = vertex;
    }
    std::uint32_t const far_place = place_for(is_far, &counters->kept);
    if (is_far) {
        far.vertices[far_place] = vertex;
        far.distances[far_place] = distance;
    }
}

__global__ void share_kernel(DevicePaths paths,
                             std::uint32_t const* improved,
                             VertexList pile,
                             std::uint32_t pile_count,
                             std::uint64_t split,
                             std::uint32_t* near,
                             VertexList far,
                             PathCounters* counters) {
    bool const has_relaxed = improved != nullptr;
    std::uint32_t const improved_count = has_relaxed ? counters->improved : 0;
    for_each_in_step(improved_count, [&](std::uint64_t i) {
        bool const is_vertex = i < improved_count;
        std::uint32_t const vertex = is_vertex ? improved[i] : 0;
        std::uint32_t const distance = paths.distances[vertex];
        bool const is_near = distance < split;
        share_vertex(
            vertex, distance, is_vertex && is_near, is_vertex && !is_near, near, far, counters);
    });
    for_each_in_step(pile_count, [&](std::uint64_t i) {
        bool const is_entry = i < pile_count;
        std::uint32_t const vertex = is_entry ? pile.vertices[i] : 0;
        std::uint32_t const distance = is_entry ? pile.distances[i] : 0;
        bool const is_valid = is_entry && paths.distances[vertex] == distance;
        bool const is_far = distance >= split;
        share_vertex(vertex,
                     distance,
                     is_valid && !is_far && !has_relaxed,
                     is_valid && is_far,
                     near,
                     far,
                     counters);
    });
}

__global__ void
nearest_kernel(std::uint32_t const* distances, std::uint32_t count, PathCounters* counters) {
    std::uint32_t own = path_unreachable;
    for_each_in_step(count,
                     [&](std::uint64_t i) { own = i < count ? min(own, distances[i]) : own; });
    note_nearest(own, counters);
}

} // namespace

unsigned path_split_blocks_max() {
    int blocks = 0;
    KEYSWAP_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, path_split_kernel, threads, 0));
    return static_cast<unsigned>(multiprocessor_count() * blocks);
}

void launch_path_split(cudaStream_t stream,
                       unsigned blocks_most,
                       VertexList const& list,
                       VertexList const& ordered,
                       std::uint32_t count,
                       PathBuckets const& rule,
                       SplitCounters* counters,
                       SplitCounters* next,
                       std::uint64_t* buckets) {
    unsigned const blocks = std::min(blocks_for(count, split_tile), blocks_most);
    VertexList in = list;
    VertexList out = ordered;
    PathBuckets widths = rule;
    void* arguments[] = {&in, &out, &count, &widths, &counters, &next, &buckets};
    KEYSWAP_CUDA(cudaLaunchCooperativeKernel(
        reinterpret_cast<void const*>(path_split_kernel), blocks, threads, arguments, 0, stream));
}

void launch_round_start(cudaStream_t stream, PathCounters* counters) {
    round_start_kernel<<<1, 1, 0, stream>>>(counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

std::size_t frontier_tiles(std::uint32_t most) {
    return begin_tiles(most);
}

void launch_relax(cudaStream_t stream,
                  DevicePaths const& paths,
                  Frontier const& frontier,
                  std::uint64_t* begins,
                  std::uint32_t round,
                  std::uint32_t* improved,
                  PathCounters* counters,
                  std::uint64_t* tile_edges) {
    unsigned const tiles = begin_tiles(frontier.most);
    if (tiles > 1) {
        tile_edges_kernel<<<tiles, begin_threads, 0, stream>>>(paths, frontier, tile_edges);
        KEYSWAP_CUDA(cudaGetLastError());
    }
    begins_kernel<<<tiles, begin_threads, 0, stream>>>(
        paths, frontier, tile_edges, begins, counters);
    KEYSWAP_CUDA(cudaGetLastError());
    relax_kernel<<<blocks_for(frontier.most_edges, edge_tile), threads, 0, stream>>>(
        paths, frontier, begins, round, improved, counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_round_end(cudaStream_t stream,
                      DevicePaths const& paths,
                      Frontier const& frontier,
                      std::uint32_t round,
                      VertexList const& waiting,
                      PathCounters* counters) {
    std::uint64_t const most = std::max<std::uint64_t>(frontier.most, frontier.most_edges);
    round_end_kernel<<<blocks_for(most), threads, 0, stream>>>(
        paths, frontier, round, waiting, counters);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_distances(cudaStream_t stream,
                      DevicePaths const& paths,
                      VertexList const& list,
                      std::uint32_t count) {
    distances_kernel<<<blocks_for(count), threads, 0, stream>>>(paths, list, count);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_share(cudaStream_t stream,
                  DevicePaths const& paths,
                  std::uint32_t const* improved,
                  std::uint64_t improved_max,
                  VertexList const& pile,
                  std::uint32_t pile_count,
                  std::uint64_t split,
                  std::uint32_t* near,
                  VertexList const& far,
                  PathCounters* counters) {
    std::uint64_t const most = std::max<std::uint64_t>(improved_max, pile_count);
    share_kernel<<<blocks_for(most), threads, 0, stream>>>(
        paths, improved, pile, pile_count, split, near, far, counters);
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
