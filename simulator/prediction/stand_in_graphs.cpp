#include "simulator/prediction/stand_in_graphs.hpp"

#include "model/graphs/graph_generator.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace keyswap::simulator {

namespace {

constexpr std::string_view lattice = "grid:";
constexpr std::uint64_t graph_seed = 1;

/// A generated graph, and how often the represented graph relaxes each edge that a table counts
/// once.
struct StandIn {
    std::string graph;
    double directions = 1.0;
};

std::optional<StandIn> stand_in_of(std::string_view graph) {
    struct Published {
        std::string_view name;
        std::string_view graph;
    };
    constexpr double both = 2.0;
    // Degrees of table 9. The citation, contact and road graphs cannot be shipped.
    for (Published const& one : {Published{"cit-Patents", "power:8:13"},
                                 Published{"flickr", "power:24:13"},
                                 Published{"belgium_osm", "grid:200"},
                                 Published{"rmat", "rmat:13:12"}}) {
        if (one.name == graph) {
            return StandIn{std::string(one.graph), both};
        }
    }
    std::size_t const first = graph.find(':');
    std::size_t const second = graph.find(':', first + 1);
    if (graph.starts_with(lattice)) {
        return StandIn{"grid:200"};
    }
    if (graph.starts_with("rmat:") && second != std::string_view::npos) {
        return StandIn{"rmat:13" + std::string(graph.substr(second))};
    }
    if (graph.starts_with("power:") && second != std::string_view::npos) {
        return StandIn{std::string(graph.substr(0, second)) + ":13"};
    }
    return std::nullopt;
}

} // namespace

std::optional<SearchWork>
stand_in_work(std::string_view graph, std::uint64_t edge_count, model::PathMethod method) {
    auto const stand_in = stand_in_of(graph);
    if (!stand_in) {
        return std::nullopt;
    }
    auto const generated = model::load_graph(stand_in->graph, graph_seed);
    if (!generated || generated->edge_count() == 0) {
        return std::nullopt;
    }
    auto const run =
        model::relax_in_rounds(*generated, 0, method, model::default_delta(*generated));
    SearchWork work = work_of(run.rounds, run.relaxed_edges);
    double const larger = stand_in->directions * static_cast<double>(edge_count) /
                          static_cast<double>(generated->edge_count());
    double const vertices = std::log(static_cast<double>(generated->vertex_count()));
    bool const is_lattice = stand_in->graph.starts_with(lattice);
    double const longer =
        is_lattice ? std::sqrt(larger) : std::max(1.0, 1.0 + std::log(larger) / vertices);
    work.rounds *= longer;
    work.advances *= longer;
    double const again = is_lattice ? 1.0 : longer;
    for (double* const amount :
         {&work.pending, &work.piled, &work.frontier, &work.improved, &work.edges}) {
        *amount *= larger * again;
    }
    return work;
}

} // namespace keyswap::simulator
