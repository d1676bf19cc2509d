#include "kernels/graphs/path_state.hpp"

#include "kernels/device/uploaded_buffer.hpp"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace keyswap::kernels {

namespace {

constexpr ElementShape distance_and_vertex{4, 4};

/// Buckets of width Delta from distance 0 on.
DeviceRule bucket_rule(std::uint32_t delta) {
    return RuleTables({path_buckets, DeltaBuckets{{}, {0, delta}}}, 4, ImageCode{}).rule();
}

/// A pile holds each vertex once, plus those that a round adds; near-far stores a round's improved
/// vertices in the second half of the near list.
std::size_t list_size(std::uint32_t vertex_count) {
    return std::size_t{2} * vertex_count;
}

std::uint64_t largest_degree(PathGraph const& graph) {
    std::uint64_t largest = 0;
    for (std::size_t vertex = 0; vertex + 1 < graph.offsets.size(); ++vertex) {
        largest = std::max(largest, graph.offsets[vertex + 1] - graph.offsets[vertex]);
    }
    return largest;
}

} // namespace

PathState::PathState(PathGraph const& graph, PathMethod method, std::uint32_t delta, int device)
    : device_(device), method_(method), delta_(delta),
      vertex_count_(static_cast<std::uint32_t>(graph.offsets.size() - 1)),
      edge_count_(graph.targets.size()), degree_max_(largest_degree(graph)), stream_(device),
      offsets_(uploaded(device, graph.offsets)), targets_(uploaded(device, graph.targets)),
      weights_(uploaded(device, graph.weights)), distances_(device, vertex_count_),
      stamps_(device, vertex_count_), waiting_(device, list_size(vertex_count_)),
      ordered_(device, list_size(vertex_count_)), next_(device, list_size(vertex_count_)),
      begins_(device, std::size_t{vertex_count_} + 1), counters_(device, 1), host_counters_(1),
      tile_edges_(device, frontier_tiles(vertex_count_)),
      sort_temp_(device,
                 method == PathMethod::bucketing
                     ? radix_sort_temp_bytes(distance_and_vertex, vertex_count_)
                     : 0),
      split_counters_(device, 2), split_blocks_(path_split_blocks_max()),
      rule_(bucket_rule(delta)) {}

DevicePaths PathState::paths() const {
    return {offsets_.data(), targets_.data(), weights_.data(), distances_.data(), stamps_.data()};
}

PathResult PathState::find(std::uint32_t source) {
    PathResult result;
    start(source);
    wait_for(stream_.get());
    auto const begin = std::chrono::steady_clock::now();
    method_ == PathMethod::near_far ? search_near_first(result) : search_by_buckets(result);
    result.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    result.distances.resize(vertex_count_);
    KEYSWAP_CUDA(cudaMemcpy(result.distances.data(),
                            distances_.data(),
                            vertex_count_ * sizeof(std::uint32_t),
                            cudaMemcpyDeviceToHost));
    return result;
}

/// Initializes all distances to unreachable except the source's, and makes the source pending.
void PathState::start(std::uint32_t source) {
    cudaStream_t const stream = stream_.get();
    std::size_t const bytes = vertex_count_ * sizeof(std::uint32_t);
    KEYSWAP_CUDA(cudaMemsetAsync(distances_.data(), 0xff, bytes, stream));
    clear_array(stream, stamps_.data(), vertex_count_);
    clear_array(stream, counters_.data(), 1);
    clear_array(stream, split_counters_.data(), 2);
    clear_array(stream, distances_.data() + source, 1);
    clear_array(stream, waiting_.distances.data(), 1);
    copy_array(stream, waiting_.vertices.data(), &source, 1);
    wait_for(stream);
}

PathCounters PathState::counters() {
    copy_array(stream_.get(), host_counters_.data(), counters_.data(), 1);
    wait_for(stream_.get());
    return *host_counters_.data();
}

std::uint64_t PathState::edges_of(std::uint32_t count) const {
    return std::min(edge_count_, count * degree_max_);
}

void PathState::relax(Frontier const& frontier, std::uint32_t round, std::uint32_t* improved) {
    launch_relax(stream_.get(),
                 paths(),
                 frontier,
                 begins_.data(),
                 round,
                 improved,
                 counters_.data(),
                 tile_edges_.data());
}

void PathState::reorganise(std::uint32_t round, std::uint32_t count, std::uint32_t lower) {
    cudaStream_t const stream = stream_.get();
    std::uint64_t* const buckets = counters_.data()->buckets;
    if (method_ == PathMethod::multisplit) {
        launch_path_split(stream,
                          split_blocks_,
                          waiting_.list(),
                          ordered_.list(),
                          count,
                          {lower, delta_},
                          split_counters_.data() + round % 2,
                          split_counters_.data() + (round + 1) % 2,
                          buckets);
        return;
    }
    DeviceRule rule = rule_;
    rule.origin = lower;
    int const buffer = launch_radix_sort(stream,
                                         distance_and_vertex,
                                         {{waiting_.distances.data(), ordered_.distances.data()},
                                          {waiting_.vertices.data(), ordered_.vertices.data()},
                                          0},
                                         count,
                                         {0, 32},
                                         sort_temp_.data(),
                                         sort_temp_.size());
    if (buffer == 0) {
        std::swap(waiting_, ordered_);
    }
    clear_array(stream, buckets, path_buckets);
    launch_bucket_counts(
        stream,
        4,
        {.keys = ordered_.distances.data(), .count = count, .rule = rule, .counts = buckets});
}

void PathState::search_by_buckets(PathResult& result) {
    cudaStream_t const stream = stream_.get();
    std::uint32_t waiting = 1;
    std::uint32_t nearest = 0;
    while (waiting > 0) {
        auto const round = static_cast<std::uint32_t>(result.rounds.size()) + 1;
        std::uint32_t const lower = nearest / delta_ * delta_;
        reorganise(round, waiting, lower);
        Frontier const frontier{
            ordered_.list(), counters_.data()->buckets, waiting, edges_of(waiting)};
        relax(frontier, round, waiting_.vertices.data());
        launch_round_end(stream, paths(), frontier, round, waiting_.list(), counters_.data());
        PathCounters const done = counters();
        std::vector<std::uint64_t> counts(done.buckets, done.buckets + path_buckets);
        result.rounds.push_back({round - 1,
                                 waiting,
                                 counts[0],
                                 done.improved,
                                 lower,
                                 std::uint64_t{lower} + delta_,
                                 std::move(counts)});
        result.relaxed_edges += done.edges;
        waiting = done.improved + done.kept;
        nearest = done.nearest;
    }
}

void PathState::search_near_first(PathResult& result) {
    cudaStream_t const stream = stream_.get();
    std::uint64_t split = delta_;
    std::uint32_t near = 1;
    std::uint32_t far = 0;
    while (near > 0 || far > 0) {
        std::uint64_t const round = result.rounds.size();
        std::uint64_t const pending = std::uint64_t{near} + far;
        std::uint32_t* improved = nullptr;
        if (near != 0) {
            launch_distances(stream, paths(), waiting_.list(), near);
            improved = waiting_.vertices.data() + vertex_count_;
            relax({waiting_.list(), nullptr, near, edges_of(near)},
                  static_cast<std::uint32_t>(round) + 1,
                  improved);
        } else {
            launch_round_start(stream, counters_.data());
            launch_nearest(stream, ordered_.distances.data(), far, counters_.data());
            std::uint32_t const nearest = counters().nearest;
            split += (nearest - split) / delta_ * delta_ + delta_;
        }
        launch_share(stream,
                     paths(),
                     improved,
                     edges_of(near),
                     ordered_.list(),
                     far,
                     split,
                     waiting_.vertices.data(),
                     next_.list(),
                     counters_.data());
        PathCounters const done = counters();
        // A relaxing round reports its initial shares, any other the shares it distributed.
        std::vector<std::uint64_t> shares = near != 0
                                                ? std::vector<std::uint64_t>{near, far}
                                                : std::vector<std::uint64_t>{done.near, done.kept};
        result.rounds.push_back({round, pending, near, done.improved, 0, split, std::move(shares)});
        result.relaxed_edges += done.edges;
        near = done.near;
        far = done.kept;
        std::swap(ordered_, next_);
    }
}

} // namespace keyswap::kernels
