#include "simulator/calibration.hpp"
#include "tools/command.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace keyswap::tools {

namespace {

struct CalibrateOptions {
    std::string file;
    std::string platform;
    std::optional<std::string> profile;
    std::optional<std::string> output;
    std::optional<std::string> output_platform;
    simulator::CalibrationOptions fit;
    bool no_links = false;
};

Expected<void> write_text(std::string const& path, std::string const& text) {
    std::ofstream file(path);
    file << text;
    if (!file.flush()) {
        return tl::unexpected(InputError{path, "cannot be written", "is its folder there?"});
    }
    return {};
}

void print_residuals(char const* title, std::vector<simulator::Residual> rows) {
    if (rows.empty()) {
        return;
    }
    std::ranges::sort(
        rows, {}, [](simulator::Residual const& row) { return -std::abs(row.error); });
    std::size_t const count = rows.size();
    std::printf("\n%s: %zu phases, |error| median %.2f %%, p95 %.2f %%, worst %.2f %%\n",
                title,
                count,
                100.0 * std::abs(rows[count / 2].error),
                100.0 * std::abs(rows[count / 20].error),
                100.0 * std::abs(rows.front().error));
    for (std::size_t index = 0; index < std::min<std::size_t>(5, count); ++index) {
        std::printf("  %+7.2f %%  %-20s %s\n",
                    100.0 * rows[index].error,
                    rows[index].phase.c_str(),
                    rows[index].configuration.c_str());
    }
}

Expected<ExitCode> run_calibrate(CalibrateOptions const& options) {
    auto const runs = read_measurements(options.file);
    if (!runs) {
        return tl::unexpected(runs.error());
    }
    auto const machine = simulator::load_machine(options.platform, options.profile);
    if (!machine) {
        return tl::unexpected(machine.error());
    }
    simulator::CalibrationOptions fit = options.fit;
    fit.fit_links = !options.no_links;
    auto const result = simulator::calibrate(*machine, *runs, fit);
    if (!result) {
        return tl::unexpected(result.error());
    }
    std::printf("# %s, %zu runs, platform %s, start profile %s\n",
                options.file.c_str(),
                runs->size(),
                machine->platform.name.c_str(),
                machine->device.name.c_str());
    std::printf("%-36s %12s %12s  95 %% within\n", "constant", "before", "after");
    for (simulator::CalibratedConstant const& constant : result->constants) {
        std::printf("%-36s %12.4g %12.4g  +- %.3g %s%s\n",
                    constant.name.c_str(),
                    constant.before,
                    constant.after,
                    constant.confidence,
                    constant.unit.c_str(),
                    constant.identified ? "" : "  (not shown by these runs)");
    }
    print_residuals("fitted", result->residuals);
    print_residuals("held out", result->held_out_residuals);
    std::fflush(stdout);
    if (options.output) {
        auto const done =
            write_text(*options.output, simulator::write_device_profile(result->machine.device));
        if (!done) {
            return tl::unexpected(done.error());
        }
    }
    if (options.output_platform) {
        auto const done = write_text(*options.output_platform,
                                     simulator::write_platform(result->machine.platform));
        if (!done) {
            return tl::unexpected(done.error());
        }
    }
    return ExitCode::fine;
}

} // namespace

void add_calibrate_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "calibrate", "Fit a device profile and a platform's links to measured runs");
    auto const options = std::make_shared<CalibrateOptions>();
    command.add_option("file", options->file, "Measurements in the published CSV format")
        ->required();
    command.add_option("--platform", options->platform, "Platform by name or file")->required();
    command.add_option("--profile", options->profile, "Device profile to start from");
    command.add_option("--output", options->output, "Write the device profile here");
    command.add_option("--output-platform",
                       options->output_platform,
                       "Write the platform with its links' achieved capacities here");
    command.add_option("--rounds", options->fit.rounds, "Linearizations")
        ->check(CLI::Range(1, 50))
        ->capture_default_str();
    command
        .add_option("--hold-out",
                    options->fit.hold_out_every,
                    "Keep every so many configurations out and test with them")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    command.add_option("--min-phase-ms", options->fit.phase_ms_min, "Leave shorter phases out")
        ->capture_default_str();
    command.add_flag("--no-links", options->no_links, "Fit the device profile only");
    run_when_chosen(command, chosen, options, run_calibrate);
}

} // namespace keyswap::tools
