#include "tools/commands/command.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/limit_options.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/report/exports.hpp"
#include "tools/report/figures/figure_files.hpp"
#include "tools/report/repeat_command.hpp"
#include "tools/report/report_request.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/text_width.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <unistd.h>

namespace keyswap::tools {

namespace {

constexpr char const* output_default = "keyswap-report.html";

/// An output file with its content.
struct PendingFile {
    std::string option;
    std::string path;
    std::string text;
};

/// A folder for output files, created if it did not exist, and removed again unless kept.
class OutputFolder {
  public:
    OutputFolder() = default;
    OutputFolder(OutputFolder const&) = delete;
    OutputFolder& operator=(OutputFolder const&) = delete;
    ~OutputFolder() {
        std::error_code error;
        if (is_new_) {
            std::filesystem::remove(path_, error);
        }
    }

    Expected<std::filesystem::path> create(std::string const& path) {
        std::error_code error;
        path_ = path;
        is_new_ = std::filesystem::create_directories(path, error);
        if (!std::filesystem::is_directory(path, error)) {
            return input_error(
                path, "cannot be made a folder", "choose another name for the folder");
        }
        return path_;
    }
    /// Called once the files are written; they get their names when the command ends.
    void keep() { is_new_ = false; }

  private:
    std::filesystem::path path_;
    bool is_new_ = false;
};

InputError several_matrices(std::size_t count) {
    return {"--matrix",
            "needs exactly one plan, trace or profile, but there are " + std::to_string(count),
            count > 1 ? "give one file, or one algorithm"
                      : "give one trace or profile, or --keys and --distribution"};
}

/// Collects output files: none is written until all are complete and all names are free.
class Collector {
  public:
    explicit Collector(ReportOptions const& options) : options_(options) {}

    Expected<std::vector<PendingFile>> collect(ReportContent const& content, Json const& document) {
        KEYSWAP_RETURN_IF_ERROR(add_figures(document)
                                    .and_then([&] { return add_chrome_trace(content); })
                                    .and_then([&] { return add_matrix(content); })
                                    .and_then([&] { return add_tables(content); }));
        return std::move(files_);
    }
    void keep_folder() { folder_.keep(); }

  private:
    Expected<void> add_figures(Json const& document) {
        if (options_.figures.empty()) {
            return {};
        }
        KEYSWAP_TRY(auto file, figure_file(document, options_));
        files_.push_back({"--out", *options_.figure_file, std::move(file)});
        return {};
    }

    /// Called last, since it creates a folder.
    Expected<void> add_tables(ReportContent const& content) {
        if (!options_.tables) {
            return {};
        }
        auto const tables = csv_tables(content);
        if (tables.empty()) {
            return input_error("--tables",
                               "none of these has tables",
                               "give a trace, a profile, or --keys and --distribution");
        }
        KEYSWAP_TRY(auto const place, folder_.create(*options_.tables));
        for (auto const& [name, text] : tables) {
            files_.push_back({"--tables", (place / name).string(), text});
        }
        return {};
    }

    Expected<void> add_chrome_trace(ReportContent const& content) {
        if (!options_.chrome_trace) {
            return {};
        }
        auto const trace = chrome_trace(content);
        if (trace["traceEvents"].empty()) {
            return input_error("--chrome-trace",
                               "none of these has times",
                               "add --platform, a profile, or a trace that was timed");
        }
        files_.push_back(
            {"--chrome-trace",
             *options_.chrome_trace,
             trace.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n'});
        return {};
    }

    Expected<void> add_matrix(ReportContent const& content) {
        if (!options_.matrix) {
            return {};
        }
        std::size_t const count = content.runs.size() + content.profiles.size();
        if (count != 1) {
            return tl::unexpected(several_matrices(count));
        }
        files_.push_back({"--matrix",
                          *options_.matrix,
                          content.runs.empty() ? matrix_text(content.profiles.front())
                                               : matrix_text(content.runs.front())});
        return {};
    }

    ReportOptions const& options_;
    OutputFolder folder_; ///< of tables
    std::vector<PendingFile> files_;
};

bool writes_others(ReportOptions const& options) {
    return options.figure_file || options.list_figures || options.tables || options.matrix ||
           options.chrome_trace;
}

/// A page is written on request, or if no other output is requested.
bool page_is_wanted(ReportOptions const& options) {
    return options.output || (!options.json && !writes_others(options));
}

/// Files named on the command line.
CommandFiles files_of(ReportOptions const& options) {
    CommandFiles files;
    files.read = named_files("report", options.files);
    files.read.push_back({"--platform", options.platform});
    files.read.push_back({"--profile", options.profile});
    files.written = {{"--out", options.figure_file},
                     {"--matrix", options.matrix},
                     {"--chrome-trace", options.chrome_trace}};
    if (page_is_wanted(options)) {
        files.written.push_back({"--output", options.output.value_or(output_default)});
    }
    files.printed = options.json ? "--json" : "";
    files.existing = options.existing;
    return files;
}

Json config_json(ReportOptions const& options) {
    return {{"files", options.files},
            {"platform", options.platform ? Json(*options.platform) : Json(nullptr)},
            {"seed", options.seed}};
}

Expected<void> write_all(std::vector<PendingFile> const& pending,
                         CommandFiles files,
                         std::string const& page_path) {
    std::ostream& out = files.text();
    files.written.clear();
    for (PendingFile const& file : pending) {
        files.written.push_back({file.option, file.path});
    }
    KEYSWAP_RETURN_IF_ERROR(check_files(files));
    for (PendingFile const& file : pending) {
        KEYSWAP_RETURN_IF_ERROR(write_whole_file(file.path, file.text));
    }
    for (PendingFile const& file : pending) {
        bool const is_page = file.path == page_path;
        out << (is_page ? "report: " : "written: ") << file.path << " ("
            << counted(file.text.size(), "byte") << ")"
            << (is_page ? "; open it in a browser\n" : "\n");
    }
    return {};
}

/// Returns an error if an option of keys, plans or predictions has no effect on the page.
Expected<void> check_unused_options(ReportOptions const& options, ReportContent const& content) {
    bool const recorded = std::ranges::any_of(content.runs, &RunView::recorded);
    bool const planned = !std::ranges::all_of(content.runs, &RunView::recorded);
    bool const simulated = !content.simulations.empty();
    std::string const of_simulations = "--input-on --output-on --published --rate-tolerance";
    std::string of_keys = "--keys --type --values";
    of_keys += options.distribution ? "" : " --parameter --seed";
    auto const refuse = [&options](std::string const& names,
                                   std::string const& problem,
                                   std::string const& remedy) {
        return refuse_given(*options.command, names, problem, remedy);
    };
    if (!recorded && content.operations.empty()) {
        KEYSWAP_RETURN_IF_ERROR(
            refuse("--records-only", "applies to traces, but none is given", "leave it out"));
    }
    if (!simulated && content.measurements.empty()) {
        KEYSWAP_RETURN_IF_ERROR(
            refuse("--platform --profile",
                   "applies to a simulation or to measured runs, but none is shown",
                   "leave it out, or add --distribution and --keys"));
    }
    if (simulated) {
        return recorded ? refuse(of_keys, "is given by the trace", "leave it out")
                        : Expected<void>();
    }
    if (planned) {
        return refuse(
            of_simulations, "applies to a simulation, but this is a plan", "add --platform");
    }
    std::string all = "--algorithm --distribution --gpu-count --gpus " + of_simulations +
                      " --parameter --seed " + of_keys;
    for (auto const& [name, value] : options.parameters) {
        all += " --" + name;
    }
    return refuse(all,
                  "selects what is planned or simulated, but only files are shown",
                  recorded ? "leave it out, or add --platform to simulate the trace's sort"
                           : "leave it out, or add --distribution and --keys");
}

/// Checks before the simulation: --matrix needs a single plan, and figures need their
/// sections.
Expected<void> check_plans(ReportOptions const& options) {
    std::set<std::string> plans;
    for (std::string const& name : options.algorithms) {
        KEYSWAP_TRY(auto const choice, parse_full_name(name));
        plans.emplace(choice.algorithm->name);
    }
    if (options.matrix && options.files.empty() && plans.size() > 1) {
        return tl::unexpected(several_matrices(plans.size()));
    }
    if (!options.files.empty()) {
        return {};
    }
    std::set<std::string> sections{"run"};
    if (options.platform) {
        sections.insert("simulation");
    }
    if (options.platform && options.algorithms.size() > 1) {
        sections.insert("comparison");
    }
    return check_sections(options, sections);
}

Expected<ExitCode> report(ReportOptions const& options) {
    CommandFiles const files = files_of(options);
    KEYSWAP_RETURN_IF_ERROR(check_figures(options));
    KEYSWAP_RETURN_IF_ERROR(check_files(files));
    KEYSWAP_RETURN_IF_ERROR(check_plans(options));
    if (options.list_figures && options.is_empty_request()) {
        files.text() << wrapped(figure_kind_list(), terminal_columns(STDOUT_FILENO));
        return ExitCode::fine;
    }
    ReportOptions readable = options;
    KEYSWAP_TRY(readable.files, readable_paths(options.files));
    KEYSWAP_TRY(auto const content, report_content(readable));
    KEYSWAP_RETURN_IF_ERROR(check_unused_options(options, content));
    auto const document = report_document(content, repeat_command(*options.command));
    Collector collector(options);
    KEYSWAP_TRY(auto pending, collector.collect(content, document));
    bool const page_wanted = page_is_wanted(options);
    std::string const page_path = page_wanted ? options.output.value_or(output_default) : "";
    if (page_wanted) {
        pending.push_back({"--output", page_path, page_of(document)});
    }
    if (options.list_figures) {
        files.text() << figure_list(document);
    } else if (!options.json) {
        for (auto const& finding : document["findings"]) {
            files.text() << printable_text(finding.get<std::string>()) << '\n';
        }
    }
    CommandFiles rest = files;
    KEYSWAP_RETURN_IF_ERROR(write_all(pending, std::move(rest), page_path));
    collector.keep_folder();
    if (options.json) {
        Json json = json_result("report", config_json(options));
        json["page"] = document;
        print_json(json, std::cout);
    }
    return ExitCode::fine;
}

void add_content_options(CLI::App& command, ReportOptions& options) {
    command.add_option("file",
                       options.files,
                       "Traces, SQLite exports of Nsight Systems, CSV files of measurements, what "
                       "'keyswap whatif' printed with --json or --csv; in any order");
    command.add_option("--platform", options.platform, "Simulate on this machine, by name or file");
    command.add_option("--profile", options.profile, "Device profile by name or file");
    command
        .add_option("--algorithm",
                    options.algorithms,
                    "Algorithms, with their variants, to simulate and compare: "
                    "rmg-paper,rmg-rotated")
        ->delimiter(',')
        ->default_str(default_schedule({}));
    add_count_option(command,
                     "--keys",
                     options.key_count,
                     "Plan a sort of this many keys: 2e9, 2G; traces have their own");
    command.add_option("--type", options.key_type, key_type_list(every_key_type))
        ->capture_default_str();
    command.add_option("--distribution",
                       options.distribution,
                       "Plan a sort of these keys, as zipf or zipf=0.75; see 'distributions'");
    command.add_option("--parameter", options.parameter, "Parameter of the distribution");
    add_load_options(command, options);
    command.add_option("--seed", options.seed, "Seed of the keys")->capture_default_str();
    command.add_option("--gpus", options.gpus, "GPUs of the platform, as 0,2,4-6");
    command.add_option("--gpu-count", options.gpu_count, "GPUs of a plan without a platform")
        ->check(CLI::Range(1U, 1024U));
    add_parameter_options(command, options.parameters, catalog());
    add_rate_tolerance_option(command, options.rate_tolerance);
    add_records_only_option(command, options.records_only);
}

void add_figure_options(CLI::App& command, ReportOptions& options) {
    command
        .add_option("--figure",
                    options.figures,
                    "Write this figure, or several below each other, as matrix,buckets")
        ->delimiter(',');
    command.add_option("--out",
                       options.figure_file,
                       "The figure's file: .svg, .pdf, or .csv for the numbers behind it");
    command
        .add_option(
            "--figure-size", options.figure_size, "Width of a column (85 mm) or a page (180 mm)")
        ->check(CLI::IsMember({"column", "page"}))
        ->default_str("page");
    command.add_flag(
        "--list-figures", options.list_figures, "Print the names of the figures that can be drawn");
}

} // namespace

void add_report_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "report", "Show a plan, a recorded run, a simulation or a study as one HTML file");
    auto const options = std::make_shared<ReportOptions>();
    options->command = &command;
    add_content_options(command, *options);
    command
        .add_option("--output",
                    options->output,
                    "The HTML file (default: keyswap-report.html if no other output is named)")
        ->default_str(output_default);
    add_figure_options(command, *options);
    command
        .add_option("--tables", options->tables, "Folder for CSV tables, with units in the headers")
        ->type_name("DIR");
    command.add_option("--matrix",
                       options->matrix,
                       "Write the matrix of bytes from each GPU (row) to each other here");
    command.add_option("--chrome-trace",
                       options->chrome_trace,
                       "Write prediction and measurement here as a trace for Perfetto");
    add_force_option(command, options->existing);
    command.add_flag("--json", options->json, "Print the page's data instead of writing the page");
    run_when_chosen(command, chosen, options, report);
}

} // namespace keyswap::tools
