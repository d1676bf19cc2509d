#include "tools/command.hpp"
#include "tools/number_option.hpp"
#include "tools/number_text.hpp"
#include "tools/report/repeat_command.hpp"
#include "tools/report/report_page.hpp"
#include "tools/report/report_request.hpp"
#include "traces/atomic_file.hpp"

#include <filesystem>
#include <iostream>

namespace keyswap::tools {

namespace {

struct ReportCommand {
    ReportOptions content;
    std::string output = "keyswap-report.html";
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

/// A device such as /dev/stdout may always be written.
bool is_kept(ReportCommand const& options) {
    return !options.force && std::filesystem::is_regular_file(options.output);
}

Expected<ExitCode> report(ReportCommand const& options) {
    if (!options.json && is_kept(options)) {
        return tl::unexpected(InputError{options.output,
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
        std::cout << document.dump(
                         indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                  << '\n';
        return ExitCode::fine;
    }
    std::string const page = report_page(document);
    if (auto const written = write_file(options.output, page); !written) {
        return tl::unexpected(written.error());
    }
    for (auto const& finding : document["findings"]) {
        std::cout << finding.get<std::string>() << '\n';
    }
    std::cout << "report: " << options.output << " (" << format_count(page.size())
              << " bytes); open it in a browser\n";
    return ExitCode::fine;
}

void add_content_options(CLI::App& command, ReportOptions& options) {
    command.add_option(
        "file",
        options.files,
        "Traces, CSV files of measurements, what 'keyswap whatif --json' printed; in any order");
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
    command.add_option("--key-type", options.key_type, "u32, u64, i32, i64, f32, f64")
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
}

} // namespace

void add_report_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "report", "Show a plan, a recorded run, a simulation or a study as one HTML file");
    auto const options = std::make_shared<ReportCommand>();
    options->command = &command;
    add_content_options(command, options->content);
    command.add_option("--output", options->output, "The HTML file")->capture_default_str();
    command.add_flag("--force", options->force, "Replace the file where it exists");
    command.add_flag("--json", options->json, "Print the page's data instead of writing the page");
    run_when_chosen(command, chosen, options, report);
}

} // namespace keyswap::tools
