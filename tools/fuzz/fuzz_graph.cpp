#include "model/graphs/graph.hpp"
#include "model/graphs/graph_file.hpp"
#include "tools/fuzz/fuzzing.hpp"
#include "traces/errors/input_limits.hpp"

namespace {

using namespace keyswap;
using namespace keyswap::fuzzing;

/// A graph in DIMACS format.
std::string dimacs_text(model::EdgeList const& list) {
    std::string text = "p sp " + std::to_string(list.vertex_count) + ' ' +
                       std::to_string(list.edges.size()) + '\n';
    for (model::Edge const& edge : list.edges) {
        text += "a " + std::to_string(edge.from + 1) + ' ' + std::to_string(edge.to + 1) + ' ' +
                std::to_string(edge.weight) + '\n';
    }
    return text;
}

} // namespace

/// First byte: MatrixMarket or DIMACS. A valid graph survives a round trip through DIMACS, and
/// either can be built or is rejected with a message.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static MemoryFolder const folder;
    if (size == 0) {
        return 0;
    }
    require(set_limit(Limit::memory, 1 << 26).has_value(), "a limit can be lowered");
    std::string const text = text_of(data + 1, size - 1);
    auto const path = folder.put(data[0] % 2 == 0 ? "a.mtx" : "a.gr", text);
    auto const list = model::read_graph_file(path, 1);
    if (!list) {
        require_message(list.error(), text);
        return 0;
    }
    auto const again = model::read_graph_file(folder.put("again.gr", dimacs_text(*list)), 1);
    require(again.has_value() && again->vertex_count == list->vertex_count &&
                again->edges == list->edges,
            "a graph is read again as it was written");
    auto const graph = model::Graph::make("graph", list->vertex_count, list->edges);
    if (!graph) {
        require_message(graph.error(), text);
        return 0;
    }
    require(graph->edge_count() == list->edges.size(), "no edge is lost");
    return 0;
}
