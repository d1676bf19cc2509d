#include "model/partition/record_multisplit.hpp"
#include "model/partition/value_histogram.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/backends/operation_gpu.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/backend_option.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/output/operation_trace.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>

namespace keyswap::tools {

namespace {

struct HistogramCommand {
    SortArguments keys;
    std::optional<std::uint32_t> bins;
    std::optional<std::string> range;
    std::optional<std::string> edges;
    std::optional<std::string> record;
    std::string backend = "cpu";
    Existing existing = Existing::keep;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {{{"--input", keys.input}, {"--edges", edges}},
                {{"--record", record, true}},
                json ? "--json" : "",
                existing};
    }
};

Expected<std::vector<KeyImage>> edges_of(HistogramCommand const& options, KeyType type) {
    return options.edges ? model::read_edges(*options.edges, type)
                         : model::even_edges(type, *options.range, *options.bins);
}

Expected<void> check_conflicts(HistogramCommand const& options) {
    if (options.edges && (options.bins || options.range)) {
        return input_error("--edges and --bins or --range",
                           "both specify the bins",
                           "give --edges alone, or --bins with --range");
    }
    if (!options.edges && !(options.bins && options.range)) {
        return input_error("--bins and --range, or --edges",
                           "are needed",
                           "for instance --bins 256 --range 0:1024");
    }
    return {};
}

struct Counted {
    SortRequest request;
    std::vector<KeyImage> edges;
    model::ValueHistogram histogram;
    MultisetDigest content; ///< of all keys
    bool holds = true;      ///< the GPU's counts equal the reference's
};

/// Writes a histogram as a bucket function given by its edges, and the bucket counts.
void record_counts(Counted const& counted, std::optional<RunHeader> const& gpu, TraceSink& sink) {
    RunHeader header = operation_header(Operation::histogram, "", counted.request, counted.content);
    set_gpu(header, gpu);
    sink.write(header);
    sink.write(BucketFunctionRecord{0, {}, model::edge_function(counted.edges)});
    HistogramRecord record{{}, GpuId{0}, 0, {counted.histogram.below}};
    record.counts.insert(
        record.counts.end(), counted.histogram.counts.begin(), counted.histogram.counts.end());
    record.counts.push_back(counted.histogram.above);
    record.function = 0;
    sink.write(record);
}

/// Counts with the kernels. \param memory has images; holds raw keys afterwards
Expected<model::ValueHistogram> count_on_gpu(HistogramCommand const& options,
                                             std::vector<KeyImage> const& edges,
                                             KeyType type,
                                             KeyMemory& memory) {
    kernels::HistogramOptions kernel;
    kernel.sample_type = type;
    kernel.edges = edges;
    kernel.spacing = options.edges ? kernels::BinSpacing::range : kernels::BinSpacing::even;
    memory.restore_keys();
    KEYSWAP_TRY(auto const counts,
                cuda::histogram(kernel, memory.key_bytes().data(), memory.key_count()));
    return model::ValueHistogram{
        counts.front(), {counts.begin() + 1, counts.end() - 1}, counts.back()};
}

Expected<Counted> count(HistogramCommand const& options, bool on_gpu) {
    KEYSWAP_TRY(auto request, resolve(options.keys));
    KEYSWAP_RETURN_IF_ERROR(check_conflicts(options));
    Progress progress("counting", 0);
    KEYSWAP_TRY(auto memory, KeyMemory::load(request, KeyMemory::Use::replay, &progress));
    KeyType const type = request.config.key_type;
    KEYSWAP_TRY(auto edges, edges_of(options, type));
    auto histogram = std::visit(
        [&]<class Image, class Value>(model::ReplayMemory<Image, Value> const& typed) {
            return model::value_histogram(
                std::span<Image const>(typed.arrays.keys), edges, key_bits(type));
        },
        memory.replay_memory());
    Counted counted{std::move(request), std::move(edges), std::move(histogram), memory.digest()};
    if (on_gpu) {
        KEYSWAP_TRY(auto counts, count_on_gpu(options, counted.edges, type, memory));
        counted.holds = counts == counted.histogram;
        counted.histogram = std::move(counts);
    }
    return counted;
}

/// The text of an edge; -0.0 is how edges of zero are stored.
std::string edge_name(SortShape const& keys, KeyImage edge) {
    std::string const name = key_name(keys, edge);
    return name == "-0" ? "0" : name;
}

void print_result_json(HistogramCommand const& options, Counted const& counted) {
    SortShape const& keys = counted.request.config;
    Json edges =
        json_array(counted.edges, [&](KeyImage const edge) { return edge_name(keys, edge); });
    Json config{{"keys", counted.request.config.key_count}, {"type", to_string(keys.key_type)}};
    add_input(config, counted.request);
    config["backend"] = options.backend;
    Json json = json_result("histogram", std::move(config));
    json["edges"] = std::move(edges);
    json["counts"] = counted.histogram.counts;
    json["below"] = counted.histogram.below;
    json["above"] = counted.histogram.above;
    json["holds"] = counted.holds;
    print_json(json, std::cout);
}

void print_result(Counted const& counted, std::ostream& out) {
    SortShape const& keys = counted.request.config;
    int width = 16;
    for (KeyImage const edge : counted.edges) {
        width = std::max(width, 2 + static_cast<int>(edge_name(keys, edge).size()));
    }
    Table const table({{"from", width}, {"to", width}, {"keys", 20}});
    out << "histogram: " << input_text(counted.request) << "\n\n"
        << Table({{"from", width - 4}, {"to (not included)", width + 13}, {"keys", 12}}).header();
    auto const line = [&](std::string const& from, std::string const& to, std::uint64_t count) {
        out << table.row(from, to, grouped_count(count));
    };
    line("", edge_name(keys, counted.edges.front()), counted.histogram.below);
    for (std::size_t bin = 0; bin < counted.histogram.counts.size(); ++bin) {
        line(edge_name(keys, counted.edges[bin]),
             edge_name(keys, counted.edges[bin + 1]),
             counted.histogram.counts[bin]);
    }
    line(edge_name(keys, counted.edges.back()), "", counted.histogram.above);
    if (!counted.holds) {
        out << "VIOLATION: these are not the reference's counts\n";
    }
}

Expected<ExitCode> histogram(HistogramCommand const& options) {
    KEYSWAP_TRY(auto const gpu, gpu_of_backend(options.backend));
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    KEYSWAP_TRY(auto trace, open_trace(options.record, options.keys.input));
    KEYSWAP_TRY(auto const counted, count(options, gpu.has_value()));
    if (trace) {
        if (counted.edges.size() >= model::recorded_buckets_max) {
            return input_error("--record",
                               "a trace holds at most " +
                                   grouped_count(model::recorded_buckets_max - 1) + " edges",
                               "give fewer bins");
        }
        record_counts(counted, gpu, *trace);
        KEYSWAP_RETURN_IF_ERROR(trace->finish());
    }
    options.json ? print_result_json(options, counted)
                 : print_result(counted, options.files().text());
    return counted.holds ? ExitCode::fine : ExitCode::violation;
}

} // namespace

void add_histogram_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand("histogram", "Count keys between edges");
    auto const options = std::make_shared<HistogramCommand>();
    add_key_options(command, options->keys);
    command.add_option("--bins", options->bins, "Number of bins of equal width; needs --range");
    command.add_option("--range", options->range, "LOWER:UPPER of all bins, UPPER not included");
    command.add_option("--edges", options->edges, "File of ascending edges: .csv, .npy or raw");
    command.add_option("--record", options->record, "Write a trace here, for 'keyswap verify'");
    add_force_option(command, options->existing);
    add_backend_option(
        command, options->backend, "cpu (the reference) or cuda (this machine's first GPU)");
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, histogram);
}

} // namespace keyswap::tools
