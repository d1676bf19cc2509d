#include "tools/commands/sort_external.hpp"

#include "model/keys/key_file.hpp"
#include "tools/backends/available_memory.hpp"
#include "tools/build/build_info.hpp"
#include "tools/commands/external_trace.hpp"
#include "tools/external/external_sort.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/output/operation_trace.hpp"
#include "tools/record/held_signals.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t copied_bytes = std::uint64_t{1} << 20;

/// Where the input's records lie, or who reads them where they do not lie as they are sorted.
struct Opened {
    model::RecordLayout layout;
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    std::unique_ptr<model::KeyFileReader> reader; ///< of keys that have to be copied; else null
};

Expected<Opened>
open_records(ExternalSort const& sort, std::string const& name, std::string const& path) {
    KEYSWAP_TRY(auto const direction, parse_direction(sort.direction));
    KEYSWAP_TRY(auto const layout,
                model::parse_record_layout(*sort.records.bytes, *sort.records.key, direction));
    KEYSWAP_TRY(auto const identity, identity_of(path));
    if (identity.size_bytes % layout.record_bytes != 0) {
        return tl::unexpected(InputError{shown_name(name),
                                         "has " + format_count(identity.size_bytes) +
                                             " bytes, not a multiple of --record-bytes " +
                                             std::to_string(layout.record_bytes),
                                         "give the size of its records"});
    }
    return Opened{layout, 0, identity.size_bytes / layout.record_bytes, nullptr};
}

/// \param first an input that was opened before, whose type the keys must have; null for the first
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
        KEYSWAP_TRY(auto const type, parse_sorted_type(*sort.type));
        options.key_type = type;
    } else if (first != nullptr) {
        options.key_type = first->key_type;
        options.type_of = "the keys of " + shown_name(sort.inputs.front());
    }
    options.is_part = sort.inputs.size() > 1;
    KEYSWAP_TRY(auto reader, model::open_key_file(path, options));
    if (reader->narrow_type()) {
        return tl::unexpected(InputError{shown_name(name),
                                         "has keys of fewer than 32 bits, which no sort takes",
                                         "give a file of wider keys"});
    }
    Opened opened{model::layout_of_keys(reader->key_type(), direction),
                  reader->file_offset_bytes().value_or(0),
                  reader->key_count().value_or(0),
                  nullptr};
    if (!reader->file_offset_bytes() || !reader->key_count()) {
        opened.reader = std::move(reader);
    }
    return opened;
}

/// Keys of text and of compressed files, as they lie in raw files. \return how many they are
Expected<std::uint64_t> copy_keys(model::KeyFileReader& reader, fs::path const& path) {
    Storage storage;
    KEYSWAP_TRY(auto const file, StoredFile::open(storage, path, StoredFile::Use::create));
    std::size_t const size = key_size_bytes(reader.key_type());
    std::vector<std::byte> block(copied_bytes);
    std::uint64_t count = 0;
    Progress progress("copying keys", reader.key_count().value_or(0));
    while (true) {
        KEYSWAP_TRY(std::size_t const keys, reader.read(block));
        if (keys == 0) {
            return count;
        }
        auto const bytes = std::span(block).first(keys * size);
        if (model::is_big_endian_in_files(reader.key_type())) {
            model::swap_key_bytes(reader.key_type(), bytes);
        }
        KEYSWAP_RETURN_IF_ERROR(file->write(count * size, bytes));
        count += keys;
        progress.advance(keys);
    }
}

/// What stands before the keys in the output.
Expected<std::string> output_header(ExternalSort const& sort, ExternalJob const& job) {
    KEYSWAP_TRY(auto const given,
                model::parse_key_file_format(sort.output_format.value_or("auto")));
    bool const is_records = sort.records.bytes.has_value();
    auto const format = given.value_or(is_records ? model::KeyFileFormat::raw
                                                  : model::format_of_name(*sort.output));
    if (format == model::KeyFileFormat::csv ||
        (is_records && format == model::KeyFileFormat::npy)) {
        return tl::unexpected(InputError{*sort.output,
                                         "would be text or .npy, in which records have no place "
                                         "of their own",
                                         is_records ? "give --output-format raw"
                                                    : "give --output-format raw or npy"});
    }
    if (format == model::KeyFileFormat::raw) {
        return std::string();
    }
    if (traits_of(job.layout.key_type).numpy.empty()) {
        return tl::unexpected(
            InputError{*sort.output,
                       "would hold " + to_string(job.layout) + ", for which .npy has no type",
                       "give --output-format raw"});
    }
    return model::npy_header_text({job.layout.key_type, job.record_count});
}

/// \param interrupted that of the sort that goes on, if there is one
Expected<std::uint64_t> memory_of(ExternalSort const& sort,
                                  std::optional<std::uint64_t> interrupted) {
    auto const available = available_memory_bytes();
    if (sort.memory && available && *sort.memory > *available) {
        return tl::unexpected(
            InputError{"--memory " + format_count(*sort.memory),
                       "is more than the " + format_count(*available) + " bytes that are available",
                       "give less, or leave it out: half of that is taken"});
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
    return "sort: " + format_count(job.record_count) + ' ' + to_string(job.layout) + " of " +
           shown_name(sort.inputs.front()) +
           (sort.inputs.size() > 1 ? " and " + counted(sort.inputs.size() - 1, "other file") : "") +
           ", " + sort.direction + ", in " + size_text(static_cast<double>(job.memory_bytes)) +
           (sort.memory ? " of memory" : " of memory (half of what is available)") +
           ", by ranges in " + printable_text(job.scratch.string()) + '\n';
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
        << " for " << bytes(job.record_count * job.layout.record_bytes) << " of records.\n"
        << "Partitioned in " << printed("%.2f", result.partition_seconds) << " s, sorted in "
        << printed("%.2f", result.sort_seconds) << " s (" << size_text(rate)
        << "/s read and written); buffers took at most " << bytes(result.buffer_bytes) << ".\n"
        << "Checked while it was written:\n  sorted      holds\n  permutation holds\n";
}

nlohmann::ordered_json external_result_json(ExternalSort const& sort,
                                            ExternalJob const& job,
                                            ExternalResult const& result) {
    auto json = json_result("sort",
                            {{"input", sort.inputs.front()},
                             {"records", job.record_count},
                             {"record_bytes", job.layout.record_bytes},
                             {"key_offset", job.layout.key_offset},
                             {"key_bytes", job.layout.key_bytes},
                             {"type", to_string(job.layout.key_type)},
                             {"direction", sort.direction},
                             {"memory", job.memory_bytes},
                             {"scratch", job.scratch.string()}});
    if (sort.inputs.size() > 1) {
        json["inputs"] = sort.inputs;
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
    json["digest"] = {{"count", result.digest.count},
                      {"low", hash_text(result.digest.low)},
                      {"high", hash_text(result.digest.high)}};
    return json;
}

/// Ranges are written where they belong: into a regular file of a folder that exists.
Expected<void> check_output(fs::path const& output) {
    std::error_code error;
    bool const is_special = fs::exists(output, error) && !fs::is_regular_file(output, error);
    if (is_special || !fs::is_directory(output.parent_path(), error)) {
        return tl::unexpected(InputError{
            output.string(),
            is_special ? "is not a regular file" : "lies in a folder that does not exist",
            "choose a file in an existing folder that you may write to"});
    }
    return {};
}

/// Opens the inputs; keys that do not lie in files as they are sorted are copied to the scratch.
/// \param out its scratch folder and its memory are known; takes the inputs, their layout and their
/// number
Expected<void> open_inputs(ExternalSort const& sort, ExternalJob& out) {
    std::vector<Opened> opened;
    for (std::string const& name : sort.inputs) {
        KEYSWAP_TRY(auto const path, readable_path(name));
        auto const* const first = opened.empty() ? nullptr : &opened.front().layout;
        KEYSWAP_TRY(auto file,
                    sort.records.bytes ? open_records(sort, name, path)
                                       : open_keys(sort, name, path, first));
        KEYSWAP_TRY(auto identity, identity_of(path));
        fs::path const place = identity.path;
        out.inputs.push_back({std::move(identity), place, file.offset, file.count});
        opened.push_back(std::move(file));
    }
    out.layout = opened.front().layout;
    KEYSWAP_RETURN_IF_ERROR(model::divide_memory(out.layout, out.memory_bytes));
    for (std::size_t i = 0; i < opened.size(); ++i) {
        ExternalInput& input = out.inputs[i];
        if (opened[i].reader) {
            KEYSWAP_RETURN_IF_ERROR(make_scratch(out));
            input.path = out.scratch / ("input" + std::to_string(i + 1) + ".keys");
            if (fs::exists(out.manifest())) {
                KEYSWAP_TRY(auto const copy, identity_of(input.path));
                input.record_count = copy.size_bytes / out.layout.record_bytes;
            } else {
                KEYSWAP_TRY(input.record_count, copy_keys(*opened[i].reader, input.path));
            }
        }
        out.record_count += input.record_count;
    }
    return {};
}

Expected<ExternalJob> make_job(ExternalSort const& sort) {
    ExternalJob job;
    job.program = build_sentence();
    job.output = fs::weakly_canonical(fs::absolute(*sort.output));
    KEYSWAP_RETURN_IF_ERROR(check_output(job.output));
    // A folder of our own in the one that was given, so that nothing else is in it.
    fs::path const folder = sort.scratch ? fs::path(*sort.scratch) : job.output.parent_path();
    job.scratch = fs::absolute(folder / (job.output.filename().string() + ".scratch"));
    job.existing = sort.files.existing;
    job.threads = std::max(1U, sort.threads.value_or(std::thread::hardware_concurrency()));
    KEYSWAP_TRY(job.memory_bytes, memory_of(sort, Manifest::memory_bytes(job)));
    KEYSWAP_RETURN_IF_ERROR(open_inputs(sort, job));
    KEYSWAP_TRY(job.output_header, output_header(sort, job));
    return job;
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
    KEYSWAP_RETURN_IF_ERROR(check_files(sort.files));
    KEYSWAP_TRY(auto trace, open_trace(sort.record, sort.inputs.front()));
    KEYSWAP_TRY(auto const job, make_job(sort));
    std::ostream& out = sort.files.text();
    if (!sort.json) {
        out << opening_line(sort, job) << std::flush;
    }
    // Ctrl-C ends the threads first, and then the program.
    conformance::HeldSignals const signals;
    KEYSWAP_TRY(auto const result, [&] {
        std::uint64_t const size = job.record_count * job.layout.record_bytes;
        bool const twice = job.record_count >
                           model::divide_memory(job.layout, job.memory_bytes).value().records_max;
        ProgressDisplay display;
        display.in_bytes = true;
        Progress progress("sorting", size * (twice ? 4 : 2), display);
        Storage storage;
        ExternalControl const control{[&](std::uint64_t bytes) { progress.advance(bytes); },
                                      conformance::HeldSignals::waiting};
        auto done = sort_external(job, control, storage);
        if (!done && conformance::HeldSignals::waiting()) {
            std::cerr << "keyswap: " << done.error().message() << std::endl;
        }
        return done;
    }());
    if (trace) {
        KEYSWAP_RETURN_IF_ERROR(write_external_trace(*trace, sort.inputs.front(), job, result));
    }
    if (sort.json) {
        print_json(external_result_json(sort, job, result), std::cout);
    } else {
        print_result(job, result, out);
    }
    return ExitCode::fine;
}

} // namespace keyswap::tools
