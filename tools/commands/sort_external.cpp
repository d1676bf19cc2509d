#include "tools/commands/sort_external.hpp"

#include "model/external/record_stream.hpp"
#include "model/keys/key_file.hpp"
#include "model/ranks/agreement.hpp"
#include "tools/backends/available_memory.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/build/build_info.hpp"
#include "tools/commands/external_trace.hpp"
#include "tools/external/external_sort.hpp"
#include "tools/external/memory_sort.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/output/operation_trace.hpp"
#include "tools/record/held_signals.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
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
open_records(ExternalSort const& sort, std::string const& name, std::string const& path) {
    KEYSWAP_TRY(auto const direction, parse_direction(sort.direction));
    KEYSWAP_TRY(auto const layout, parse_layout(sort.records, sort.type, direction));
    KEYSWAP_TRY(auto const identity, identity_of(path));
    KEYSWAP_TRY(bool const is_stream, model::needs_record_stream(path));
    if (is_stream) {
        KEYSWAP_RETURN_IF_ERROR(model::open_record_stream(path, layout));
        return Opened{layout, {identity, 0, 0, [path, layout] {
                                   return model::open_record_stream(path, layout);
                               }}};
    }
    if (identity.size_bytes % layout.record_bytes != 0) {
        return tl::unexpected(InputError{shown_name(name),
                                         "has " + format_count(identity.size_bytes) +
                                             " bytes, not a multiple of --record-bytes " +
                                             std::to_string(layout.record_bytes),
                                         "give the size of its records"});
    }
    return Opened{layout, {identity, 0, identity.size_bytes / layout.record_bytes, {}}};
}

/// \param first layout of the first input, whose key type must match; null for the first input
Expected<Opened> open_keys(ExternalSort const& sort,
                           std::string const& name,
                           std::string const& path,
                           model::RecordLayout const* first) {
    KEYSWAP_TRY(auto const direction, parse_direction(sort.direction));
    model::KeyFileOptions options;
    KEYSWAP_TRY(auto const format, model::parse_key_file_format(sort.format.value_or("auto")));
    options.format = format;
    options.column = sort.column;
    if (sort.type) {
        KEYSWAP_TRY(options.key_type, parse_sorted_type(*sort.type));
    } else if (first != nullptr) {
        options.key_type = first->key_type;
        options.type_of = "the keys of " + shown_name(sort.inputs.front());
    }
    options.is_part = sort.inputs.size() > 1;
    KEYSWAP_TRY(auto const reader, model::open_key_file(path, options));
    if (reader->narrow_type()) {
        return tl::unexpected(InputError{shown_name(name),
                                         "has keys of fewer than 32 bits, which no sort takes",
                                         "give a file of wider keys"});
    }
    KEYSWAP_TRY(auto const identity, identity_of(path));
    auto const layout = model::layout_of_keys(reader->key_type(), direction);
    if (reader->file_offset_bytes() && reader->key_count()) {
        return Opened{layout, {identity, *reader->file_offset_bytes(), *reader->key_count(), {}}};
    }
    return Opened{layout,
                  {identity, 0, 0, [path, options] {
                       return model::open_key_file(path, options).map(model::stream_of_keys);
                   }}};
}

/// Function that writes the header of an output, if its format has one.
Expected<std::function<std::string(std::uint64_t)>>
output_header(ExternalSort const& sort, model::RecordLayout const& layout) {
    KEYSWAP_TRY(auto const given,
                model::parse_key_file_format(sort.output_format.value_or("auto")));
    if (sort.records.bytes) {
        KEYSWAP_RETURN_IF_ERROR(expect_raw_records(*sort.output, given));
    }
    KEYSWAP_TRY(auto const format, model::format_to_write(*sort.output, given));
    if (format == model::KeyFileFormat::csv) {
        return tl::unexpected(InputError{*sort.output,
                                         "would be text, but an external sort writes ranges at "
                                         "fixed places of the file",
                                         "give --output-format raw or npy"});
    }
    if (format == model::KeyFileFormat::raw) {
        return std::function<std::string(std::uint64_t)>();
    }
    if (traits_of(layout.key_type).numpy.empty()) {
        return tl::unexpected(
            InputError{*sort.output,
                       "would hold " + to_string(layout) + ", for which .npy has no type",
                       "give --output-format raw"});
    }
    return std::function<std::string(std::uint64_t)>([type = layout.key_type](std::uint64_t count) {
        return model::npy_header_text({type, count});
    });
}

/// \param sorts number of sorts that this process runs concurrently
/// \param interrupted memory limit of the interrupted sort, if one continues
Expected<std::uint64_t>
memory_of(ExternalSort const& sort, std::uint32_t sorts, std::optional<std::uint64_t> interrupted) {
    auto const available = available_memory_bytes();
    if (sort.memory && available && *sort.memory > *available / sorts) {
        return tl::unexpected(InputError{
            "--memory " + format_count(*sort.memory),
            (sorts > 1 ? "for each of " + counted(sorts, "rank") + ' ' : std::string()) +
                "is more than the " + format_count(*available) + " bytes that are available",
            sorts > 1 ? "give less" : "give less, or leave it out: half of that is taken"});
    }
    if (sort.memory || interrupted) {
        return sort.memory ? *sort.memory : *interrupted;
    }
    if (!available) {
        return tl::unexpected(InputError{"--memory",
                                         "is needed, as this system does not say how much memory "
                                         "is available",
                                         "give it, for instance --memory 2G"});
    }
    return std::max(*available / 2, model::external_memory_min);
}

std::string opening_line(ExternalSort const& sort, ExternalJob const& job) {
    bool const is_held = job.range_storage == RangeStorage::memory;
    return "sort: " + (job.is_streamed() ? "" : format_count(job.record_count()) + ' ') +
           to_string(job.layout) + " of " + shown_name(sort.inputs.front()) +
           (sort.inputs.size() > 1 ? " and " + counted(sort.inputs.size() - 1, "other file") : "") +
           ", " + sort.direction + ", in " + size_text(static_cast<double>(job.memory_bytes)) +
           (sort.memory || is_held ? " of memory" : " of memory (half of what is available)") +
           (job.rank_count > 1 ? " on each of " + counted(job.rank_count, "rank") : "") +
           ", by ranges " +
           (is_held ? "held there" : "in " + printable_text(job.scratch.string())) +
           (job.gpu_records_max ? ", each sorted by " + job.engine->name() + " (room for " +
                                      format_count(*job.gpu_records_max) +
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
        out << ", " << format_count(result.single_valued_ranges)
            << " of a single value, which needs no sort";
    }
    out << ".\n";
    if (result.oversized_records > 0) {
        out << format_count(result.oversized_records)
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

Json external_result_json(ExternalSort const& sort,
                          ExternalJob const& job,
                          ExternalResult const& result) {
    auto json = json_result(
        "sort",
        {{"input", sort.inputs.front()},
         {"records", result.record_count},
         {"record_bytes", job.layout.record_bytes},
         {"key_offset", job.layout.key_offset},
         {"key_bytes", job.layout.key_bytes},
         {"type", to_string(job.layout.key_type)},
         {"direction", sort.direction},
         {"memory", job.memory_bytes},
         {"scratch",
          job.range_storage == RangeStorage::memory ? Json() : Json(job.scratch.string())}});
    if (sort.inputs.size() > 1) {
        json["inputs"] = sort.inputs;
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
        return tl::unexpected(InputError{
            output.string(), "is a symbolic link to a file that does not exist", "name that file"});
    }
    bool const is_special = fs::exists(output, error) && !fs::is_regular_file(output, error);
    if (is_special || !fs::is_directory(output.parent_path(), error)) {
        return tl::unexpected(InputError{
            output.string(),
            is_special ? "is not a regular file" : "lies in a folder that does not exist",
            "choose a file in an existing folder that you may write to"});
    }
    return {};
}

/// Output names: one, or --output-parts names with the part's number in place of {part}.
Expected<std::vector<std::string>> output_names(ExternalSort const& sort) {
    constexpr std::string_view number_place = "{part}";
    std::size_t const place = sort.output->find(number_place);
    if (!sort.output_parts) {
        return std::vector<std::string>{*sort.output};
    }
    if (place == std::string::npos) {
        return tl::unexpected(InputError{"--output " + printable_text(*sort.output),
                                         "has no {part}, by which --output-parts names its files",
                                         "write it where the number belongs: sorted-{part}.u64"});
    }
    std::size_t const digits = std::to_string(*sort.output_parts - 1).size();
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < *sort.output_parts; ++i) {
        std::string number = std::to_string(i);
        number.insert(0, digits - number.size(), '0'); // zero-padded, so that names ascend
        names.push_back(std::string(*sort.output).replace(place, number_place.size(), number));
    }
    return names;
}

/// The job without inputs. \param ranks null: a single process
Expected<ExternalJob> make_job(ExternalSort const& sort, model::Communicator const* ranks) {
    ExternalJob job;
    job.rank = ranks != nullptr ? ranks->rank() : 0;
    job.rank_count = ranks != nullptr ? ranks->size() : 1;
    std::uint32_t const sorts = sort.ranks.is_mpi() ? 1 : job.rank_count;
    job.program = build_sentence();
    KEYSWAP_TRY(auto const names, output_names(sort));
    for (std::string const& name : names) {
        job.outputs.push_back(fs::weakly_canonical(fs::absolute(name)));
        KEYSWAP_RETURN_IF_ERROR(check_output(job.outputs.back()));
    }
    // A subfolder of the given folder, so that it contains no other files.
    fs::path const output = fs::weakly_canonical(fs::absolute(*sort.output));
    fs::path const folder = sort.scratch ? fs::path(*sort.scratch) : job.outputs[0].parent_path();
    job.scratch = fs::absolute(folder / (output.filename().string() + ".scratch"));
    job.existing = sort.files.existing;
    unsigned const threads = sort.threads.value_or(std::thread::hardware_concurrency() / sorts);
    job.threads = std::max(1U, threads);
    KEYSWAP_TRY(job.memory_bytes, memory_of(sort, sorts, Manifest::memory_bytes(job)));
    return job;
}

/// Returns an error if an output exists, unless the same sort completed it before it was
/// interrupted.
Expected<void> check_sort_files(ExternalSort const& sort, ExternalJob const& job) {
    CommandFiles files = sort.files;
    KEYSWAP_RETURN_IF_ERROR(check_names(files));
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
                return tl::unexpected(InputError{shown_name(name),
                                                 "is read and would be overwritten",
                                                 "choose another name for the output"});
            }
        }
    }
    return {};
}

/// Opens the inputs and sets them and their layout in the job.
Expected<void> open_inputs(ExternalSort const& sort, ExternalJob& out) {
    std::optional<model::RecordLayout> layout;
    for (std::string const& name : sort.inputs) {
        KEYSWAP_TRY(auto const path, readable_path(name));
        KEYSWAP_RETURN_IF_ERROR(check_input(name, path, out));
        KEYSWAP_TRY(auto opened,
                    sort.records.bytes ? open_records(sort, name, path)
                                       : open_keys(sort, name, path, layout ? &*layout : nullptr));
        layout = layout.value_or(opened.layout);
        out.inputs.push_back(std::move(opened.input));
    }
    out.layout = *layout;
    KEYSWAP_TRY(out.header, output_header(sort, out.layout));
    return {};
}

/// Options of the kernels for sorting ranges.
Expected<kernels::SortOptions> range_options(ExternalGpus const& gpus, SortShape const& shape) {
    SortArguments arguments;
    arguments.gpu_count = gpus.count;
    arguments.algorithm = gpus.algorithm;
    if (!gpus.algorithm.name && key_size_bytes(shape.key_type) > sizeof(std::uint64_t)) {
        arguments.algorithm.name = kernels::wide_gpu_sorts().front();
    }
    KEYSWAP_TRY(auto const devices, resolve_gpus(gpus.choice, arguments));
    KEYSWAP_TRY(auto request, resolve_sort(arguments));
    static_cast<SortShape&>(request.config) = shape;
    KEYSWAP_TRY(auto options, kernel_options(request, devices));
    options.stability = shape.stability; // an error if the algorithm lacks it
    return options;
}

/// Sets the engine that sorts ranges, and the maximum size of a range.
Expected<void> choose_engine(ExternalSort const& sort, ExternalJob& out) {
    if (!sort.gpus) {
        out.engine = make_cpu_range_engine(out.threads);
        return {};
    }
    KEYSWAP_TRY(auto const options, range_options(*sort.gpus, range_shape(out.layout)));
    out.gpu_records_max = Manifest::gpu_records_max(out);
    if (sort.gpus->memory || !out.gpu_records_max) {
        KEYSWAP_TRY(out.gpu_records_max, cuda::range_keys_that_fit(options, sort.gpus->memory));
    }
    KEYSWAP_TRY(out.engine, cuda::range_engine(options));
    return {};
}

/// Keeps ranges in memory if they fit, so that only the output is written.
void choose_range_storage(ExternalSort const& sort, ExternalJob& out) {
    bool const possible = out.gpu_records_max && !sort.scratch && out.rank_count == 1 &&
                          !out.is_streamed() && !Manifest::memory_bytes(out);
    if (!possible) {
        return;
    }
    ExternalJob held = out;
    held.range_storage = RangeStorage::memory;
    if (std::uint64_t const needed = memory_to_hold_ranges(out); !sort.memory) {
        // The remainder is for other programs.
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

/// Opens the trace; its input must not be a pipe, since the trace names all files.
Expected<std::optional<TraceWriter>> open_external_trace(ExternalSort const& sort) {
    auto const pipe = std::ranges::find_if(sort.inputs, is_standard_input);
    return open_trace(sort.record, pipe == sort.inputs.end() ? sort.inputs.front() : *pipe);
}

/// Origin of the keys, for a trace.
InputRecord input_record(ExternalSort const& sort) {
    InputRecord input;
    input.distribution = "file";
    input.file = sort.inputs.front();
    input.more_files.assign(sort.inputs.begin() + 1, sort.inputs.end());
    input.format = sort.format;
    input.column = sort.column;
    return input;
}

/// A sort that is ready to start.
struct PreparedSort {
    ExternalJob job;
    std::optional<TraceWriter> trace;
};

/// Prepares the job; rank 0 checks and opens the output files.
Expected<PreparedSort> prepare_sort(ExternalSort const& sort, model::Communicator const* ranks) {
    PreparedSort prepared;
    KEYSWAP_TRY(prepared.job, make_job(sort, ranks));
    if (prepared.job.rank == 0) {
        KEYSWAP_RETURN_IF_ERROR(check_sort_files(sort, prepared.job));
        KEYSWAP_TRY(prepared.trace, open_external_trace(sort));
    }
    KEYSWAP_RETURN_IF_ERROR(open_inputs(sort, prepared.job));
    KEYSWAP_RETURN_IF_ERROR(choose_engine(sort, prepared.job));
    choose_range_storage(sort, prepared.job);
    KEYSWAP_RETURN_IF_ERROR(check_room(prepared.job));
    return prepared;
}

/// Sorts with a progress display. \throws RankFailure
Expected<ExternalResult> sort_with_progress(ExternalJob const& job, model::Communicator* ranks) {
    Storage storage;
    if (job.rank != 0) {
        return sort_external(job, {{}, conformance::HeldSignals::waiting}, storage, ranks);
    }
    ProgressDisplay display;
    display.in_bytes = true;
    Progress progress("sorting", 0, display);
    ExternalControl const control{[&](std::uint64_t bytes) { progress.advance(bytes); },
                                  conformance::HeldSignals::waiting,
                                  [&](std::uint64_t bytes) { progress.set_total(bytes); }};
    auto done = sort_external(job, control, storage, ranks);
    if (!done && conformance::HeldSignals::waiting()) {
        std::cerr << "keyswap: " << done.error().message() << std::endl;
    }
    return done;
}

/// \param ranks null: a single process \throws RankFailure
Expected<ExitCode> sort_on_rank(ExternalSort const& sort, model::Communicator* ranks) {
    auto prepared = prepare_sort(sort, ranks);
    KEYSWAP_RETURN_IF_ERROR(ranks != nullptr ? model::agree(*ranks, "opening the files", prepared)
                                             : prepared.map([](auto const&) {}));
    auto& [job, trace] = *prepared;
    std::ostream& out = sort.files.text();
    bool const reports = job.rank == 0;
    if (reports && !sort.json) {
        out << opening_line(sort, job) << std::flush;
    }
    // Ctrl-C first ends the threads, then the program; ranks end at once.
    std::optional<conformance::HeldSignals> signals;
    if (ranks == nullptr) {
        signals.emplace();
    }
    KEYSWAP_TRY(auto const result, sort_with_progress(job, ranks));
    if (trace) {
        KEYSWAP_RETURN_IF_ERROR(write_external_trace(*trace, input_record(sort), job, result));
    }
    if (reports && sort.json) {
        print_json(external_result_json(sort, job, result), std::cout);
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

Expected<ExitCode> sort_larger_than_memory(ExternalSort const& sort) {
    KEYSWAP_RETURN_IF_ERROR(check_record_options(sort.records));
    if (!sort.output || is_standard_output(*sort.output)) {
        return tl::unexpected(InputError{"--output",
                                         "is needed: ranges are written where they belong in it",
                                         "name a file for the sorted records"});
    }
    auto const on_rank = [&](model::Communicator& ranks) { return sort_on_rank(sort, &ranks); };
    return sort.ranks.is_given() ? run_ranks(sort.ranks, on_rank) : sort_on_rank(sort, nullptr);
}

} // namespace keyswap::tools
