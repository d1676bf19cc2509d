#include "simulator/chrome_trace.hpp"
#include "simulator/prediction.hpp"
#include "tools/bars.hpp"
#include "tools/command.hpp"
#include "tools/simulation_options.hpp"
#include "tools/simulation_summary.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace keyswap::tools {

namespace {

struct SimulateOptions {
    SimulationOptions common;
    std::string gpus;
    std::optional<std::string> trace;
    bool json = false;
};

nlohmann::json to_json(simulator::Machine const& machine, simulator::Simulation const& simulation) {
    nlohmann::json phases = nlohmann::json::array();
    for (PhaseLine const& line : phase_lines(simulation)) {
        phases.push_back({{"phase", line.name},
                          {"pass", line.pass},
                          {"begin_ms", simulator::to_milliseconds(line.span.begin)},
                          {"end_ms", simulator::to_milliseconds(line.span.end)}});
    }
    nlohmann::json links = nlohmann::json::array();
    for (simulator::ChannelUse const& use : simulation.timeline.channels) {
        if (use.size_bytes > 0.0) {
            links.push_back({{"name", use.name},
                             {"capacity_GBps", use.capacity_Bps * 1e-9},
                             {"peak_GBps", use.peak_Bps * 1e-9},
                             {"mean_GBps", use.mean_Bps * 1e-9},
                             {"saturated_ms", simulator::to_milliseconds(use.saturated)}});
        }
    }
    return {{"algorithm", simulation.request.algorithm},
            {"platform", machine.platform.name},
            {"platform_hash", simulator::platform_hash(machine.platform)},
            {"device_profile", machine.device.name},
            {"num_keys", simulation.request.config.key_count},
            {"key_type", std::string(to_string(simulation.request.config.key_type))},
            {"distribution", simulation.request.distribution},
            {"seed", simulation.request.seed},
            {"rerating_tolerance", simulation.request.engine.rerating_tolerance},
            {"gpus", simulation.request.gpus},
            {"passes", simulation.schedule.passes},
            {"copies", simulation.schedule.copies},
            {"sort_calls", simulation.schedule.sort_calls},
            {"total_ms", simulator::to_milliseconds(simulation.timeline.makespan)},
            {"phases", phases},
            {"links", links},
            {"bottleneck", bottleneck(simulation)}};
}

void print_text(simulator::Machine const& machine, simulator::Simulation const& simulation) {
    auto const& request = simulation.request;
    std::string gpus;
    for (std::uint32_t const gpu : request.gpus) {
        gpus += (gpus.empty() ? "" : ",") + std::to_string(gpu);
    }
    std::printf("# %s: %llu keys of %s, %s, seed %llu, GPUs %s of %s (%016llx), profile %s\n",
                request.algorithm.c_str(),
                static_cast<unsigned long long>(request.config.key_count),
                std::string(to_string(request.config.key_type)).c_str(),
                request.distribution.c_str(),
                static_cast<unsigned long long>(request.seed),
                gpus.c_str(),
                machine.platform.name.c_str(),
                static_cast<unsigned long long>(simulator::platform_hash(machine.platform)),
                machine.device.name.c_str());
    std::printf("%-22s %12s %12s %12s\n", "phase", "begin ms", "end ms", "ms");
    for (PhaseLine const& line : phase_lines(simulation)) {
        std::string const name =
            line.name + (line.pass > 0 ? " " + std::to_string(line.pass) : std::string());
        std::printf("%-22s %12.3f %12.3f %12.3f\n",
                    name.c_str(),
                    simulator::to_milliseconds(line.span.begin),
                    simulator::to_milliseconds(line.span.end),
                    simulator::to_milliseconds(line.span.end - line.span.begin));
    }
    std::printf("%-22s %12s %12s %12.3f\n\n",
                "total",
                "",
                "",
                simulator::to_milliseconds(simulation.timeline.makespan));
    std::string const bars = phase_bars(simulation, bar_style_of(STDOUT_FILENO));
    if (!bars.empty()) {
        std::printf("%s\n", bars.c_str());
    }
    std::printf("%-40s %10s %10s %10s\n", "link", "GB/s", "peak", "mean");
    for (simulator::ChannelUse const& use : simulation.timeline.channels) {
        if (use.size_bytes > 0.0) {
            std::printf("%-40s %10.1f %10.1f %10.1f\n",
                        use.name.c_str(),
                        use.capacity_Bps * 1e-9,
                        use.peak_Bps * 1e-9,
                        use.mean_Bps * 1e-9);
        }
    }
    std::printf("\n%d passes, %zu copies, %zu sorts. %s\n",
                simulation.schedule.passes,
                simulation.schedule.copies,
                simulation.schedule.sort_calls,
                bottleneck(simulation).c_str());
    if (request.engine.rerating_tolerance > 0.0) {
        std::printf(
            "Not exact: copies that end within %g of their time share a re-rating; 'keyswap "
            "bench-simulator' measures the error.\n",
            request.engine.rerating_tolerance);
    }
    std::fflush(stdout);
}

Expected<ExitCode> run_simulate(SimulateOptions const& options) {
    auto const machine = simulator::load_machine(options.common.platform, options.common.profile);
    if (!machine) {
        return tl::unexpected(machine.error());
    }
    auto request = request_from(options.common, *machine);
    if (!request) {
        return tl::unexpected(request.error());
    }
    auto const gpus = parse_gpus(options.gpus, *machine);
    if (!gpus) {
        return tl::unexpected(gpus.error());
    }
    request->gpus = *gpus;
    request->engine.recording =
        options.trace ? simulator::ChannelRecording::samples : simulator::ChannelRecording::totals;
    auto const simulation = simulator::simulate(*machine, std::move(*request));
    if (!simulation) {
        return tl::unexpected(simulation.error());
    }
    if (options.trace) {
        std::ofstream file(*options.trace);
        simulator::write_chrome_trace(file, simulation->schedule.graph, simulation->timeline);
        if (!file.flush()) {
            return tl::unexpected(
                InputError{*options.trace, "cannot be written", "is its folder there?"});
        }
    }
    if (options.json) {
        std::cout << to_json(*machine, *simulation).dump(2) << '\n';
    } else {
        print_text(*machine, *simulation);
    }
    return ExitCode::fine;
}

} // namespace

void add_simulate_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("simulate", "Predict a sort's phases and links' use on a machine");
    auto const options = std::make_shared<SimulateOptions>();
    add_simulation_options(command, options->common);
    command.add_option("--gpus", options->gpus, "Numbers on the machine, as 0,2,4,6; default: all");
    command.add_option("--trace", options->trace, "Write a Chrome trace here");
    command.add_flag("--json", options->json, "Print JSON");
    run_when_chosen(command, chosen, options, run_simulate);
}

} // namespace keyswap::tools
