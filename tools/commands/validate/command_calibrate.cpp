#include "simulator/calibration/calibration.hpp"
#include "simulator/calibration/rate_fit.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/bench/probe_profile.hpp"
#include "tools/bench/probe_storage.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/gpu_list.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/measured_gpus.hpp"
#include "tools/output/unused_columns.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"
#include "traces/format/open_bytes.hpp"
#include "traces/measurements/rate_table.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <unistd.h>

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
    bool probe = false;
    std::optional<std::string> probe_storage; ///< folder
    std::optional<std::string> gpus;
    /// Not a power of two: buckets would begin at power-of-two distances, and a scatter of 2^27
    /// keys takes 1.3 times as long on an H100.
    std::uint64_t probe_keys = 125'000'000;
    Existing existing = Existing::keep;
    CLI::App const* command = nullptr; ///< must outlive the run

    [[nodiscard]] CommandFiles files() const {
        auto const given = [](std::string const& path) {
            return path.empty() ? std::nullopt : std::optional(path);
        };
        return {
            {{"calibrate", given(file)}, {"--platform", given(platform)}, {"--profile", profile}},
            {{"--output", output}, {"--output-platform", output_platform}},
            "",
            existing};
    }
};

void print_residuals(char const* title, std::vector<simulator::Residual> rows, std::ostream& out) {
    if (rows.empty()) {
        return;
    }
    std::ranges::sort(
        rows, {}, [](simulator::Residual const& row) { return -std::abs(row.error); });
    std::size_t const count = rows.size();
    out << formatted("\n%s: %zu phases, |error| median %.2f %%, p95 %.2f %%, worst %.2f %%\n",
                     title,
                     count,
                     100.0 * std::abs(rows[count / 2].error),
                     100.0 * std::abs(rows[count / 20].error),
                     100.0 * std::abs(rows.front().error));
    for (std::size_t index = 0; index < std::min<std::size_t>(5, count); ++index) {
        out << formatted("  %+7.2f %%  %-20s %s\n",
                         100.0 * rows[index].error,
                         rows[index].phase.c_str(),
                         printable_text(rows[index].configuration).c_str());
    }
}

std::uint64_t host_memory_bytes() {
    long const pages = sysconf(_SC_PHYS_PAGES);
    long const page_bytes = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page_bytes > 0
               ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
               : 0;
}

Expected<std::vector<int>> probed_devices(CalibrateOptions const& options) {
    KEYSWAP_TRY(auto const found, cuda::device_count());
    return choose_devices(options.gpus, std::nullopt, static_cast<std::uint32_t>(found));
}

Expected<ProbeResult> measure_machine(CalibrateOptions const& options) {
    KEYSWAP_TRY(auto const devices, probed_devices(options));
    KEYSWAP_TRY(auto const header, cuda::describe(devices));
    constexpr std::uint64_t copy_bytes = std::uint64_t{1} << 28; // 5 ms at 55 GB/s
    KEYSWAP_TRY(auto const rates, cuda::machine_rates(devices, copy_bytes));
    KEYSWAP_TRY(auto const kernels, cuda::kernel_rates(devices.front(), options.probe_keys));
    return ProbeResult{header.device,
                       header.driver,
                       utc_time_text().substr(0, 10),
                       devices,
                       host_memory_bytes(),
                       rates,
                       kernels};
}

void print_width(char const* name, kernels::KeyWidthRates const& rates, std::ostream& out) {
    out << formatted(
        "%s, ps/key: histogram %.2f, scatter %.2f (one digit %.2f), sort of 8/16/24/32 bits "
        "%.2f/%.2f/%.2f/%.2f, merge %.2f\n",
        name,
        rates.histogram_ps,
        rates.scatter_ps,
        rates.scatter_one_digit_ps,
        rates.sort_ps[0],
        rates.sort_ps[1],
        rates.sort_ps[2],
        rates.sort_ps[3],
        rates.merge_ps);
}

void print_probe(ProbeResult const& probe, std::ostream& out) {
    out << formatted("# %zu x %s, driver %s, %s\n",
                     probe.devices.size(),
                     probe.device.c_str(),
                     probe.driver.c_str(),
                     probe.date.c_str());
    out << formatted(
        "GB/s: memory %.0f (read + write), all host to device %.1f, device to host %.1f, "
        "both %.1f, all to all out of each %.1f\n",
        probe.rates.memory_copy,
        probe.rates.host_to_device_all,
        probe.rates.device_to_host_all,
        probe.rates.host_both_ways_all,
        probe.rates.all_to_all_out);
    std::size_t const gpus = probe.devices.size();
    for (std::size_t i = 0; i < gpus; ++i) {
        out << formatted("GPU %d: host to device %.1f, back %.1f, to its peers",
                         probe.devices[i],
                         probe.rates.host_to_device[i],
                         probe.rates.device_to_host[i]);
        for (std::size_t j = 0; j < gpus; ++j) {
            out << formatted(" %.0f", probe.rates.peer[i * gpus + j]);
        }
        out << '\n';
    }
    print_width("u32", probe.kernels.key32, out);
    print_width("u64", probe.kernels.key64, out);
    kernels::FastRates const& fast = probe.kernels.fast;
    out << formatted(
        "rmg-fast, ps/key: step of u32 %.2f, by 4 bits %.2f, of u64 %.2f, of (u32, u32) %.2f, "
        "stable "
        "%.2f and %.2f, three digits counted %.2f, leaves of u32 %.2f, u64 %.2f, (u32, u32) %.2f\n",
        fast.step32_ps,
        fast.step_few_ps,
        fast.step64_ps,
        fast.step_pairs_ps,
        fast.stable_step32_ps,
        fast.stable_step64_ps,
        fast.count_ps,
        fast.leaf32_ps,
        fast.leaf64_ps,
        fast.leaf_pairs_ps);
    out << formatted(
        "us at least: histogram %.1f, scatter %.1f, sort %.1f, merge %.1f; a small copy from "
        "the host %.1f, within the GPU %.1f; a call occupies the host for %.2f\n",
        probe.kernels.histogram_us,
        probe.kernels.scatter_us,
        probe.kernels.sort_us,
        probe.kernels.merge_us,
        probe.kernels.host_copy_us,
        probe.kernels.peer_copy_us,
        probe.kernels.host_call_us);
}

/// Lists the constants that were not measured, with the name of their profile.
void print_not_measured(simulator::DeviceProfile& profile,
                        std::string const& from,
                        std::ostream& out) {
    std::string list;
    for (simulator::ProfileConstant const& constant : simulator::constants_of(profile)) {
        if (profile.origins.at(constant.name).starts_with("assumed")) {
            list += (list.empty() ? "" : ", ") + constant.name;
        }
    }
    if (!list.empty()) {
        out << "Not measured, so assumed as in profile '" << printable_text(from) << "': " << list
            << ".\nOf the platform, latencies are assumed, and how GPUs are joined is not asked: a "
               "CPU and one switch stand for it ('keyswap topology here' describes links).\n";
    }
}

Expected<ExitCode> run_probe(CalibrateOptions const& options) {
    if (!options.file.empty() || !options.platform.empty()) {
        return input_error(
            "--probe",
            "measures this machine, so that no measurements and no platform are needed",
            "leave the file and --platform out");
    }
    KEYSWAP_RETURN_IF_ERROR(refuse_given(*options.command,
                                         "--hold-out --min-phase-ms --no-links --rounds",
                                         "applies to a fit, but --probe measures",
                                         "leave it out"));
    KEYSWAP_TRY(auto const named, simulator::load_device_profile(options.profile.value_or("h200")));
    KEYSWAP_TRY(auto const probe, measure_machine(options));
    // Unmeasured constants come from the profile of the same device name, if there is one.
    auto const of_device = options.profile ? named : simulator::load_device_profile(probe.device);
    auto const& start = of_device ? of_device : named;
    simulator::DeviceProfile profile = probed_profile(probe, *start);
    print_probe(probe, options.files().text());
    print_not_measured(profile, start->name, options.files().text());
    std::string const profile_name = options.output.value_or(start->name);
    if (options.output) {
        KEYSWAP_RETURN_IF_ERROR(
            write_whole_file(*options.output, simulator::write_device_profile(profile)));
    }
    if (options.output_platform) {
        KEYSWAP_RETURN_IF_ERROR(write_whole_file(
            *options.output_platform,
            simulator::write_platform(probed_platform(probe, "probed", profile_name))));
    }
    return ExitCode::fine;
}

/// Fits the rate profile of one device to a table of rates.
Expected<ExitCode>
fit_to_rates(CalibrateOptions const& options, std::string const& path, std::string const& text) {
    if (!options.platform.empty() || !options.profile) {
        return input_error(options.profile ? "--platform" : "--profile",
                           options.profile ? "applies to measured runs, but these are rates"
                                           : "is missing: rates are fitted a device at a time",
                           "give the rate profile alone, as --profile gtx1080");
    }
    KEYSWAP_RETURN_IF_ERROR(
        refuse_given(*options.command,
                     "--hold-out --min-phase-ms --no-links --output-platform --rounds",
                     "applies to measured runs, but these are rates",
                     "leave it out: the fit of a rate profile takes only --profile and --output"));
    KEYSWAP_TRY(auto const rates, parse_rates(text, path));
    KEYSWAP_TRY(auto profile, simulator::load_rate_profile(*options.profile));
    KEYSWAP_TRY(auto fitted, simulator::fit_rates(profile, rates));
    std::ostream& out = options.files().text();
    out << formatted("%-36s %12s %12s\n", "constant", "before", "after");
    auto const before = simulator::constants_of(profile);
    auto const after = simulator::constants_of(fitted);
    for (std::size_t index = 0; index < before.size(); ++index) {
        if (*before[index].value != *after[index].value) {
            out << formatted("%-36s %12.4g %12.4g %s\n",
                             before[index].name.c_str(),
                             *before[index].value,
                             *after[index].value,
                             before[index].unit.c_str());
        }
    }
    if (options.output) {
        KEYSWAP_RETURN_IF_ERROR(
            write_whole_file(*options.output, simulator::write_rate_profile(fitted)));
    }
    return ExitCode::fine;
}

/// Prints the storage section of a platform file for the disks of a folder.
Expected<ExitCode> run_storage_probe(std::string const& folder) {
    KEYSWAP_TRY(auto const disks, probe_storage(folder));
    std::cout << simulator::write_storage(disks);
    return ExitCode::fine;
}

Expected<ExitCode> run_calibrate(CalibrateOptions const& options) {
    if (options.probe_storage) {
        return run_storage_probe(*options.probe_storage);
    }
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    if (options.probe) {
        return run_probe(options);
    }
    KEYSWAP_RETURN_IF_ERROR(refuse_given(*options.command,
                                         "--gpus --probe-keys",
                                         "selects what --probe measures, but a file is read",
                                         "leave it out, or give --probe in place of the file"));
    auto const path = options.file.empty() ? Expected<std::string>() : readable_path(options.file);
    auto const text = path.and_then([&options](std::string const& known) {
        return options.file.empty() ? Expected<std::string>()
                                    : open_bytes(known).and_then([&known](auto const& bytes) {
                                          return read_text(*bytes, known);
                                      });
    });
    KEYSWAP_RETURN_IF_ERROR(text);
    if (looks_like_rates(*text)) {
        return fit_to_rates(options, *path, *text);
    }
    if (options.file.empty() || options.platform.empty()) {
        return input_error("calibrate",
                           "needs a file of measurements and --platform",
                           "give both, or --probe to measure this machine");
    }
    KEYSWAP_TRY(auto const runs, parse_measurements(*text, *path));
    remark_unused_columns(*text, options.file);
    KEYSWAP_TRY(auto const machine, simulator::load_machine(options.platform, options.profile));
    remark_other_gpus(gpu_names(runs), options.file, machine.platform);
    simulator::CalibrationOptions fit = options.fit;
    fit.fit_links = !options.no_links;
    KEYSWAP_TRY(auto const result, simulator::calibrate(machine, runs, fit));
    std::ostream& out = options.files().text();
    out << formatted("# %s, %zu runs, platform %s, start profile %s\n",
                     options.file.c_str(),
                     runs.size(),
                     printable_text(machine.platform.name).c_str(),
                     printable_text(machine.device.name).c_str());
    out << formatted("%-36s %12s %12s  95 %% within\n", "constant", "before", "after");
    for (simulator::CalibratedConstant const& constant : result.constants) {
        out << formatted("%-36s %12.4g %12.4g  +- %.3g %s%s\n",
                         constant.name.c_str(),
                         constant.before,
                         constant.after,
                         constant.confidence,
                         constant.unit.c_str(),
                         constant.identified ? "" : "  (not shown by these runs)");
    }
    print_residuals("fitted", result.residuals, out);
    print_residuals("held out", result.held_out_residuals, out);
    if (options.output) {
        KEYSWAP_RETURN_IF_ERROR(write_whole_file(
            *options.output, simulator::write_device_profile(result.machine.device)));
    }
    if (options.output_platform) {
        KEYSWAP_TRY(auto const tables, simulator::write_optional_tables(options.platform));
        KEYSWAP_RETURN_IF_ERROR(write_whole_file(
            *options.output_platform, simulator::write_platform(result.machine.platform) + tables));
    }
    return ExitCode::fine;
}

} // namespace

void add_calibrate_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "calibrate", "Fit device profile and platform to measured runs, or measure this machine");
    auto const options = std::make_shared<CalibrateOptions>();
    options->command = &command;
    command.add_option("file",
                       options->file,
                       "Measurements in the published CSV format, or rates of single devices");
    command.add_option("--platform", options->platform, "Platform by name or file");
    command.add_option("--profile",
                       options->profile,
                       "Device profile to start from; for rates, the rate profile of one device");
    command.add_option("--output", options->output, "Write the device profile here");
    command.add_option("--output-platform",
                       options->output_platform,
                       "Write the platform with its links' achieved capacities here");
    add_force_option(command, options->existing);
    command
        .add_option(
            "--rounds", options->fit.rounds, "Rounds of the fit; each linearizes the model again")
        ->check(CLI::Range(1, 50))
        ->capture_default_str();
    command
        .add_option("--hold-out",
                    options->fit.hold_out_every,
                    "Hold out every Nth configuration and test with it")
        ->check(CLI::Range(0, 1000))
        ->check(CLI::Validator(
            [](std::string const& count) {
                return std::string(count == "1" ? "1 would leave no configuration to fit" : "");
            },
            ""))
        ->capture_default_str();
    command.add_option("--min-phase-ms", options->fit.phase_ms_min, "Leave out shorter phases")
        ->capture_default_str();
    command.add_flag("--probe",
                     options->probe,
                     "Measure this machine's copies and kernels instead of reading a file");
    CLI::Option& storage =
        *command
             .add_option("--probe-storage",
                         options->probe_storage,
                         "Measure the disks below this folder with a file of 1 GiB, and print the "
                         "lines for a platform file")
             ->type_name("DIR");
    command.add_option("--gpus", options->gpus, "Probe: devices, as 0,2 or 0-3 (default: all)");
    add_count_option(command, "--probe-keys", options->probe_keys, "Probe: keys of each kernel");
    command.add_flag("--no-links", options->no_links, "Fit the device profile only");
    exclude_all_but(command, storage, "--help");
    run_when_chosen(command, chosen, options, run_calibrate);
}

} // namespace keyswap::tools
