#include "model/graphs/delta_stepping.hpp"
#include "model/graphs/graph_generator.hpp"
#include "simulator/prediction/search_cost.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/operation_gpu.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/partition/operation_fields.hpp"
#include "tools/options/backend_option.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/output/operation_trace.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <utility>

namespace keyswap::tools {

namespace {

struct PathOptions {
    std::string graph;
    std::optional<std::uint64_t> seed;
    std::uint32_t source = 0;
    std::string method = "multisplit";
    std::optional<std::uint32_t> delta;
    std::optional<std::string> record;
    std::string backend = "cpu";
    std::optional<int> runs;           ///< cuda only
    std::optional<std::string> device; ///< device for which the time is predicted
    Existing existing = Existing::keep;
    bool all = false;
    bool json = false;

    [[nodiscard]] std::uint64_t seed_used() const { return seed.value_or(1); }
    [[nodiscard]] CommandFiles files() const {
        return {{}, {{"--record", record, true}}, json ? "--json" : "", existing};
    }
};

/// Result of a run and of its comparison with Dijkstra's algorithm.
struct PathResult {
    std::uint32_t delta = 0;
    model::PathRun run;
    std::uint64_t reached = 0;
    std::uint32_t farthest = 0;
    SequenceDigest digest;
    std::vector<double> milliseconds;         ///< per run on a GPU, ascending
    std::optional<std::uint64_t> first_wrong; ///< vertex with a distance other than Dijkstra's
    std::optional<simulator::SearchTime> predicted;
};

/// Trace header with the origin of the graph.
RunHeader header_of(PathOptions const& options, model::Graph const& graph, std::uint32_t delta) {
    RunHeader header = operation_header(Operation::sssp, options.method);
    header.key_count = graph.vertex_count();
    std::error_code error;
    bool const file = std::filesystem::is_regular_file(options.graph, error);
    header.input.distribution = file ? "file" : options.graph;
    header.input.file = file ? options.graph : "";
    header.input.seed = options.seed_used();
    header.input.generator_version = model::graph_generator_version;
    header.parameters = {{"delta", delta}, {"source", options.source}};
    return header;
}

/// Runs the kernels. \pre delta >= 1; the source is a vertex of the graph
Expected<void>
find_on_gpu(PathOptions const& options, model::Graph const& graph, PathResult& result) {
    KEYSWAP_TRY(
        auto const method,
        kernels::parse_path_method(options.method).map_error(about("--method " + options.method)));
    KEYSWAP_TRY(auto paths,
                cuda::shortest_paths({{graph.offsets(), graph.all_targets(), graph.all_weights()},
                                      method,
                                      result.delta,
                                      options.source,
                                      options.runs.value_or(1)}));
    result.milliseconds = std::move(paths.milliseconds);
    std::ranges::sort(result.milliseconds);
    result.run = {std::move(paths.result.distances),
                  std::move(paths.result.rounds),
                  paths.result.relaxed_edges};
    return {};
}

Expected<PathResult> find_paths(PathOptions const& options, model::Graph const& graph) {
    PathResult result;
    result.delta = options.delta.value_or(model::default_delta(graph));
    if (result.delta == 0) {
        return input_error("--delta", "0 makes buckets of width 0", "give at least 1");
    }
    if (options.source >= graph.vertex_count()) {
        return input_error("--source",
                           std::to_string(options.source) + " is not a vertex of the graph",
                           "give 0 to " + std::to_string(graph.vertex_count() - 1));
    }
    auto const expected = model::dijkstra(graph, options.source);
    if (options.backend == "cuda") {
        KEYSWAP_RETURN_IF_ERROR(find_on_gpu(options, graph, result));
    } else if (options.method == "dijkstra") {
        result.run.distances = expected;
    } else {
        KEYSWAP_TRY(auto const method,
                    model::parse_path_method(options.method)
                        .map_error(about("--method " + options.method)));
        result.run = model::relax_in_rounds(graph, options.source, method, result.delta);
    }
    auto const& distances = result.run.distances;
    auto const [found, want] = std::ranges::mismatch(distances, expected);
    if (found != distances.end()) {
        result.first_wrong = static_cast<std::uint64_t>(found - distances.begin());
    }
    for (std::uint32_t const distance : distances) {
        if (distance != model::unreachable) {
            ++result.reached;
            result.farthest = std::max(result.farthest, distance);
        }
    }
    result.digest = model::distance_digest(distances);
    return result;
}

/// Predicts the time of the search; an error if the device's profile lacks a cost.
Expected<simulator::SearchTime>
predict_search(std::string const& device, std::string const& method, model::PathRun const& run) {
    KEYSWAP_TRY(auto const profile, simulator::load_rate_profile(device));
    auto const known = model::parse_path_method(method);
    if (!known) {
        return input_error("--device and --method " + method,
                           "only searches by rounds are predicted",
                           "leave one of them out");
    }
    auto const time =
        simulator::search_time(profile, *known, simulator::work_of(run.rounds, run.relaxed_edges));
    if (!time) {
        return input_error("--device",
                           "'" + device + "' has no costs of multisplits and sorts",
                           "choose one with [partition] and [radix], as h200");
    }
    return *time;
}

std::string_view drawn_text(model::DrawnParts drawn) {
    return drawn == model::DrawnParts::weights ? "weights" : "edges and weights";
}

void print_result_json(PathOptions const& options,
                       model::Graph const& graph,
                       PathResult const& result) {
    bool const draws = graph.drawn() != model::DrawnParts::nothing;
    Json json = json_result("sssp",
                            {{"graph", options.graph},
                             {"seed", draws ? Json(options.seed_used()) : Json(nullptr)},
                             {"drawn", draws ? Json(drawn_text(graph.drawn())) : Json(nullptr)},
                             {"source", options.source},
                             {"method", options.method},
                             {"delta", result.delta},
                             {"backend", options.backend}});
    json["vertices"] = graph.vertex_count();
    json["edges"] = graph.edge_count();
    json["reached"] = result.reached;
    json["farthest"] = result.farthest;
    json["relaxed_edges"] = result.run.relaxed_edges;
    json["distances"] = document(result.digest);
    if (!result.milliseconds.empty()) {
        json["milliseconds"] = result.milliseconds;
    }
    if (result.predicted) {
        json["predicted"] = {{"device", *options.device},
                             {"launches_ms", result.predicted->launches_ms},
                             {"relaxing_ms", result.predicted->relaxing_ms},
                             {"reorganising_ms", result.predicted->reorganising_ms},
                             {"total_ms", result.predicted->total_ms()}};
    }
    json["holds"] = !result.first_wrong.has_value();
    json["rounds"] = document(result.run.rounds);
    print_json(json, std::cout);
}

void print_rounds(std::vector<RelaxationRecord> const& rounds, bool all, std::ostream& out) {
    constexpr std::size_t shown_at_first = 10;
    Table const table(
        {{"round", 5}, {"pending", 12}, {"frontier", 12}, {"improved", 12}, {"nearer than", 14}});
    out << '\n' << table.header();
    for (std::size_t i = 0; i < rounds.size() && (all || i < shown_at_first); ++i) {
        RelaxationRecord const& round = rounds[i];
        out << table.row(round.round,
                         grouped_count(round.pending),
                         grouped_count(round.frontier),
                         grouped_count(round.improved),
                         grouped_count(round.split));
    }
    if (!all && rounds.size() > shown_at_first) {
        out << "... " << rounds.size() - shown_at_first << " more with --all\n";
    }
}

void print_result(PathOptions const& options, model::Graph const& graph, PathResult const& result) {
    std::ostream& out = options.files().text();
    out << "sssp: " << options.graph << ", " << counted(graph.vertex_count(), "vertex", "vertices")
        << ", " << counted(graph.edge_count(), "edge");
    if (graph.drawn() != model::DrawnParts::nothing) {
        out << ", seed " << options.seed_used();
    }
    if (graph.drawn() == model::DrawnParts::weights) {
        out << "\n  the file has no weights: they are drawn from 0 to " << model::random_weight_max
            << " by the seed";
    }
    out << "\n  from vertex " << options.source << " by " << options.method;
    if (options.method != "dijkstra") {
        out << " with Delta " << result.delta << ": " << counted(result.run.rounds.size(), "round")
            << ", " << counted(result.run.relaxed_edges, "edge") << " relaxed";
    }
    out << '\n';
    if (!result.run.rounds.empty()) {
        print_rounds(result.run.rounds, options.all, out);
    }
    if (!result.milliseconds.empty()) {
        double const median = result.milliseconds[result.milliseconds.size() / 2];
        out << "\non the GPU " << std::fixed << std::setprecision(3) << median << " ms, "
            << std::setprecision(1) << static_cast<double>(graph.edge_count()) / median / 1e3
            << " million edges of the graph per second (median of " << result.milliseconds.size()
            << ")\n";
    }
    if (result.predicted) {
        out << '\n'
            << formatted("predicted for %s: %.3f ms (launches %.3f, relaxing %.3f, reorganising "
                         "%.3f)\n",
                         printable_text(*options.device).c_str(),
                         result.predicted->total_ms(),
                         result.predicted->launches_ms,
                         result.predicted->relaxing_ms,
                         result.predicted->reorganising_ms);
    }
    out << '\n'
        << counted(result.reached, "vertex", "vertices") << " reached, the farthest at "
        << grouped_count(result.farthest) << '\n';
    if (result.first_wrong) {
        out << "VIOLATION: the distance of vertex " << *result.first_wrong
            << " is not Dijkstra's\n";
    } else {
        out << "All distances are those of Dijkstra's algorithm.\n";
    }
}

Expected<ExitCode> sssp(PathOptions const& options) {
    KEYSWAP_TRY(auto const gpu, gpu_of_backend(options.backend));
    if (options.runs && (!gpu || *options.runs < 1)) {
        return input_error("--runs " + std::to_string(*options.runs),
                           gpu ? "runs nothing" : "applies only to searches on a GPU",
                           gpu ? "give at least 1" : "add --backend cuda");
    }
    if ((options.record || options.delta) && options.method == "dijkstra") {
        return input_error(std::string(options.record ? "--record" : "--delta") +
                               " and --method dijkstra",
                           options.record ? "Dijkstra's algorithm has no rounds to record"
                                          : "Dijkstra's algorithm has no buckets",
                           "leave one of them out");
    }
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    KEYSWAP_TRY(auto trace, open_trace(options.record, std::nullopt));
    KEYSWAP_TRY(auto const graph, model::load_graph(options.graph, options.seed_used()));
    if (options.seed && graph.drawn() == model::DrawnParts::nothing) {
        return input_error(
            "--seed", "draws nothing: " + options.graph + " has weights", "leave it out");
    }
    KEYSWAP_TRY(auto result, find_paths(options, graph));
    if (options.device) {
        KEYSWAP_TRY(result.predicted, predict_search(*options.device, options.method, result.run));
    }
    if (trace) {
        RunHeader header = header_of(options, graph, result.delta);
        set_gpu(header, gpu);
        trace->write(header);
        model::record_paths(result.run, *trace);
        bool const holds = !result.first_wrong.has_value();
        trace->write(
            VerdictRecord{"distances", holds, holds ? "" : "not those of Dijkstra's algorithm"});
        KEYSWAP_RETURN_IF_ERROR(trace->finish());
    }
    options.json ? print_result_json(options, graph, result) : print_result(options, graph, result);
    return result.first_wrong ? ExitCode::violation : ExitCode::fine;
}

} // namespace

void add_sssp_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "sssp", "Shortest paths from one vertex by rounds of a multisplit, checked by Dijkstra");
    auto const options = std::make_shared<PathOptions>();
    command.add_option("--graph", options->graph, std::string(model::graph_forms))->required();
    command
        .add_option(
            "--seed", options->seed, "Seed of generated edges, and of weights that a file lacks")
        ->default_str("1");
    command.add_option("--source", options->source, "Vertex to start from, numbered from 0")
        ->capture_default_str();
    command.add_option("--method", options->method, "multisplit, bucketing, near-far or dijkstra")
        ->capture_default_str();
    command.add_option(
        "--delta", options->delta, "Width of a bucket (default: 32 x mean weight / mean degree)");
    command.add_option("--record", options->record, "Write a trace here, for 'keyswap verify'");
    add_force_option(command, options->existing);
    add_backend_option(
        command, options->backend, "cpu (the reference) or cuda (this machine's first GPU)");
    command.add_option("--runs", options->runs, "Number of searches to time on a GPU (default: 1)");
    command.add_option("--device",
                       options->device,
                       "Predict the time on this device too: rate profile by name or file");
    command.add_flag("--all", options->all, "List all rounds");
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, sssp);
}

} // namespace keyswap::tools
