#include "model/graphs/graph_generator.hpp"

#include "model/distributions/counter_generator.hpp"
#include "model/graphs/drawn_weights.hpp"
#include "model/graphs/graph_file.hpp"
#include "model/keys/wide_integer.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace keyswap::model {

namespace {

constexpr std::uint32_t end_stream = 1; ///< random stream of the edges' end points
constexpr int scale_max = 22;           ///< 2^22 x 1000 is less than 2^32
constexpr std::uint64_t edges_max = std::uint64_t{1} << 28; ///< 3 GiB as a list

void add_both_ways(std::vector<Edge>& edges, Edge edge) {
    edges.push_back(edge);
    edges.push_back({edge.to, edge.from, edge.weight});
}

/// Parses the numbers after a name: "rmat:20:16" gives 20 and 16. nullopt on any error.
std::optional<std::vector<std::uint64_t>> numbers_after(std::string_view text, std::size_t count) {
    std::vector<std::uint64_t> numbers;
    std::size_t colon = text.find(':');
    while (colon < text.size()) {
        std::size_t const end = std::min(text.find(':', colon + 1), text.size());
        auto const number = parsed_number<std::uint64_t>(text.substr(colon + 1, end - colon - 1));
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
        colon = end;
    }
    return numbers.size() == count ? std::optional(std::move(numbers)) : std::nullopt;
}

tl::unexpected<InputError> refused(std::string_view text, std::string problem, std::string remedy) {
    return input_error(setting("graph", text), std::move(problem), std::move(remedy));
}

Expected<EdgeList> edges_of(std::string_view text, std::uint64_t seed) {
    std::string_view const name = text.substr(0, text.find(':'));
    auto const numbers = numbers_after(text, name == "grid" ? 1 : 2);
    if (!numbers) {
        return refused(text, "is not a graph", "give " + std::string(graph_forms));
    }
    if (name == "grid") {
        std::uint64_t const side = numbers->front();
        if (side < 1 || side > 2048) {
            return refused(text, "is out of range", "give a side of 1 to 2048");
        }
        return grid_edges(static_cast<std::uint32_t>(side), seed);
    }
    bool const rmat = name == "rmat";
    std::uint64_t const scale = (*numbers)[rmat ? 0 : 1];
    std::uint64_t const degree = (*numbers)[rmat ? 1 : 0];
    if (scale > scale_max || degree < 1 || degree > edges_max >> scale) {
        return refused(text,
                       "is out of range",
                       "give a scale of at most " + std::to_string(scale_max) +
                           " and at most 2^28 edges");
    }
    auto const mean = static_cast<std::uint32_t>(degree);
    return rmat ? rmat_edges(static_cast<int>(scale), mean, seed)
                : power_law_edges(mean, static_cast<int>(scale), seed);
}

} // namespace

EdgeList rmat_edges(int scale, std::uint32_t degree, std::uint64_t seed) {
    // Thresholds of the second, third and fourth quadrant, among 2^32 words.
    constexpr double words_all = 4294967296.0;
    constexpr auto second = static_cast<std::uint32_t>(0.5 * words_all);
    constexpr auto third = static_cast<std::uint32_t>(0.6 * words_all);
    constexpr auto fourth = static_cast<std::uint32_t>(0.7 * words_all);
    CounterGenerator const words(seed, end_stream);
    DrawnWeights const weights(seed);
    EdgeList list{std::uint64_t{1} << scale, {}};
    std::uint64_t const count = list.vertex_count * degree;
    list.edges.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        Edge edge{0, 0, weights.of(i)};
        for (int level = 0; level < scale; ++level) {
            std::uint32_t const word = words.word32(i * static_cast<std::uint64_t>(scale) +
                                                    static_cast<std::uint64_t>(level));
            edge.from = 2 * edge.from + (word >= third ? 1 : 0);
            edge.to = 2 * edge.to + (word >= fourth || (word >= second && word < third) ? 1 : 0);
        }
        list.edges.push_back(edge);
    }
    return list;
}

EdgeList grid_edges(std::uint32_t side, std::uint64_t seed) {
    constexpr std::uint32_t tenth = 429'496'730; ///< of 2^32
    CounterGenerator const words(seed, end_stream);
    DrawnWeights const weights(seed);
    EdgeList list{std::uint64_t{side} * side, {}};
    for (std::uint32_t row = 0; row < side; ++row) {
        for (std::uint32_t column = 0; column < side; ++column) {
            std::uint32_t const vertex = row * side + column;
            std::uint64_t const draw = 2 * std::uint64_t{vertex};
            if (column + 1 < side) {
                add_both_ways(list.edges, {vertex, vertex + 1, weights.of(draw)});
            }
            if (row + 1 < side && (column == 0 || words.word32(vertex) < tenth)) {
                add_both_ways(list.edges, {vertex, vertex + side, weights.of(draw + 1)});
            }
        }
    }
    return list;
}

EdgeList power_law_edges(std::uint32_t degree, int scale, std::uint64_t seed) {
    CounterGenerator const words(seed, end_stream);
    DrawnWeights const weights(seed);
    EdgeList list{std::uint64_t{1} << scale, {}};
    // A fraction x of the weights (i + 1)^(-1/2) belongs to vertices below x^2 V.
    auto const vertex = [&](std::uint64_t draw) {
        std::uint64_t const x = words.word64(draw);
        return static_cast<std::uint32_t>(multiply_high(multiply_high(x, x), list.vertex_count));
    };
    std::uint64_t const count = list.vertex_count * degree / 2;
    list.edges.reserve(2 * count);
    for (std::uint64_t i = 0; i < count; ++i) {
        add_both_ways(list.edges, {vertex(2 * i), vertex(2 * i + 1), weights.of(i)});
    }
    return list;
}

Expected<Graph> load_graph(std::string_view text, std::uint64_t seed) {
    std::string_view const name = text.substr(0, text.find(':'));
    bool const generated = name == "rmat" || name == "grid" || name == "power";
    KEYSWAP_TRY(auto const list,
                generated ? edges_of(text, seed) : read_graph_file(std::string(text), seed));
    return Graph::make(std::string(text), list.vertex_count, list.edges, list.drawn);
}

} // namespace keyswap::model
