#include "model/key_files/key_file.hpp"
#include "model/partition/bucket_rule_text.hpp"
#include "model/partition/record_multisplit.hpp"
#include "tools/backends/multisplit_run.hpp"
#include "tools/backends/operation_gpu.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/partition/multisplit_request.hpp"
#include "tools/commands/partition/operation_fields.hpp"
#include "tools/options/backend_option.hpp"
#include "tools/output/json_result.hpp"
#include "tools/output/operation_trace.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>

namespace keyswap::tools {

namespace {

/// Limit for the reference, which stores label and index of every key: 12 B in addition to keys and
/// values.
constexpr std::uint64_t key_count_most = std::uint64_t{1} << 28;

/// Names of the methods that ran, for a trace header; "all" means those of the reference.
std::string methods_text(MultisplitCommand const& options, MultisplitRun const& run) {
    if (options.method != "all" || options.backend == "cpu") {
        return options.method;
    }
    return joined_text(run.methods, ",", [](MethodRun const& one) { return one.partition.method; });
}

/// Writes the records of a run (traces/FORMAT.md, "Partitions").
void record_run(MultisplitRun const& run, RunHeader const& header, TraceSink& sink) {
    model::PartitionPlace const place;
    sink.write(header);
    sink.write(BucketFunctionRecord{place.function, {}, run.function});
    sink.write(model::histogram_record(place, run.counts));
    for (MethodRun const& one : run.methods) {
        sink.write(one.partition);
    }
    model::record_bucket_digests(place, run.digests, sink);
    sink.write(VerdictRecord{
        "partition", run.holds(), run.holds() ? "" : "a method does not give the partition"});
}

void print_result_json(MultisplitCommand const& options,
                       SortRequest const& request,
                       MultisplitRun const& run) {
    Json json =
        json_result("multisplit", multisplit_config(options, request, run.function.buckets));
    json.update(document(run));
    print_json(json, std::cout);
}

void print_result(MultisplitCommand const& options,
                  SortRequest const& request,
                  MultisplitRun const& run) {
    std::ostream& out = options.files().text();
    constexpr std::size_t shown = 16;
    out << "multisplit: " << input_text(request) << "\n  rule " << options.rule << ", "
        << counted(run.function.buckets, "bucket") << "\n\n";
    Table const buckets({{"bucket", 6}, {"start", 16}, {"keys", 16}});
    out << buckets.header();
    auto const starts = model::exclusive_sums(run.counts);
    for (std::size_t bucket = 0; bucket < std::min(shown, starts.size()); ++bucket) {
        out << buckets.row(
            bucket, grouped_count(starts[bucket]), grouped_count(run.counts[bucket]));
    }
    if (starts.size() > shown) {
        out << "... " << starts.size() - shown << " more with --json or --starts\n";
    }
    Table const methods({{"method", -18}, {"stable", -10}, {"output", -1}});
    out << '\n' << methods.header();
    for (MethodRun const& one : run.methods) {
        bool const stable = one.partition.stability == Stability::stable;
        out << methods.row(one.partition.method,
                           stable ? "yes" : "no",
                           !one.wrong.empty() ? "VIOLATION: " + one.wrong
                           : stable           ? "the one stable partition"
                                              : "every key in its bucket");
    }
}

Expected<void>
write_words(std::string const& path, KeyType type, std::span<std::byte const> bytes) {
    KEYSWAP_TRY(auto const writer, model::create_key_file(path, std::nullopt, type));
    KEYSWAP_RETURN_IF_ERROR(writer->write(bytes));
    return writer->finish();
}

Expected<ExitCode> split_keys(MultisplitJob job) {
    MultisplitCommand const& options = job.options;
    KEYSWAP_TRY(
        auto const run,
        job.gpu ? split_on_gpu(job.given, options.method, job.memory, job.request.config)
                : split_by_reference(job.given, options.method, job.memory, job.request.config));
    if (job.trace) {
        RunHeader header = operation_header(
            Operation::multisplit, methods_text(options, run), job.request, job.content);
        set_gpu(header, job.gpu);
        record_run(run, header, *job.trace);
        KEYSWAP_RETURN_IF_ERROR(job.trace->finish());
    }
    KEYSWAP_RETURN_IF_ERROR(write_outputs(job, model::exclusive_sums(run.counts)));
    options.json ? print_result_json(options, job.request, run)
                 : print_result(options, job.request, run);
    return run.holds() ? ExitCode::fine : ExitCode::violation;
}

Expected<void> check_key_count(std::uint64_t keys) {
    if (keys > key_count_most) {
        return input_error("keys",
                           grouped_count(keys) + " are more than the " +
                               grouped_count(key_count_most) + " that the reference splits",
                           "give fewer");
    }
    return {};
}

Expected<MultisplitJob> prepare(MultisplitCommand const& options) {
    KEYSWAP_TRY(auto gpu,
                options.to_owner
                    ? gpus_of_backend(options.backend, options.gpus, options.keys.gpu_count)
                    : gpu_of_backend(options.backend));
    if (options.gpus && !gpu) {
        return input_error("--gpus " + *options.gpus,
                           "names GPUs, and the reference uses none",
                           "add --backend cuda, or give --gpu-count");
    }
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    KEYSWAP_TRY(auto request, resolve(options.keys));
    KEYSWAP_TRY(auto trace, open_trace(options.record, options.keys.input));
    KEYSWAP_RETURN_IF_ERROR(check_key_count(options.keys.key_count.value_or(0)));
    KEYSWAP_TRY(auto memory, KeyMemory::load(request, KeyMemory::Use::replay, nullptr));
    KEYSWAP_RETURN_IF_ERROR(check_key_count(memory.key_count()));
    KEYSWAP_TRY(auto given,
                model::parse_bucket_rule(
                    options.rule, request.config.key_type, options.buckets, memory.key_count()));
    if (trace && given.function.buckets > model::recorded_buckets_max) {
        return input_error("--record",
                           "a trace holds at most " + grouped_count(model::recorded_buckets_max) +
                               " buckets, not " + grouped_count(given.function.buckets),
                           "give fewer --buckets");
    }
    MultisetDigest const content = memory.digest();
    return MultisplitJob{options,
                         std::move(gpu),
                         std::move(request),
                         std::move(trace),
                         std::move(memory),
                         std::move(given),
                         content};
}

Expected<ExitCode> multisplit(MultisplitCommand const& options) {
    KEYSWAP_TRY(auto job, prepare(options));
    return options.to_owner ? shuffle_keys(std::move(job)) : split_keys(std::move(job));
}

} // namespace

Json multisplit_config(MultisplitCommand const& options,
                       SortRequest const& request,
                       std::uint32_t buckets) {
    Json config{{"keys", request.config.key_count},
                {"type", to_string(request.config.key_type)},
                {"values", to_string(request.config.value_type)}};
    add_input(config, request);
    config["rule"] = options.rule;
    config["buckets"] = buckets;
    config["method"] = options.method;
    config["backend"] = options.backend;
    return config;
}

Expected<void> write_outputs(MultisplitJob& job, std::span<std::uint64_t const> starts) {
    if (job.options.starts) {
        KEYSWAP_RETURN_IF_ERROR(
            write_words(*job.options.starts, KeyType::u64, std::as_bytes(starts)));
    }
    if (job.options.output) {
        job.memory.restore_keys();
        return write_words(
            *job.options.output, job.request.config.key_type, job.memory.key_bytes());
    }
    return {};
}

void add_multisplit_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "multisplit", "Order keys by bucket, keeping their order within each, and check it");
    auto const options = std::make_shared<MultisplitCommand>();
    add_key_options(command, options->keys);
    command.add_option("--rule", options->rule, std::string(model::bucket_rule_forms))
        ->capture_default_str();
    command.add_option(
        "--buckets", options->buckets, "Number of buckets; required by delta and hash");
    command
        .add_option("--method",
                    options->method,
                    "all, or one of fused, direct, warp, block, reduced-bit, scan-split, "
                    "recursive-split, bit-split, iterative-split (cpu), split1, atomic")
        ->capture_default_str();
    command
        .add_option("--values",
                    options->keys.values,
                    "Bits of the input index that travels with each key: none, 32 or 64")
        ->capture_default_str();
    CLI::Option* const to_owner = command.add_flag(
        "--to-owner",
        options->to_owner,
        "Shuffle: each GPU splits its chunk, then every bucket goes whole to one GPU");
    command
        .add_option("--gpu-count",
                    options->keys.gpu_count,
                    "GPUs of a shuffle (cpu: default 8; cuda: all, or virtual ones on --gpus N)")
        ->needs(to_owner);
    command.add_option("--gpus", options->gpus, "GPUs of the shuffle, as 0,2,4-6 (cuda)")
        ->needs(to_owner);
    command
        .add_option("--owners",
                    options->owners,
                    "GPU of each bucket, as 0,0,1,1 (default: equal numbers of neighbouring "
                    "buckets, bucket b to GPU floor(b g / m))")
        ->needs(to_owner);
    command.add_option("--output", options->output, "Write the keys here, ordered by bucket");
    command.add_option(
        "--starts", options->starts, "Write the first index of each bucket here (u64)");
    command.add_option("--record", options->record, "Write a trace here, for 'keyswap verify'");
    add_backend_option(
        command,
        options->backend,
        "cpu (the reference) or cuda (this machine's first GPU, or those of a shuffle)");
    add_force_option(command, options->existing);
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, multisplit);
}

} // namespace keyswap::tools
