#include "tools/report/report_files.hpp"

#include "tools/options/standard_input.hpp"
#include "tools/output/measured_gpus.hpp"
#include "tools/output/unused_columns.hpp"
#include "tools/report/profiles/nsight_export.hpp"
#include "tools/report/profiles/sqlite_file.hpp"
#include "tools/report/sections/study_data.hpp"
#include "tools/report/sweep_csv.hpp"
#include "tools/text/bounded_json.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/open_bytes.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/measurements/csv_row.hpp"

#include <memory>
#include <utility>

namespace keyswap::tools {

namespace {

enum class FileKind { trace, measurements, rates, sweep, sweep_csv, nsight_export };

/// Error for a file of unknown kind, with a remedy for known unsupported formats.
InputError unknown_kind(std::string const& file, std::string const& beginning) {
    std::string const export_remedy = "export it with: nsys export --type sqlite REPORT.nsys-rep";
    if (beginning.empty()) {
        return {file, "is empty", "give a trace, a profile, measurements or a sweep"};
    }
    if (file.ends_with(".nsys-rep") || file.ends_with(".qdrep")) {
        return {file, "is Nsight Systems' own format, which only nsys reads", export_remedy};
    }
    if (file.ends_with(".sqlite")) {
        return {file, "is not an SQLite database", export_remedy};
    }
    std::string const first_line = beginning.substr(0, beginning.find('\n'));
    bool const is_json = first_line.starts_with('{') || first_line.starts_with('[');
    if (auto const error = find_csv_error(beginning, file); error && file.ends_with(".csv")) {
        return *error;
    }
    if (file.ends_with(".csv") || (!is_json && first_line.find(',') != std::string::npos)) {
        return {file,
                "is a table of an unknown kind, judging by its header",
                "give measurements, which have at least the columns num_keys, gpus and "
                "total_sort_duration, or what 'keyswap whatif --csv' printed, which begins with "
                "'platform,algorithm,num_keys,'"};
    }
    return {file,
            "is of an unknown kind",
            "give a trace, an SQLite export of Nsight Systems, a CSV of measurements, or what "
            "'keyswap whatif' printed with --json or --csv"};
}

bool looks_like_events(std::string_view text) {
    bool const has_phases = text.find("\"ph\"") != std::string_view::npos;
    return text.find("\"traceEvents\"") != std::string_view::npos ||
           (text.starts_with('[') && has_phases);
}

/// \param text beginning of the file, decompressed
Expected<FileKind> kind_of(std::string const& file, std::string const& text) {
    if (text.starts_with(R"({"record":)")) {
        return FileKind::trace;
    }
    if (looks_like_events(text)) {
        return input_error(
            file,
            "is a list of events, as Chrome, Perfetto and PyTorch have them, which cannot be "
            "read",
            "open it with ui.perfetto.dev, or give the SQLite export of Nsight Systems");
    }
    auto const first = text.find_first_not_of(" \t\r\n");
    bool const is_object = first != std::string::npos && text[first] == '{';
    for (auto const& [found, kind] :
         {std::pair{looks_like_rates(text), FileKind::rates},
          std::pair{looks_like_measurements(text), FileKind::measurements},
          std::pair{looks_like_sweep_csv(text), FileKind::sweep_csv},
          std::pair{text.starts_with(sqlite_magic), FileKind::nsight_export},
          std::pair{is_object, FileKind::sweep}}) {
        if (found) {
            return kind;
        }
    }
    return tl::unexpected(unknown_kind(file, text));
}

Expected<Json> read_sweep(std::string const& file, FileKind kind, std::string const& text) {
    if (kind == FileKind::sweep_csv) {
        KEYSWAP_TRY(auto const sweep, parse_sweep_csv(file, text));
        return sweep_data(file, sweep);
    }
    KEYSWAP_TRY(auto const json, parse_bounded_json(text, file));
    if (!json.is_object()) {
        return input_error(
            file, "is not a JSON object", "give what 'keyswap whatif --json' printed");
    }
    return sweep_data(file, json);
}

Expected<Json> read_measured(ReportOptions const& options,
                             std::optional<simulator::Machine> const& machine,
                             std::string const& file,
                             std::string const& text) {
    if (!options.platform) {
        return input_error(file,
                           "measurements are compared with predictions, which need a machine",
                           "add --platform, for instance --platform dgx-a100");
    }
    KEYSWAP_TRY(auto const runs, parse_measurements(text, file));
    remark_unused_columns(text, file);
    remark_other_gpus(gpu_names(runs), file, machine->platform);
    KEYSWAP_TRY(auto const validation,
                simulator::validate(*machine, runs, simulator::Intervals::predicted));
    return validation_data(*machine, file, validation);
}

Expected<Json> read_rates(std::string const& file, std::string const& text) {
    KEYSWAP_TRY(auto const rates, parse_rates(text, file));
    return simulator::profiles_of(rates, file).map([&](simulator::RateProfiles const& profiles) {
        return rates_data(file, simulator::predict_rates(rates, profiles));
    });
}

/// Appends `part`, or returns its error.
template <class Part>
Expected<void> add_to(std::vector<Part>& parts, Expected<Part> part) {
    KEYSWAP_TRY(auto read, std::move(part));
    parts.push_back(std::move(read));
    return {};
}

Expected<void> read_trace(ReportOptions const& options,
                          TraceReader& reader,
                          std::string const& file,
                          ReportContent& content) {
    model::verify::VerifyLimits limits;
    limits.records_only = options.records_only;
    KEYSWAP_TRY(auto const run, model::verify::read_recorded_run(reader, file, limits));
    if (run.header.operation == Operation::sort) {
        return add_to(content.runs, run_view_of(run, file, limits));
    }
    content.operations.push_back(operation_view_of(run, file, limits));
    return {};
}

} // namespace

Expected<void>
read_report_file(ReportOptions const& options, std::string const& file, ReportContent& content) {
    constexpr std::size_t enough = 4096; // at least the header of every table
    KEYSWAP_TRY(auto peeked, open_bytes(file).and_then([](std::unique_ptr<ByteSource> bytes) {
        return peek_bytes(std::move(bytes), enough);
    }));
    std::string const name = replace_standard_input_path(file);
    KEYSWAP_TRY(auto const kind, kind_of(name, peeked.beginning));
    if (kind == FileKind::trace) {
        TraceReader reader(std::move(peeked.all), name);
        return read_trace(options, reader, name, content);
    }
    if (kind == FileKind::nsight_export) {
        return add_to(content.profiles, read_nsight_export(file));
    }
    KEYSWAP_TRY(auto const text, read_text(*peeked.all, name));
    if (kind == FileKind::measurements) {
        return add_to(content.measurements, read_measured(options, content.machine, name, text));
    }
    if (kind == FileKind::rates) {
        return add_to(content.rates, read_rates(name, text));
    }
    return add_to(content.sweeps, read_sweep(name, kind, text));
}

} // namespace keyswap::tools
