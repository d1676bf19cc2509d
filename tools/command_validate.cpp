#include "simulator/validation.hpp"
#include "tools/command.hpp"
#include "tools/number_option.hpp"

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

namespace keyswap::tools {

namespace {

struct ValidateOptions {
    std::string file;
    std::string platform;
    std::optional<std::string> profile;
    std::uint64_t key_count_min = 0;
    double phase_ms_min = 1.0;
    std::optional<double> median_max;
    std::optional<double> p95_max;
    std::optional<double> worst_max;
    std::optional<double> phase_p95_max;
    bool json = false;
};

std::string gpus_text(std::vector<int> const& gpus) {
    std::string text;
    for (int const gpu : gpus) {
        text += (text.empty() ? "" : ",") + std::to_string(gpu);
    }
    return text.empty() ? "CPU" : text;
}

nlohmann::json row_json(simulator::ValidatedConfiguration const& row) {
    Measurement const& run = row.measured.first;
    nlohmann::json phases = nlohmann::json::array();
    for (simulator::PhaseError const& phase : row.phases) {
        phases.push_back({{"phase", phase.phase},
                          {"measured_ms", phase.measured_ms},
                          {"predicted_ms", phase.predicted_ms},
                          {"relative_error", phase.error()}});
    }
    return {{"algorithm", run.algorithm},
            {"num_keys", run.key_count},
            {"gpus", run.gpus},
            {"key_type", run.key_type},
            {"distribution", run.distribution},
            {"parameter", run.parameter},
            {"runs", row.measured.runs},
            {"passes_measured", row.measured.passes},
            {"passes_predicted", row.predicted_passes},
            {"phases", phases}};
}

void print_row(simulator::ValidatedConfiguration const& row) {
    Measurement const& run = row.measured.first;
    std::printf("%-17s %11.0f %-15s %-7s %-14s %4g %d/%d",
                run.algorithm.c_str(),
                static_cast<double>(run.key_count),
                gpus_text(run.gpus).c_str(),
                run.key_type.c_str(),
                run.distribution.c_str(),
                run.parameter,
                row.predicted_passes,
                row.measured.passes);
    for (simulator::PhaseError const& phase : row.phases) {
        std::printf("  %s %.2f/%.2f %+.1f%%",
                    phase.phase.c_str(),
                    phase.predicted_ms,
                    phase.measured_ms,
                    100.0 * phase.error());
    }
    std::printf("\n");
}

bool exceeds(std::optional<double> const& limit, double value) {
    return limit && value > *limit;
}

Expected<ExitCode> run_validate(ValidateOptions const& options) {
    auto const runs = read_measurements(options.file);
    if (!runs) {
        return tl::unexpected(runs.error());
    }
    auto const machine = simulator::load_machine(options.platform, options.profile);
    if (!machine) {
        return tl::unexpected(machine.error());
    }
    auto const validation = simulator::validate(*machine, *runs);
    if (!validation) {
        return tl::unexpected(validation.error());
    }
    simulator::SummaryFilter const filter{
        options.key_count_min, ~std::uint64_t{0}, options.phase_ms_min};
    auto const summaries = simulator::summarize(*validation, filter);
    bool too_large = exceeds(options.median_max, summaries.front().median) ||
                     exceeds(options.p95_max, summaries.front().p95) ||
                     exceeds(options.worst_max, summaries.front().worst);
    for (std::size_t index = 1; index < summaries.size(); ++index) {
        too_large = too_large || exceeds(options.phase_p95_max, summaries[index].p95);
    }
    if (options.json) {
        nlohmann::json rows = nlohmann::json::array();
        for (auto const& row : validation->configurations) {
            rows.push_back(row_json(row));
        }
        nlohmann::json summary = nlohmann::json::array();
        for (simulator::ErrorSummary const& phase : summaries) {
            summary.push_back({{"phase", phase.phase},
                               {"count", phase.count},
                               {"median", phase.median},
                               {"p95", phase.p95},
                               {"worst", phase.worst}});
        }
        std::cout << nlohmann::json{{"file", options.file},
                                    {"platform", machine->platform.name},
                                    {"platform_hash", simulator::platform_hash(machine->platform)},
                                    {"device_profile", machine->device.name},
                                    {"passes_compared", validation->passes_compared},
                                    {"passes_equal", validation->passes_equal},
                                    {"configurations", rows},
                                    {"summary", summary},
                                    {"within_thresholds", !too_large}}
                         .dump(2)
                  << '\n';
        return too_large ? ExitCode::violation : ExitCode::fine;
    }
    std::printf("# %s on platform %s (%016llx), device profile %s; predicted/measured in ms\n",
                options.file.c_str(),
                machine->platform.name.c_str(),
                static_cast<unsigned long long>(simulator::platform_hash(machine->platform)),
                machine->device.name.c_str());
    for (auto const& row : validation->configurations) {
        print_row(row);
    }
    std::printf("\nphase                 count   median      p95    worst\n");
    for (simulator::ErrorSummary const& phase : summaries) {
        std::printf("%-20s %6zu %7.2f%% %7.2f%% %7.2f%%\n",
                    phase.phase.c_str(),
                    phase.count,
                    100.0 * phase.median,
                    100.0 * phase.p95,
                    100.0 * phase.worst);
    }
    std::printf("passes equal: %zu of %zu configurations\n",
                validation->passes_equal,
                validation->passes_compared);
    std::fflush(stdout);
    return too_large ? ExitCode::violation : ExitCode::fine;
}

} // namespace

void add_validate_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("validate", "Compare predictions with measured runs, phase by phase");
    auto const options = std::make_shared<ValidateOptions>();
    command.add_option("file", options->file, "Measurements in the published CSV format")
        ->required();
    command.add_option("--platform", options->platform, "Platform by name or file")->required();
    command.add_option("--profile", options->profile, "Device profile by name or file");
    add_count_option(command,
                     "--min-keys",
                     options->key_count_min,
                     "Summarize configurations of at least so many keys");
    command
        .add_option("--min-phase-ms",
                    options->phase_ms_min,
                    "Summarize phases that were measured to last at least so long")
        ->capture_default_str();
    command.add_option("--max-median-error", options->median_max, "Of the total, as a fraction");
    command.add_option("--max-p95-error", options->p95_max, "Of the total, as a fraction");
    command.add_option("--max-worst-error", options->worst_max, "Of the total, as a fraction");
    command.add_option(
        "--max-phase-p95-error", options->phase_p95_max, "Of every phase, as a fraction");
    command.add_flag("--json", options->json, "Print JSON");
    run_when_chosen(command, chosen, options, run_validate);
}

} // namespace keyswap::tools
