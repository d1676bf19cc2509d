#include "proptests/properties/reference_partition.hpp"

#include "model/buckets/chunks.hpp"
#include "model/distributions/counter_generator.hpp"
#include "model/graphs/delta_stepping.hpp"
#include "model/graphs/graph_generator.hpp"
#include "model/partition/label_column.hpp"
#include "model/partition/record_multisplit.hpp"
#include "model/partition/shuffle.hpp"
#include "model/partition/step_plan.hpp"
#include "model/verify/expected/input_keys.hpp"
#include "traces/format/trace_line.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;
using model::verify::RecordedRunSink;
using Words = std::vector<std::uint64_t>;

using Images = std::vector<model::uint128>;

/// Images of all keys that a header names.
std::optional<Images> images_of(RunHeader const& header) {
    auto const input = model::verify::find_input(header);
    if (!input || input->input == nullptr) {
        return std::nullopt;
    }
    Images images(input->input->key_count());
    input->input->images(0, std::span<model::uint128>(images));
    return images;
}

/// The methods named by a header; operations other than multisplits use the default one.
std::vector<model::MultisplitMethod const*> methods_of(RunHeader const& header,
                                                       std::uint32_t buckets) {
    bool const named = header.operation == Operation::multisplit;
    std::vector<model::MultisplitMethod const*> methods;
    for (model::MultisplitMethod const& method : model::multisplit_methods()) {
        bool const chosen = named ? header.variant == "all" || header.variant == method.name
                                  : method.name == "fused";
        if (chosen && model::takes(method, buckets)) {
            methods.push_back(&method);
        }
    }
    return methods;
}

/// The digest of a key, together with its value if the shape has values.
MultisetDigest element(SortShape const& shape, model::uint128 image, std::uint64_t value) {
    std::uint64_t const word = shape.value_type == ValueType::none ? 0 : value;
    return key_bits(shape.key_type) <= 64 ? digest_of(static_cast<std::uint64_t>(image), word)
                                          : digest_of_wide(model::key_image(image), word);
}

/// Keys, and values if any, with the scratch arrays for a partition.
struct Memory {
    SortShape shape;
    Images keys;
    Words values;
    Images key_scratch;
    Words value_scratch;

    [[nodiscard]] std::vector<std::uint32_t> labels(BucketFunction const& function,
                                                    std::span<std::uint32_t const> column) const {
        model::BucketEvaluator const evaluator(function, key_bits(shape.key_type), column);
        std::vector<std::uint32_t> labels(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            labels[i] = evaluator.bucket_of(keys[i], values[i]);
        }
        return labels;
    }
    /// Partitions the arrays into the scratch arrays.
    model::MultisplitOutcome carry_out(model::MultisplitMethod const& method,
                                       std::span<std::uint32_t const> labels,
                                       std::uint32_t buckets) {
        using Arrays = model::KeyArrays<model::uint128, std::uint64_t>;
        auto outcome = model::multisplit(
            method, labels, buckets, Arrays{keys, values}, Arrays{key_scratch, value_scratch});
        outcome.output = {}; // digest of the run's key and value widths
        for (std::size_t i = 0; i < keys.size(); ++i) {
            outcome.output += digest_at(i, element(shape, key_scratch[i], value_scratch[i]));
        }
        return outcome;
    }
    [[nodiscard]] std::vector<MultisetDigest> digests(std::span<std::uint32_t const> labels,
                                                      std::uint32_t buckets) const {
        std::vector<MultisetDigest> digests(buckets);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            digests[labels[i]] += element(shape, keys[i], values[i]);
        }
        return digests;
    }
};

Memory memory_of(RunHeader const& header, Images const& images, GpuId gpu) {
    model::Chunks const chunks(images.size(), static_cast<std::uint32_t>(header.gpus.size()));
    auto const range = chunks.of(gpu);
    Memory memory{static_cast<SortShape const&>(header), {}, {}, {}, {}};
    memory.keys.assign(images.begin() + static_cast<std::ptrdiff_t>(range.begin),
                       images.begin() + static_cast<std::ptrdiff_t>(range.end));
    memory.values.resize(memory.keys.size());
    std::iota(memory.values.begin(), memory.values.end(), range.begin);
    memory.key_scratch.resize(memory.keys.size());
    memory.value_scratch.resize(memory.keys.size());
    return memory;
}

/// A GPU's keys per bucket after its last step.
struct SplitPart {
    std::vector<std::uint64_t> counts;   ///< [m]
    std::vector<MultisetDigest> digests; ///< [m], or empty if keys are only counted
};

SplitPart record_part(PartitionCase const& one, Memory& memory, GpuId gpu, TraceSink& sink) {
    bool const counts_alone = one.header.operation == Operation::histogram;
    SplitPart part;
    for (std::size_t i = 0; i < one.functions.size(); ++i) {
        model::PartitionPlace const place{
            static_cast<int>(i) + 1, gpu, static_cast<std::uint32_t>(i)};
        BucketFunction const& function = one.functions[i];
        auto const labels = memory.labels(function, one.column);
        auto const counts = model::bucket_counts(labels, function.buckets);
        HistogramRecord histogram = model::histogram_record(place, counts);
        if (counts_alone) {
            histogram.step.reset();
        }
        sink.write(histogram);
        part = {counts, {}};
        if (counts_alone) {
            continue;
        }
        auto const digests = memory.digests(labels, function.buckets);
        for (model::MultisplitMethod const* const method :
             methods_of(one.header, function.buckets)) {
            sink.write(model::partition_record(
                place, counts, *method, memory.carry_out(*method, labels, function.buckets)));
        }
        model::record_bucket_digests(place, digests, sink);
        part.digests = digests;
        std::swap(memory.keys, memory.key_scratch);
        std::swap(memory.values, memory.value_scratch);
    }
    return part;
}

bool has_given_owners(RunHeader const& header) {
    auto const found = header.parameters.find(std::string(model::given_owners_parameter));
    return found != header.parameters.end() && found->second == 1;
}

/// \param parts [g]
void record_exchange(PartitionCase const& one,
                     std::vector<SplitPart> const& parts,
                     TraceSink& sink) {
    auto const gpu_count = static_cast<std::uint32_t>(parts.size());
    auto const owners = has_given_owners(one.header)
                            ? one.owners
                            : model::even_owners(one.functions.back().buckets, gpu_count);
    std::vector<Words> counts(parts.size());
    std::ranges::transform(parts, counts.begin(), &SplitPart::counts);
    model::Shuffle const shuffle = model::plan_shuffle(counts, owners);
    std::vector<MultisetDigest> arrivals(shuffle.placements.size());
    for (std::size_t place = 0; place < arrivals.size(); ++place) {
        for (SplitPart const& part : parts) {
            arrivals[place] += part.digests[shuffle.placements[place].bucket.prefix];
        }
    }
    model::record_exchange(shuffle, arrivals, sink);
}

/// True if parameters and owners match the header's operation, with or without an exchange.
bool names_an_exchange(PartitionCase const& one) {
    RunHeader const& header = one.header;
    if (!model::is_shuffle(header)) {
        // Parameters of a sort belong to its algorithm.
        return !header.layout && (header.operation == Operation::sort || header.parameters.empty());
    }
    auto const gpu_count = static_cast<std::uint32_t>(header.gpus.size());
    return header.layout == SwapLayout::by_bucket && header.parameters.size() == 1 &&
           header.parameters.contains(std::string(model::given_owners_parameter)) &&
           header.parameters.begin()->second <= 1 &&
           (!has_given_owners(header) || (one.owners.size() == one.functions.back().buckets &&
                                          std::ranges::all_of(one.owners, [&](GpuId owner) {
                                              return owner.value < gpu_count;
                                          })));
}

bool names_a_run(PartitionCase const& one) {
    RunHeader const& header = one.header;
    bool const functions_are_valid =
        std::ranges::all_of(one.functions, [&](BucketFunction const& function) {
            bool const by_labels = std::holds_alternative<LabelBuckets>(function.rule);
            return model::validated(function, key_bits(header.key_type)).has_value() &&
                   !std::holds_alternative<ForeignBuckets>(function.rule) &&
                   (!by_labels || (one.column.size() == header.key_count &&
                                   std::ranges::all_of(one.column, [&](std::uint32_t label) {
                                       return label < function.buckets;
                                   })));
        });
    bool const one_step = header.operation == Operation::sort || one.functions.size() == 1;
    bool const has_methods = header.operation != Operation::multisplit ||
                             !methods_of(header, one.functions.front().buckets).empty();
    return functions_are_valid && one_step && has_methods && !header.gpus.empty() &&
           names_an_exchange(one) && header.operation != Operation::sssp;
}

RunHeader any_partition_header(Operation operation) {
    using rc::gen::element;
    using rc::gen::inRange;
    RunHeader header;
    header.version = 2;
    header.program = "keyswap";
    header.algorithm = to_string(operation);
    header.operation = operation;
    header.virtual_gpus = true;
    header.key_count = *element<std::uint64_t>(0, 1, 2, 31, 97, 128, 150, 200, 250, 300);
    header.gpus.assign(*element<std::size_t>(1, 1, 2, 3), 0);
    header.key_type =
        *element(KeyType::u32, KeyType::u64, KeyType::i32, KeyType::f64, KeyType::i128);
    header.value_type = *element(ValueType::none, ValueType::bits32);
    header.input.distribution = *element<std::string>("uniform", "zipf", "gaussian", "zero");
    header.input.seed = *inRange<std::uint64_t>(0, 1'000'000);
    header.input.generator_version = model::generator_version;
    return header;
}

SplitterBuckets splitters_among(Images const& images, Tie tie) {
    SplitterBuckets rule;
    rule.tie = tie;
    std::set<model::uint128> chosen;
    int const count = *rc::gen::element(0, 1, 2, 3, 5, 8);
    for (int i = 0; i < count && !images.empty(); ++i) {
        chosen.insert(images[*rc::gen::inRange<std::size_t>(0, images.size())]);
    }
    for (model::uint128 const image : chosen) {
        rule.splitters.push_back(model::key_image(image));
        rule.equality.push_back(tie == Tie::left && *rc::gen::element(true, false, false, false));
    }
    return rule;
}

/// A label column and its file.
BucketFunction any_labels(PartitionCase& one, testing::TemporaryFolder const& folder) {
    auto const buckets = *rc::gen::element<std::uint32_t>(1, 2, 5, 40);
    one.column.resize(one.header.key_count);
    std::ranges::generate(one.column, [&] { return *rc::gen::inRange<std::uint32_t>(0, buckets); });
    static int files = 0;
    auto const path = folder / ("labels-" + std::to_string(files++));
    auto const bytes = std::as_bytes(std::span(one.column));
    testing::put_text(path, std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size()));
    return {buckets, LabelBuckets{model::label_digest(one.column), path.string()}};
}

} // namespace

rc::Gen<PartitionCase> any_multisplit(testing::TemporaryFolder const& folder) {
    return rc::gen::exec([&folder] {
        PartitionCase one;
        one.header = any_partition_header(Operation::multisplit);
        int const bits = key_bits(one.header.key_type);
        auto const buckets = *rc::gen::element<std::uint32_t>(1, 2, 3, 10, 32, 33);
        int const rule = *rc::gen::element(0, 1, 2, 3, 3, 4, 5, 5);
        switch (rule == 2 && bits > 64 ? 3 : rule) { // no primes of 128 bits
        case 0: {
            int const width = *rc::gen::element(1, 2, 5);
            one.functions = {model::digit_function(*rc::gen::inRange(0, bits - width + 1), width)};
            break;
        }
        case 1:
            one.functions = {model::delta_function(bits, buckets)};
            break;
        case 2:
            one.functions = {{2, PrimeBuckets{}}};
            break;
        case 3:
            one.functions = {{buckets, HashBuckets{*rc::gen::arbitrary<std::uint64_t>()}}};
            break;
        case 4:
            one.functions = {any_labels(one, folder)};
            break;
        default:
            one.functions = {model::splitter_function(
                splitters_among(images_of(one.header).value_or(Images()),
                                *rc::gen::element(Tie::left, Tie::right)))};
        }
        auto const methods = model::multisplit_methods();
        auto const& method = methods[*rc::gen::inRange<std::size_t>(0, methods.size())];
        bool const alone =
            *rc::gen::element(true, false) && model::takes(method, one.functions.front().buckets);
        one.header.variant = alone ? std::string(method.name) : "all";
        return one;
    });
}

rc::Gen<PartitionCase> any_shuffle(testing::TemporaryFolder const& folder) {
    return rc::gen::exec([&folder] {
        PartitionCase one = *any_multisplit(folder);
        bool const given = *rc::gen::element(true, false);
        one.header.layout = SwapLayout::by_bucket;
        one.header.parameters = {{std::string(model::given_owners_parameter), given ? 1 : 0}};
        auto const gpu_count = static_cast<std::uint32_t>(one.header.gpus.size());
        if (given) {
            one.owners.resize(one.functions.front().buckets);
            std::ranges::generate(one.owners, [gpu_count] {
                return GpuId{*rc::gen::inRange<std::uint32_t>(0, gpu_count)};
            });
        }
        return one;
    });
}

rc::Gen<PartitionCase> any_histogram_case(testing::TemporaryFolder const& folder) {
    return rc::gen::map(any_multisplit(folder), [](PartitionCase one) {
        one.header.algorithm = "histogram";
        one.header.variant = "";
        one.header.operation = Operation::histogram;
        return one;
    });
}

rc::Gen<PartitionCase> any_sort_by_steps() {
    return rc::gen::exec([] {
        PartitionCase one;
        one.header = any_partition_header(Operation::sort);
        one.header.algorithm = "steps";
        one.header.gpus = {0};
        one.functions = model::digit_steps(
            model::even_digits(key_bits(one.header.key_type), *rc::gen::element(5, 8, 11)));
        return one;
    });
}

std::optional<RecordedRun> record_partitions(PartitionCase const& one) {
    if (one.functions.empty() || !names_a_run(one)) {
        return std::nullopt;
    }
    auto const images = images_of(one.header);
    if (!images) {
        return std::nullopt;
    }
    RunHeader header = one.header;
    header.input.content = MultisetDigest{};
    for (std::size_t i = 0; i < images->size(); ++i) {
        *header.input.content += element(header, (*images)[i], i);
    }
    RecordedRunSink sink("reference");
    sink.write(header);
    for (std::size_t i = 0; i < one.functions.size(); ++i) {
        sink.write(BucketFunctionRecord{static_cast<std::uint32_t>(i), {}, one.functions[i]});
    }
    std::vector<SplitPart> parts;
    for (GpuId gpu{0}; gpu.value < one.header.gpus.size(); ++gpu.value) {
        Memory memory = memory_of(one.header, *images, gpu);
        parts.push_back(record_part(one, memory, gpu, sink));
    }
    if (model::is_shuffle(header)) {
        record_exchange(one, parts, sink);
    }
    sink.write(PhaseTimeRecord{GpuId{0}, PhaseName::of("multisplit"), 0, 10, 30});
    if (header.operation != Operation::histogram) {
        bool const sorts = header.operation == Operation::sort;
        sink.write(VerdictRecord{sorts ? "sorted" : "partition", true, {}});
    }
    return std::move(sink.run());
}

PartitionCase case_of(RecordedRun const& run, std::vector<std::uint32_t> column) {
    PartitionCase one{run.header, {}, std::move(column), {}};
    for (BucketFunctionRecord const& record : run.functions) {
        one.functions.push_back(record.function);
    }
    if (model::is_shuffle(run.header) && !one.functions.empty()) {
        // Owners of empty buckets are unknown.
        one.owners = model::even_owners(one.functions.back().buckets, run.gpu_count());
        for (PlacementRecord const& record : run.placements) {
            if (record.bucket.prefix < one.owners.size()) {
                one.owners[record.bucket.prefix] = record.first;
            }
        }
    }
    return one;
}

std::optional<SequenceDigest> output_by(RecordedRun const& run,
                                        BucketFunction const& function,
                                        std::string_view method,
                                        GpuId gpu) {
    auto const found = model::find_multisplit_method(method);
    auto const images = images_of(run.header);
    if (!found || !images || !model::takes(**found, function.buckets) ||
        !model::validated(function, key_bits(run.header.key_type)) ||
        std::holds_alternative<LabelBuckets>(function.rule)) {
        return std::nullopt;
    }
    Memory memory = memory_of(run.header, *images, gpu);
    auto const labels = memory.labels(function, {});
    return memory.carry_out(**found, labels, function.buckets).output;
}

std::optional<SequenceDigest> table_of(PartitionCase const& one, PartitionRecord const& record) {
    auto const images = images_of(one.header);
    if (!images || record.function >= one.functions.size() || record.step != 1 ||
        record.tile_keys == 0) {
        return std::nullopt;
    }
    BucketFunction const& function = one.functions[record.function];
    auto const labels = memory_of(one.header, *images, record.gpu).labels(function, one.column);
    auto table = model::scanned_table(labels, function.buckets, record.tile_keys);
    return model::sequence_digest(model::KeyArrays<std::uint64_t, model::NoValue>{table, {}});
}

rc::Gen<RunHeader> any_path_header() {
    return rc::gen::exec([] {
        using rc::gen::element;
        using rc::gen::inRange;
        RunHeader header;
        header.version = 2;
        header.program = "keyswap";
        header.algorithm = "sssp";
        header.variant = *element<std::string>("multisplit", "bucketing", "near-far");
        header.operation = Operation::sssp;
        header.gpus = {0};
        header.virtual_gpus = true;
        header.input.distribution = *element<std::string>(
            "grid:2", "grid:5", "grid:8", "rmat:4:3", "rmat:5:4", "power:3:4");
        header.input.seed = *inRange<std::uint64_t>(0, 1'000'000);
        header.input.generator_version = model::graph_generator_version;
        auto const graph = model::load_graph(header.input.distribution, header.input.seed);
        header.key_count = graph->vertex_count();
        header.parameters = {{"delta", *element<std::uint64_t>(1, 40, 300, 5000)},
                             {"source", *inRange<std::uint64_t>(0, header.key_count)}};
        return header;
    });
}

std::optional<RecordedRun> record_search(RunHeader const& header) {
    auto const method = model::parse_path_method(header.variant);
    auto const graph = model::load_graph(header.input.distribution, header.input.seed);
    bool const names_a_search = method && graph && header.operation == Operation::sssp &&
                                header.input.generator_version == model::graph_generator_version &&
                                header.parameters.size() == 2 &&
                                header.parameters.contains("delta") &&
                                header.parameters.contains("source");
    if (!names_a_search || graph->vertex_count() != header.key_count) {
        return std::nullopt;
    }
    std::uint64_t const source = header.parameters.at("source");
    std::uint64_t const delta = header.parameters.at("delta");
    if (source >= header.key_count || delta == 0 || delta >> 32 != 0) {
        return std::nullopt;
    }
    RecordedRunSink sink("reference");
    sink.write(header);
    model::record_paths(
        model::relax_in_rounds(
            *graph, static_cast<std::uint32_t>(source), *method, static_cast<std::uint32_t>(delta)),
        sink);
    sink.write(VerdictRecord{"distances", true, {}});
    return std::move(sink.run());
}

void showValue(PartitionCase const& one, std::ostream& out) {
    out << encode_line(TraceRecord{one.header}, one.header.version);
    for (BucketFunction const& function : one.functions) {
        out << encode_line(TraceRecord{BucketFunctionRecord{0, {}, function}}, one.header.version);
    }
}

} // namespace keyswap::proptests
