#include "model/external/record_stream.hpp"
#include "model/key_files/key_file.hpp"
#include "model/ranks/agreement.hpp"
#include "model/ranks/rank_files.hpp"
#include "tools/backends/available_memory.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/build/build_info.hpp"
#include "tools/commands/sort/external_trace.hpp"
#include "tools/commands/sort/sort_command.hpp"
#include "tools/external/external_sort.hpp"
#include "tools/external/memory_sort.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/output/operation_trace.hpp"
#include "tools/record/process/deferred_signals.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

namespace fs = std::filesystem;

/// An opened input and the layout of its records.
struct Opened {
    model::RecordLayout layout;
    ExternalInput input;
};

/// Opens records of a raw file, compressed or not.
Expected<Opened>
open_records(SortCommand const& options, std::string const& name, std::string const& path) {
    KEYSWAP_TRY(auto const direction, parse_direction(options.sort.direction));
    KEYSWAP_TRY(auto const layout, parse_layout(options.records, options.sort.type, direction));
    KEYSWAP_TRY(auto const identity, identity_of(path));
    KEYSWAP_TRY(bool const is_stream, model::needs_record_stream(path));
    if (is_stream) {
        KEYSWAP_RETURN_IF_ERROR(model::open_record_stream(path, layout));
        return Opened{layout, {identity, 0, 0, [path, layout] {
                                   return model::open_record_stream(path, layout);
                               }}};
    }
    if (identity.size_bytes % layout.record_bytes != 0) {
        return input_error(display_name(name),
                           "has " + grouped_count(identity.size_bytes) +
                               " bytes, not a multiple of --record-bytes " +
                               std::to_string(layout.record_bytes),
                           "give the size of its records");
    }
    return Opened{layout, {identity, 0, identity.size_bytes / layout.record_bytes, {}}};
}

/// \param first layout of the first input, whose key type is required; null for the first itself
Expected<Opened> open_external_keys(SortCommand const& options,
                                    std::string const& name,
                                    std::string const& path,
                                    model::RecordLayout const* first) {
    KEYSWAP_TRY(auto const direction, parse_direction(options.sort.direction));
    model::KeyFileOptions file;
    KEYSWAP_TRY(file.format, model::parse_key_file_format(options.sort.format.value_or("auto")));
    file.column = options.sort.column;
    if (options.sort.type) {
        KEYSWAP_TRY(file.key_type, parse_sorted_type(*options.sort.type));
    } else if (first != nullptr) {
        file.key_type = first->key_type;
        file.type_of = "the keys of " + display_name(*options.sort.input);
    }
    file.is_part = !options.more_inputs.empty();
    KEYSWAP_TRY(auto const reader, model::open_key_file(path, file));
    if (reader->narrow_type()) {
        return input_error(display_name(name),
                           "has keys of fewer than 32 bits, which sorts do not support",
                           "give a file of wider keys");
    }
    KEYSWAP_TRY(auto const identity, identity_of(path));
    auto const layout = model::layout_of_keys(reader->key_type(), direction);
    if (reader->file_offset_bytes() && reader->key_count()) {
        return Opened{layout, {identity, *reader->file_offset_bytes(), *reader->key_count(), {}}};
    }
    return Opened{layout, {identity, 0, 0, [path, file] {
                               return model::open_key_file(path, file).map(model::stream_of_keys);
                           }}};
}

/// Function that writes the header of an output, if its format has one.
Expected<std::function<std::string(std::uint64_t)>>
output_header(SortCommand const& options, model::RecordLayout const& layout) {
    KEYSWAP_TRY(auto const given,
                model::parse_key_file_format(options.output_format.value_or("auto")));
    if (options.records.bytes) {
        KEYSWAP_RETURN_IF_ERROR(expect_raw_records(*options.output, given));
    }
    KEYSWAP_TRY(auto const format, model::format_to_write(*options.output, given));
    if (format == model::KeyFileFormat::csv) {
        return input_error(*options.output,
                           "would be text, but an external sort writes ranges at "
                           "fixed places of the file",
                           "give --output-format raw or npy");
    }
    if (format == model::KeyFileFormat::raw) {
        return std::function<std::string(std::uint64_t)>();
    }
    if (traits_of(layout.key_type).numpy.empty()) {
        return input_error(*options.output,
                           "would hold " + to_string(layout) + ", for which .npy has no type",
                           "give --output-format raw");
    }
    return std::function<std::string(std::uint64_t)>([type = layout.key_type](std::uint64_t count) {
        return model::npy_header_text({type, count});
    });
}

/// \param sorts number of concurrent sorts in this process
/// \param interrupted memory limit of the interrupted sort to continue; nullopt if there is none
Expected<std::uint64_t> memory_of(SortCommand const& options,
                                  std::uint32_t sorts,
                                  std::optional<std::uint64_t> interrupted) {
    auto const available = available_memory_bytes();
    if (options.memory && available && *options.memory > *available / sorts) {
        return input_error(
            "--memory " + grouped_count(*options.memory),
            (sorts > 1 ? "for each of " + counted(sorts, "rank") + ' ' : std::string()) +
                "is more than the " + grouped_count(*available) + " bytes that are available",
            sorts > 1 ? "give less" : "give less, or leave it out: half of that is taken");
    }
    if (options.memory || interrupted) {
        return options.memory ? *options.memory : *interrupted;
    }
    if (!available) {
        return input_error("--memory",
                           "is needed, as this system does not say how much memory "
                           "is available",
                           "give it, for instance --memory 2G");
    }
    return std::max(*available / 2, model::external_memory_min);
}

std::string opening_line(SortCommand const& options, ExternalJob const& job) {
    bool const is_held = job.range_storage == RangeStorage::memory;
    return "sort: " + (job.is_streamed() ? "" : grouped_count(job.record_count()) + ' ') +
           to_string(job.layout) + " of " + display_name(*options.sort.input) +
           (!options.more_inputs.empty()
                ? " and " + counted(options.more_inputs.size(), "other file")
                : "") +
           ", " + options.sort.direction + ", in " +
           size_text(static_cast<double>(job.memory_bytes)) +
           (options.memory || is_held ? " of memory" : " of memory (half of what is available)") +
           (job.rank_count > 1 ? " on each of " + counted(job.rank_count, "rank") : "") +
           ", by ranges " +
           (is_held ? "held there" : "in " + printable_text(job.scratch.string())) +
           (job.gpu_records_max ? ", each sorted by " + job.engine->name() + " (room for " +
                                      grouped_count(*job.gpu_records_max) +
                                      (job.layout.is_plain_key() ? " keys)" : " records)")
                                : "") +
           '\n';
}

void print_result(ExternalJob const& job, ExternalResult const& result, std::ostream& out) {
    auto const bytes = [](std::uint64_t count) { return size_text(static_cast<double>(count)); };
    double const seconds = result.partition_seconds + result.sort_seconds;
    auto const rate = static_cast<double>(result.read_bytes + result.written_bytes) / seconds;
    out << (result.continued ? "Continued an interrupted sort.\n" : "")
        << counted(result.range_count, "range") << " of keys";
    if (result.single_valued_ranges > 0) {
        out << ", " << grouped_count(result.single_valued_ranges)
            << " of a single value, which needs no sort";
    }
    out << ".\n";
    if (result.oversized_records > 0) {
        out << grouped_count(result.oversized_records)
            << " records were read and written once more: their range did not fit, or memory has "
               "buffers for fewer ranges.\n";
    }
    out << "Read " << bytes(result.read_bytes) << ", wrote " << bytes(result.written_bytes)
        << " for " << bytes(result.record_count * job.layout.record_bytes) << " of records"
        << (job.is_streamed() && !result.continued
                ? "; one more pass counted and sampled the stream"
                : "")
        << ".\n"
        << "Partitioned in " << printed("%.2f", result.partition_seconds) << " s, sorted in "
        << printed("%.2f", result.sort_seconds) << " s (" << size_text(rate)
        << "/s read and written); buffers took at most " << bytes(result.buffer_bytes) << ".\n"
        << "Checked while it was written:\n  sorted      holds\n  permutation holds\n";
}

/// Busy seconds of each stage.
Json stages_json(StageSeconds const& stages, char const* work) {
    return {{"read", stages.read}, {work, stages.work}, {"write", stages.write}};
}

Json external_result_json(SortCommand const& options,
                          ExternalJob const& job,
                          ExternalResult const& result) {
    auto json = json_result(
        "sort",
        {{"input", *options.sort.input},
         {"records", result.record_count},
         {"record_bytes", job.layout.record_bytes},
         {"key_offset", job.layout.key_offset},
         {"key_bytes", job.layout.key_bytes},
         {"type", to_string(job.layout.key_type)},
         {"direction", options.sort.direction},
         {"memory", job.memory_bytes},
         {"scratch",
          job.range_storage == RangeStorage::memory ? Json() : Json(job.scratch.string())}});
    if (!options.more_inputs.empty()) {
        json["inputs"] = options.inputs();
    }
    if (job.rank_count > 1) {
        json["ranks"] = job.rank_count;
    }
    if (job.gpu_records_max) {
        json["engine"] = job.engine->name();
        json["gpu_records_max"] = *job.gpu_records_max;
    }
    json["holds"] = true;
    json["ranges"] = result.range_count;
    json["single_valued_ranges"] = result.single_valued_ranges;
    json["oversized_records"] = result.oversized_records;
    json["read_bytes"] = result.read_bytes;
    json["written_bytes"] = result.written_bytes;
    json["buffer_bytes"] = result.buffer_bytes;
    json["continued"] = result.continued;
    json["partition_seconds"] = result.partition_seconds;
    json["sort_seconds"] = result.sort_seconds;
    json["partition_stages"] = stages_json(result.partition_stages, "distribute");
    json["sort_stages"] = stages_json(result.sort_stages, "sort");
    json["digest"] = {{"count", result.digest.count},
                      {"low", hash_text(result.digest.low)},
                      {"high", hash_text(result.digest.high)}};
    return json;
}

/// Ranges are written at offsets, so the output must be a regular file in an existing folder.
Expected<void> check_output(fs::path const& output) {
    std::error_code error;
    if (fs::is_symlink(output, error)) { // valid links have been resolved
        return input_error(
            output.string(), "is a symbolic link to a file that does not exist", "name that file");
    }
    bool const is_special = fs::exists(output, error) && !fs::is_regular_file(output, error);
    if (is_special || !fs::is_directory(output.parent_path(), error)) {
        return input_error(output.string(),
                           is_special ? "is not a regular file"
                                      : "lies in a folder that does not exist",
                           "choose a file in an existing folder that you may write to");
    }
    return {};
}

/// Output names: one, or with --output-parts one per part, with its number in place of {part}.
Expected<std::vector<std::string>> output_names(SortCommand const& options) {
    constexpr std::string_view number_place = "{part}";
    if (!options.output_parts) {
        return std::vector<std::string>{*options.output};
    }
    if (options.output->find(number_place) == std::string::npos) {
        return input_error("--output " + printable_text(*options.output),
                           "has no {part}, by which --output-parts names its files",
                           "write it where the number belongs: sorted-{part}.u64");
    }
    std::size_t const digits = std::to_string(*options.output_parts - 1).size();
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < *options.output_parts; ++i) {
        std::string number = std::to_string(i);
        number.insert(0, digits - number.size(), '0'); // so that names ascend, too
        names.push_back(model::with_number(*options.output, number_place, number));
    }
    return names;
}

/// The job without its inputs. \param ranks null if this process sorts alone
Expected<ExternalJob> make_job(SortCommand const& options, model::Communicator const* ranks) {
    ExternalJob job;
    job.rank = ranks != nullptr ? ranks->rank() : 0;
    job.rank_count = ranks != nullptr ? ranks->size() : 1;
    std::uint32_t const sorts = options.runs_on.is_mpi() ? 1 : job.rank_count;
    job.program = build_sentence();
    KEYSWAP_TRY(auto const names, output_names(options));
    for (std::string const& name : names) {
        job.outputs.push_back(fs::weakly_canonical(fs::absolute(name)));
        KEYSWAP_RETURN_IF_ERROR(check_output(job.outputs.back()));
    }
    // A subfolder of our own, so that it contains no other files.
    fs::path const output = fs::weakly_canonical(fs::absolute(*options.output));
    fs::path const folder =
        options.scratch ? fs::path(*options.scratch) : job.outputs[0].parent_path();
    job.scratch = fs::absolute(folder / (output.filename().string() + ".scratch"));
    job.existing = options.existing;
    unsigned const threads =
        options.runs_on.threads.value_or(std::thread::hardware_concurrency() / sorts);
    job.threads = std::max(1U, threads);
    KEYSWAP_TRY(job.memory_bytes, memory_of(options, sorts, Manifest::memory_bytes(job)));
    return job;
}

/// Returns an error if an output exists, unless the same sort completed it before it was
/// interrupted.
Expected<void> check_sort_files(SortCommand const& options, ExternalJob const& job) {
    CommandFiles files = options.files();
    if (job.outputs.size() > 1 || Manifest::has_completed(job, 0)) {
        std::erase_if(files.written,
                      [](NamedFile const& file) { return file.option == "--output"; });
    }
    KEYSWAP_RETURN_IF_ERROR(check_files(files));
    for (std::size_t i = 0; i < job.outputs.size(); ++i) {
        if (!Manifest::has_completed(job, i)) {
            KEYSWAP_RETURN_IF_ERROR(
                check_existing("--output", job.outputs[i].string(), job.existing));
        }
    }
    return {};
}

/// Returns an error if an input is the same file as an output, complete or partial.
Expected<void>
check_input(std::string const& name, std::string const& path, ExternalJob const& job) {
    std::error_code error;
    for (std::size_t i = 0; i < job.outputs.size(); ++i) {
        for (fs::path const& written : {job.outputs[i], job.partial(i)}) {
            if (fs::equivalent(path, written, error)) {
                return input_error(display_name(name),
                                   "is read and would be overwritten",
                                   "choose another name for the output");
            }
        }
    }
    return {};
}

/// Opens the inputs and stores them and their layout in `out`.
Expected<void> open_inputs(SortCommand const& options, ExternalJob& out) {
    std::optional<model::RecordLayout> layout;
    for (std::string const& name : options.inputs()) {
        KEYSWAP_TRY(auto const path, readable_path(name));
        KEYSWAP_RETURN_IF_ERROR(check_input(name, path, out));
        KEYSWAP_TRY(auto opened,
                    options.records.bytes
                        ? open_records(options, name, path)
                        : open_external_keys(options, name, path, layout ? &*layout : nullptr));
        layout = layout.value_or(opened.layout);
        out.inputs.push_back(std::move(opened.input));
    }
    out.layout = *layout;
    KEYSWAP_TRY(out.header, output_header(options, out.layout));
    return {};
}

/// Kernel options for sorting ranges on GPUs.
Expected<kernels::SortOptions> range_options(SortCommand const& options, SortShape const& shape) {
    SortArguments arguments;
    arguments.gpu_count = options.sort.gpu_count;
    arguments.algorithm = options.sort.algorithm;
    if (!arguments.algorithm.name && key_size_bytes(shape.key_type) > sizeof(std::uint64_t)) {
        arguments.algorithm.name = kernels::wide_gpu_sorts().front();
    }
    KEYSWAP_TRY(auto const devices, resolve_gpus(options.runs_on.without_threads(), arguments));
    KEYSWAP_TRY(auto request, resolve_sort(arguments));
    static_cast<SortShape&>(request.config) = shape;
    KEYSWAP_TRY(auto kernel, kernel_options(request, devices));
    kernel.stability = shape.stability; // algorithms without it are refused
    return kernel;
}

/// Chooses the engine that sorts ranges and, on GPUs, the maximum records per range.
Expected<void> choose_engine(SortCommand const& options, ExternalJob& out) {
    if (!options.runs_on.is_cuda()) {
        out.engine = make_cpu_range_engine(out.threads);
        return {};
    }
    KEYSWAP_TRY(auto const kernel, range_options(options, range_shape(out.layout)));
    out.gpu_records_max = Manifest::gpu_records_max(out);
    if (options.gpu_memory || !out.gpu_records_max) {
        KEYSWAP_TRY(out.gpu_records_max, cuda::range_keys_that_fit(kernel, options.gpu_memory));
    }
    KEYSWAP_TRY(out.engine, cuda::range_engine(kernel));
    return {};
}

/// Holds ranges in memory if they fit, so that no scratch files are written.
void choose_range_storage(SortCommand const& options, ExternalJob& out) {
    bool const possible = out.gpu_records_max && !options.scratch && out.rank_count == 1 &&
                          !out.is_streamed() && !Manifest::memory_bytes(out);
    if (!possible) {
        return;
    }
    ExternalJob held = out;
    held.range_storage = RangeStorage::memory;
    if (std::uint64_t const needed = memory_to_hold_ranges(out); !options.memory) {
        // Leaves an eighth of the available memory to other programs.
        std::uint64_t const available = available_memory_bytes().value_or(0);
        held.memory_bytes = needed <= available - available / 8 ? needed : 0;
    }
    if (can_hold_ranges(held)) {
        out = std::move(held);
    }
}

Expected<void> check_room(ExternalJob const& job) {
    return model::divide_memory(job.layout, job.memory_bytes, job.gpu_records_max)
        .map([](model::ExternalMemory const& /*memory*/) {});
}

/// A trace names all files.
Expected<std::optional<TraceWriter>> open_external_trace(SortCommand const& options) {
    auto const inputs = options.inputs();
    auto const pipe = std::ranges::find_if(inputs, is_standard_input);
    return open_trace(options.record, pipe == inputs.end() ? inputs.front() : *pipe);
}

/// Origin of the keys, as recorded in a trace.
InputRecord input_record(SortCommand const& options) {
    InputRecord input;
    input.distribution = "file";
    input.file = *options.sort.input;
    input.more_files = options.more_inputs;
    input.format = options.sort.format;
    input.column = options.sort.column;
    return input;
}

/// A sort that is ready to start.
struct PreparedSort {
    ExternalJob job;
    std::optional<TraceWriter> trace;
};

/// Only rank 0 checks the output files and opens the trace.
Expected<PreparedSort> prepare_sort(SortCommand const& options, model::Communicator const* ranks) {
    PreparedSort prepared;
    KEYSWAP_TRY(prepared.job, make_job(options, ranks));
    if (prepared.job.rank == 0) {
        KEYSWAP_RETURN_IF_ERROR(check_sort_files(options, prepared.job));
        KEYSWAP_TRY(prepared.trace, open_external_trace(options));
    }
    KEYSWAP_RETURN_IF_ERROR(open_inputs(options, prepared.job));
    KEYSWAP_RETURN_IF_ERROR(choose_engine(options, prepared.job));
    choose_range_storage(options, prepared.job);
    KEYSWAP_RETURN_IF_ERROR(check_room(prepared.job));
    return prepared;
}

/// Sorts with a progress display. \throws RankFailure
Expected<ExternalResult> sort_with_progress(ExternalJob const& job, model::Communicator* ranks) {
    Storage storage;
    if (job.rank != 0) {
        return sort_external(job, {{}, conformance::DeferredSignals::waiting}, storage, ranks);
    }
    ProgressDisplay display;
    display.in_bytes = true;
    Progress progress("sorting", 0, display);
    ExternalControl const control{[&](std::uint64_t bytes) { progress.advance(bytes); },
                                  conformance::DeferredSignals::waiting,
                                  [&](std::uint64_t bytes) { progress.set_total(bytes); }};
    auto done = sort_external(job, control, storage, ranks);
    if (!done && conformance::DeferredSignals::waiting()) {
        std::cerr << "keyswap: " << done.error().message() << std::endl;
    }
    return done;
}

/// \param ranks null if this process sorts alone \throws RankFailure
Expected<ExitCode> sort_on_rank(SortCommand const& options, model::Communicator* ranks) {
    auto prepared = prepare_sort(options, ranks);
    KEYSWAP_RETURN_IF_ERROR(ranks != nullptr ? model::agree(*ranks, "opening the files", prepared)
                                             : prepared.map([](auto const&) {}));
    auto& [job, trace] = *prepared;
    std::ostream& out = options.files().text();
    bool const reports = job.rank == 0;
    if (reports && !options.json) {
        out << opening_line(options, job) << std::flush;
    }
    // Ctrl-C first ends the threads, then the program; ranks end at once.
    std::optional<conformance::DeferredSignals> signals;
    if (ranks == nullptr) {
        signals.emplace();
    }
    KEYSWAP_TRY(auto const result, sort_with_progress(job, ranks));
    if (trace) {
        KEYSWAP_RETURN_IF_ERROR(write_external_trace(*trace, input_record(options), job, result));
    }
    if (reports && options.json) {
        print_json(external_result_json(options, job, result), std::cout);
    } else if (reports) {
        print_result(job, result, out);
    }
    return ExitCode::fine;
}

} // namespace

bool exceeds_memory(std::string const& path, std::uint64_t bytes_per_byte) {
    std::error_code error;
    std::uint64_t const size_bytes = fs::file_size(path, error);
    return !error && !expect_memory_for(path, size_bytes, bytes_per_byte, available_memory_bytes());
}

Expected<ExitCode> sort_larger_than_memory(SortCommand const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_record_options(options.records));
    if (!options.output || is_standard_output(*options.output)) {
        return input_error("--output",
                           "is needed: ranges are written where they belong in it",
                           "name a file for the sorted records");
    }
    KEYSWAP_RETURN_IF_ERROR(check_names(options.files()));
    auto const on_rank = [&](model::Communicator& ranks) { return sort_on_rank(options, &ranks); };
    return options.runs_on.has_ranks() ? run_ranks(options.runs_on, on_rank)
                                       : sort_on_rank(options, nullptr);
}

} // namespace keyswap::tools
