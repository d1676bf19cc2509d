#include "model/graphs/delta_stepping.hpp"

#include "model/partition/stable_partition.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

namespace keyswap::model {

namespace {

using Vertices = std::vector<std::uint32_t>;

constexpr std::array<std::pair<PathMethod, std::string_view>, 3> names{
    {{PathMethod::multisplit, "multisplit"},
     {PathMethod::bucketing, "bucketing"},
     {PathMethod::near_far, "near-far"}}};

/// Distances, and the relaxation step that all methods share.
class Relaxation {
  public:
    Relaxation(Graph const& graph, std::uint32_t source)
        : graph_(graph), stamps_(graph.vertex_count(), 0) {
        run_.distances.assign(graph.vertex_count(), unreachable);
        run_.distances[source] = 0;
    }

    [[nodiscard]] std::uint32_t distance(std::uint32_t vertex) const {
        return run_.distances[vertex];
    }

    /// Relaxes all edges of the frontier, reading the distances at the round's start. \return the
    /// improved vertices without repetitions, in order of their first improvement
    Vertices relax(Vertices const& frontier) {
        ++stamp_;
        std::vector<std::uint32_t> at_start;
        at_start.reserve(frontier.size());
        for (std::uint32_t const vertex : frontier) {
            at_start.push_back(run_.distances[vertex]);
        }
        Vertices improved;
        for (std::size_t i = 0; i < frontier.size(); ++i) {
            auto const targets = graph_.targets(frontier[i]);
            auto const weights = graph_.weights(frontier[i]);
            run_.relaxed_edges += targets.size();
            for (std::size_t e = 0; e < targets.size(); ++e) {
                std::uint32_t const through = at_start[i] + weights[e];
                std::uint32_t& distance = run_.distances[targets[e]];
                if (through < distance) {
                    distance = through;
                    if (std::exchange(stamps_[targets[e]], stamp_) != stamp_) {
                        improved.push_back(targets[e]);
                    }
                }
            }
        }
        return improved;
    }

    /// True if the last round improved the vertex.
    [[nodiscard]] bool just_improved(std::uint32_t vertex) const {
        return stamps_[vertex] == stamp_;
    }

    void note(RelaxationRecord round) {
        round.round = run_.rounds.size();
        run_.rounds.push_back(std::move(round));
    }

    [[nodiscard]] std::uint64_t rounds() const { return run_.rounds.size(); }

    [[nodiscard]] PathRun result() && { return std::move(run_); }

  private:
    Graph const& graph_;
    PathRun run_;
    std::vector<std::uint64_t> stamps_; ///< last round that improved each vertex
    std::uint64_t stamp_ = 0;
};

/// Pending vertices ordered by the bucket of their distance, and the size of each bucket.
struct Reorganised {
    Vertices vertices;
    std::vector<std::uint64_t> counts;
};

Reorganised by_multisplit(Vertices& pending,
                          std::vector<std::uint32_t>& distances,
                          BucketEvaluator const& buckets) {
    auto const labels = labels_of(buckets, std::span<std::uint32_t const>(distances));
    Reorganised result{Vertices(pending.size()), {}};
    std::vector<std::uint32_t> moved(pending.size());
    // Distances are the keys, vertices their values.
    result.counts =
        stable_partition(std::span<std::uint32_t const>(labels),
                         buckets.bucket_count(),
                         KeyArrays<std::uint32_t, std::uint32_t>{distances, pending},
                         KeyArrays<std::uint32_t, std::uint32_t>{moved, result.vertices});
    return result;
}

Reorganised by_sorting(Vertices const& pending,
                       std::vector<std::uint32_t> const& distances,
                       BucketEvaluator const& buckets) {
    std::vector<std::size_t> order(pending.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return distances[i]; });
    Reorganised result{{}, std::vector<std::uint64_t>(buckets.bucket_count(), 0)};
    for (std::size_t const i : order) {
        result.vertices.push_back(pending[i]);
        ++result.counts[buckets.bucket_of(distances[i], 0)];
    }
    return result;
}

void relax_by_buckets(Relaxation& relaxation,
                      std::uint32_t source,
                      PathMethod method,
                      std::uint32_t delta,
                      std::uint64_t rounds_max) {
    Vertices pending{source};
    while (!pending.empty() && relaxation.rounds() < rounds_max) {
        std::vector<std::uint32_t> distances;
        distances.reserve(pending.size());
        for (std::uint32_t const vertex : pending) {
            distances.push_back(relaxation.distance(vertex));
        }
        std::uint32_t const lower = *std::ranges::min_element(distances) / delta * delta;
        BucketEvaluator const buckets({path_buckets, DeltaBuckets{{0, lower}, {0, delta}}}, 32);
        auto const waiting = method == PathMethod::multisplit
                                 ? by_multisplit(pending, distances, buckets)
                                 : by_sorting(pending, distances, buckets);
        auto const rest = waiting.vertices.begin() + static_cast<std::ptrdiff_t>(waiting.counts[0]);
        Vertices const frontier(waiting.vertices.begin(), rest);
        Vertices improved = relaxation.relax(frontier);
        relaxation.note({0,
                         pending.size(),
                         frontier.size(),
                         improved.size(),
                         lower,
                         std::uint64_t{lower} + delta,
                         waiting.counts});
        // Next pending vertices: the rest, and the improved vertices that are not part of it.
        Vertices next(rest, waiting.vertices.end());
        std::erase_if(next, [&](std::uint32_t vertex) { return relaxation.just_improved(vertex); });
        next.insert(next.end(), improved.begin(), improved.end());
        pending = std::move(next);
    }
}

/// A vertex on the far pile with its distance at that time; stale if the vertex has improved since.
struct PileEntry {
    std::uint32_t vertex = 0;
    std::uint32_t distance = 0;
};

/// Removes stale, settled and duplicate entries.
void clean(std::vector<PileEntry>& pile, Relaxation const& relaxation, std::uint64_t split) {
    std::erase_if(pile, [&](PileEntry const& entry) {
        std::uint32_t const distance = relaxation.distance(entry.vertex);
        return distance != entry.distance || distance < split;
    });
    std::ranges::sort(pile, {}, &PileEntry::vertex);
    auto const same_vertex = [](PileEntry const& left, PileEntry const& right) {
        return left.vertex == right.vertex;
    };
    pile.erase(std::unique(pile.begin(), pile.end(), same_vertex), pile.end());
}

void relax_near_first(Relaxation& relaxation,
                      std::uint32_t source,
                      std::uint32_t delta,
                      std::uint64_t rounds_max) {
    std::uint64_t split = delta;
    Vertices near{source};
    std::vector<PileEntry> far;
    while ((!near.empty() || !far.empty()) && relaxation.rounds() < rounds_max) {
        std::uint64_t const pending = near.size() + far.size();
        if (near.empty()) {
            std::uint32_t const nearest =
                std::ranges::min_element(far, {}, &PileEntry::distance)->distance;
            split += (nearest - split) / delta * delta + delta;
            for (PileEntry const& entry : far) {
                if (entry.distance < split) {
                    near.push_back(entry.vertex);
                }
            }
            clean(far, relaxation, split);
            relaxation.note({0, pending, 0, 0, 0, split, {near.size(), far.size()}});
            continue;
        }
        std::uint64_t const far_count = far.size();
        Vertices const improved = relaxation.relax(near);
        relaxation.note(
            {0, pending, near.size(), improved.size(), 0, split, {near.size(), far_count}});
        near.clear();
        for (std::uint32_t const vertex : improved) {
            std::uint32_t const distance = relaxation.distance(vertex);
            if (distance < split) {
                near.push_back(vertex);
            } else {
                far.push_back({vertex, distance});
            }
        }
        clean(far, relaxation, split);
    }
}

} // namespace

std::string_view to_string(PathMethod method) {
    return std::ranges::find(names, method, &std::pair<PathMethod, std::string_view>::first)
        ->second;
}

Expected<PathMethod> parse_path_method(std::string_view text) {
    auto const name_of = &std::pair<PathMethod, std::string_view>::second;
    if (auto const known = std::ranges::find(names, text, name_of); known != names.end()) {
        return known->first;
    }
    KnownNames known(names, name_of);
    known.add("dijkstra"); // the command also accepts it, but it has no rounds
    return tl::unexpected(
        InputError{"method " + std::string(text), "is not known", known.remedy(text)});
}

std::uint32_t default_delta(Graph const& graph) {
    if (graph.edge_count() == 0) {
        return 1;
    }
    // 32 (W / E) / (E / V), rounded down.
    uint128 const numerator = uint128{graph.weight_sum()} * 32 * graph.vertex_count();
    uint128 const delta = numerator / graph.edge_count() / graph.edge_count();
    return static_cast<std::uint32_t>(std::clamp<uint128>(delta, 1, unreachable));
}

PathRun relax_in_rounds(Graph const& graph,
                        std::uint32_t source,
                        PathMethod method,
                        std::uint32_t delta,
                        std::uint64_t rounds_max) {
    KEYSWAP_EXPECTS(source < graph.vertex_count() && delta >= 1);
    Relaxation relaxation(graph, source);
    if (method == PathMethod::near_far) {
        relax_near_first(relaxation, source, delta, rounds_max);
    } else {
        relax_by_buckets(relaxation, source, method, delta, rounds_max);
    }
    return std::move(relaxation).result();
}

void record_paths(PathRun const& run, TraceSink& sink) {
    for (RelaxationRecord round : run.rounds) {
        if (round.round + 1 == run.rounds.size()) {
            round.distances = distance_digest(run.distances);
        }
        sink.write(round);
    }
}

} // namespace keyswap::model
