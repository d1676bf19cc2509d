#include "tools/commands/command.hpp"
#include "tools/commands/validate/validate_operation.hpp"
#include "tools/commands/validate/validate_options.hpp"
#include "tools/options/accept_only.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/unused_columns.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/open_bytes.hpp"
#include "traces/measurements/csv_row.hpp"

namespace keyswap::tools {

namespace {

/// First given option that applies to measured runs of sorts only.
std::optional<std::string> option_of_sorts(ValidateOptions const& options) {
    for (auto const& [given, name] :
         {std::pair{options.hold_out.has_value(), "--hold-out"},
          std::pair{options.key_count_min > 0, "--min-keys"},
          std::pair{options.phase_ms_min.has_value(), "--min-phase-ms"},
          std::pair{options.limits.phase_p95_max.has_value(), "--max-phase-p95-error"}}) {
        if (given) {
            return name;
        }
    }
    return std::nullopt;
}

Expected<ExitCode>
run_rates(ValidateOptions const& options, std::string const& path, std::string const& text) {
    auto const option = options.platform  ? std::optional<std::string>("--platform")
                        : options.profile ? "--profile"
                                          : option_of_sorts(options);
    if (option) {
        return input_error(*option,
                           "applies to measured runs, but " + options.file +
                               " has rates of single devices",
                           "leave it out: rates name their devices");
    }
    return parse_rates(text, path).and_then([&](std::vector<PublishedRate> const& rates) {
        return validate_rates(options, path, rates);
    });
}

/// Error for an option that applies to the output of nccl-tests only.
std::optional<InputError> misplaced(ValidateOptions const& options) {
    for (auto const& [given, name] : {std::pair{options.operation.has_value(), "--operation"},
                                      std::pair{options.gpus.has_value(), "--gpus"}}) {
        if (given) {
            return InputError{name,
                              "applies to output of nccl-tests, which " + options.file + " is not",
                              "leave it out: measured runs name theirs"};
        }
    }
    return std::nullopt;
}

Expected<ExitCode> run_validate(ValidateOptions const& options) {
    KEYSWAP_TRY(auto const path, readable_path(options.file));
    KEYSWAP_TRY(auto const text,
                open_bytes(path).and_then([&path](std::unique_ptr<ByteSource> const& bytes) {
                    return read_text(*bytes, path);
                }));
    if (auto utf16 = utf16_error(text, path)) {
        return tl::unexpected(std::move(*utf16));
    }
    if (looks_like_nccl_tests(text)) {
        if (auto const option = option_of_sorts(options)) {
            return input_error(*option,
                               "applies to measured sorts, but " + options.file +
                                   " is output of nccl-tests",
                               "leave it out");
        }
        return validate_nccl_tests(options, path, text);
    }
    if (auto error = misplaced(options)) {
        return tl::unexpected(std::move(*error));
    }
    if (looks_like_rates(text)) {
        return run_rates(options, path, text);
    }
    KEYSWAP_TRY(auto const runs, parse_measurements(text, path));
    remark_unused_columns(text, options.file);
    return validate_runs(options, runs);
}

} // namespace

void add_validate_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("validate", "Compare predictions with measured runs, phase by phase");
    auto const options = std::make_shared<ValidateOptions>();
    auto const add_limit =
        [&command](char const* name, std::optional<double>& value, char const* text) {
            constexpr double most = 1e9;
            return command.add_option(name, value, text)->check(CLI::Range(0.0, most));
        };
    command
        .add_option("file",
                    options->file,
                    "Measurements in the published CSV format, rates of single devices, or what "
                    "nccl-tests print, as text or JSON")
        ->required();
    command.add_option(
        "--platform", options->platform, "Platform that was measured, by name or file");
    command.add_option("--profile", options->profile, "Device profile by name or file");
    add_count_option(command,
                     "--min-keys",
                     options->key_count_min,
                     "Leave configurations of fewer keys out of the summary");
    add_limit("--min-phase-ms", options->phase_ms_min, "Leave shorter phases out of the summary")
        ->default_str(formatted("%g", phase_ms_min_default));
    add_limit("--max-median-error",
              options->limits.median_max,
              "Highest median error of the total, as a fraction");
    add_limit("--max-p95-error",
              options->limits.p95_max,
              "Highest 95th percentile of the total's error, as a fraction");
    add_limit("--max-worst-error",
              options->limits.worst_max,
              "Highest error of any total, as a fraction");
    add_limit("--max-phase-p95-error",
              options->limits.phase_p95_max,
              "Highest 95th percentile of any phase's error, as a fraction");
    command.add_option("--hold-out",
                       options->hold_out,
                       "Fit without one class of configurations at a time and predict it: gpus, "
                       "distribution, type or size");
    accept_only(
        *command.add_option("--operation",
                            options->operation,
                            "What nccl-tests measured, needed if their output does not name it"),
        simulator::collective_names());
    command.add_option("--gpus",
                       options->gpus,
                       "GPUs on which nccl-tests ran, as 0,2,4-6; by default those in their "
                       "output, or the first ones");
    command.add_flag("--json", options->json, "Print JSON");
    run_when_chosen(command, chosen, options, run_validate);
}

} // namespace keyswap::tools
