#include "simulator/topology_draw.hpp"
#include "tools/command.hpp"
#include "tools/number_option.hpp"
#include "tools/number_text.hpp"
#include "tools/report/exports.hpp"
#include "tools/report/pictures.hpp"
#include "tools/report/repeat_command.hpp"
#include "tools/report/report_page.hpp"
#include "tools/report/report_request.hpp"
#include "tools/simulation_options.hpp"
#include "traces/atomic_file.hpp"

#include <filesystem>
#include <iostream>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

struct ReportCommand {
    ReportOptions content;
    std::optional<std::string> output;
    std::optional<std::string> svg; ///< folder for pictures
    std::optional<std::string> png; ///< folder for pictures
    std::optional<std::string> dot; ///< folder for Graphviz texts
    std::optional<std::string> csv; ///< folder for tables
    std::optional<std::string> matrix;
    std::optional<std::string> chrome_trace;
    bool force = false;
    bool json = false;
    CLI::App const* command = nullptr; ///< outlives the run
};

Expected<void> write_file(std::string const& path, std::string const& text) {
    auto file = AtomicFile::create(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    if (auto written = file->write(text); !written) {
        return written;
    }
    return file->commit();
}

constexpr char const* output_default = "keyswap-report.html";

/// A device such as /dev/stdout may always be written.
Expected<void> write_new_file(ReportCommand const& options,
                              std::filesystem::path const& path,
                              std::string const& text) {
    if (!options.force && std::filesystem::is_regular_file(path)) {
        return tl::unexpected(InputError{path.string(),
                                         "exists already and is kept",
                                         "choose another name, or replace it with --force"});
    }
    if (auto written = write_file(path.string(), text); !written) {
        return written;
    }
    std::cout << "written: " << path.string() << " (" << format_count(text.size()) << " bytes)\n";
    return {};
}

/// Graphviz texts by name without ending.
std::vector<std::pair<std::string, std::string>> pictures(ReportContent const& content) {
    std::vector<std::pair<std::string, std::string>> all;
    auto const add = [&all](char const* name, std::size_t index, std::string text) {
        if (!text.empty()) {
            all.emplace_back(name + (index == 0 ? std::string() : "-" + std::to_string(index + 1)),
                             std::move(text));
        }
    };
    for (std::size_t i = 0; i < content.runs.size(); ++i) {
        add("buckets", i, flow_picture(content.runs[i]));
        add("passes", i, passes_picture(content.runs[i]));
    }
    for (std::size_t i = 0; i < content.simulations.size(); ++i) {
        add("topology", i, topology_picture(*content.machine, content.simulations[i]));
    }
    return all;
}

Expected<std::filesystem::path> made_folder(std::string const& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder)) {
        return tl::unexpected(
            InputError{folder, "cannot be made a folder", "choose another name for the folder"});
    }
    return std::filesystem::path(folder);
}

Expected<void> draw(ReportCommand const& options,
                    std::string const& folder,
                    simulator::PictureFormat format,
                    std::vector<std::pair<std::string, std::string>> const& texts) {
    auto const place = made_folder(folder);
    if (!place) {
        return tl::unexpected(place.error());
    }
    for (auto const& [name, text] : texts) {
        auto const path =
            *place / (name + (format == simulator::PictureFormat::svg ? ".svg" : ".png"));
        if (!options.force && std::filesystem::exists(path)) {
            return tl::unexpected(InputError{path.string(),
                                             "exists already and is kept",
                                             "choose another folder, or replace it with --force"});
        }
        if (auto const drawn = simulator::render_picture(text, format, path.string()); !drawn) {
            return tl::unexpected(drawn.error());
        }
        std::cout << "written: " << path.string() << '\n';
    }
    return {};
}

Expected<void> write_texts(ReportCommand const& options,
                           std::string const& folder,
                           std::string const& ending,
                           auto const& texts) {
    auto const place = made_folder(folder);
    if (!place) {
        return tl::unexpected(place.error());
    }
    for (auto const& [name, text] : texts) {
        if (auto written = write_new_file(options, *place / (name + ending), text); !written) {
            return written;
        }
    }
    return {};
}

/// Everything but the page.
Expected<void> write_others(ReportCommand const& options, ReportContent const& content) {
    Expected<void> done;
    if (options.svg) {
        done = draw(options, *options.svg, simulator::PictureFormat::svg, pictures(content));
    }
    if (done && options.png) {
        done = draw(options, *options.png, simulator::PictureFormat::png, pictures(content));
    }
    if (done && options.dot) {
        done = write_texts(options, *options.dot, ".dot", pictures(content));
    }
    if (done && options.csv) {
        done = write_texts(options, *options.csv, "", csv_tables(content));
    }
    if (done && options.chrome_trace) {
        auto const trace = chrome_trace(content);
        if (trace["traceEvents"].empty()) {
            return tl::unexpected(
                InputError{"--chrome-trace",
                           "nothing here has times",
                           "add --platform, a profile, or a trace that was timed"});
        }
        done = write_new_file(options,
                              *options.chrome_trace,
                              trace.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                                  '\n');
    }
    if (done && options.matrix) {
        std::size_t const count = content.runs.size() + content.profiles.size();
        if (count != 1) {
            return tl::unexpected(InputError{
                "--matrix",
                "is of one plan, trace or profile, and there are " + std::to_string(count),
                "give one trace or profile, or --keys and --distribution"});
        }
        done = write_new_file(options,
                              *options.matrix,
                              content.runs.empty() ? matrix_text(content.profiles.front())
                                                   : matrix_text(content.runs.front()));
    }
    return done;
}

bool writes_others(ReportCommand const& options) {
    return options.svg || options.png || options.dot || options.csv || options.matrix ||
           options.chrome_trace;
}

Expected<ExitCode> report(ReportCommand const& options) {
    bool const page_wanted = !options.json && (options.output || !writes_others(options));
    std::string const output = options.output.value_or(output_default);
    if (page_wanted && !options.force && std::filesystem::is_regular_file(output)) {
        return tl::unexpected(InputError{output,
                                         "exists already and is kept",
                                         "choose another --output, or replace it with --force"});
    }
    auto const content = report_content(options.content);
    if (!content) {
        return tl::unexpected(content.error());
    }
    auto const document = report_document(*content, repeat_command(*options.command));
    if (options.json) {
        constexpr int indent = 1;
        std::cout << document.dump(indent, ' ', false, Json::error_handler_t::replace) << '\n';
        return ExitCode::fine;
    }
    for (auto const& finding : document["findings"]) {
        std::cout << finding.get<std::string>() << '\n';
    }
    if (auto const written = write_others(options, *content); !written) {
        return tl::unexpected(written.error());
    }
    if (page_wanted) {
        std::string const page = report_page(document);
        if (auto const written = write_file(output, page); !written) {
            return tl::unexpected(written.error());
        }
        std::cout << "report: " << output << " (" << format_count(page.size())
                  << " bytes); open it in a browser\n";
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
                    "Schedules to simulate beside each other, as rmg-paper,rmg-rotated")
        ->delimiter(',')
        ->capture_default_str();
    command
        .add_option_function<std::string>(
            "--keys",
            [&options](std::string const& text) {
                auto const count = parse_count(text, "--keys");
                if (!count) {
                    throw CLI::ValidationError(count.error().message());
                }
                options.key_count = *count;
            },
            "Plan a sort of so many keys: 2e9, 2G; a trace says itself how many it has")
        ->type_name("COUNT");
    command.add_option("--type,--key-type", options.key_type, "u32, u64, i32, i64, f32, f64")
        ->capture_default_str();
    command.add_option(
        "--distribution", options.distribution, "Plan a sort of these keys; see 'distributions'");
    command.add_option("--parameter", options.parameter, "Of the distribution");
    command.add_option("--seed", options.seed, "Of the keys")->capture_default_str();
    command.add_option("--gpus", options.gpus, "Numbers on the platform, as 0,2,4,6");
    command.add_option("--gpu-count", options.gpu_count, "GPUs of a plan without a platform")
        ->check(CLI::Range(1U, 1024U));
    command.add_option("--digit-bits", options.digit_bits, "Bits a pass reads")
        ->check(CLI::Range(1, 16))
        ->capture_default_str();
    command.add_option("--tolerance-ppm", options.tolerance_ppm, "Of a chunk")
        ->capture_default_str();
    command.add_option("--fuse-ppm", options.fuse_ppm, "Of a chunk")->capture_default_str();
    command.add_option("--host-node", options.host_node, "NUMA node of input and output")
        ->capture_default_str();
    add_rerating_option(command, options.rerating_tolerance);
}

} // namespace

void add_report_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "report", "Show a plan, a recorded run, a simulation or a study as one HTML file");
    auto const options = std::make_shared<ReportCommand>();
    options->command = &command;
    add_content_options(command, options->content);
    command
        .add_option("--output",
                    options->output,
                    "The HTML file; keyswap-report.html where nothing else is asked for")
        ->default_str(output_default);
    command.add_option("--svg",
                       options->svg,
                       "Folder for pictures of buckets, passes and topology (needs Graphviz)");
    command.add_option("--png", options->png, "The same as PNG");
    command.add_option("--dot", options->dot, "The same as texts for Graphviz");
    command.add_option("--csv", options->csv, "Folder for tables, units in their headings");
    command.add_option(
        "--matrix", options->matrix, "File for the bytes from each GPU (line) to each other");
    command.add_option("--chrome-trace",
                       options->chrome_trace,
                       "File for a trace of prediction and measurement that Perfetto opens");
    command.add_flag("--force", options->force, "Replace the file where it exists");
    command.add_flag("--json", options->json, "Print the page's data instead of writing the page");
    run_when_chosen(command, chosen, options, report);
}

} // namespace keyswap::tools
