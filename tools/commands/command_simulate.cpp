#include "simulator/engine/chrome_trace.hpp"
#include "simulator/study/certainty.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/simulate_device.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/report/bars.hpp"
#include "tools/text/memory_text.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "tools/text/simulation_summary.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <unistd.h>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

struct SimulateOptions {
    SimulationOptions common;
    std::optional<std::string> device; ///< asks for a sort inside it
    std::string gpus = "all";
    std::string swap = "flat";
    std::vector<std::string> assumptions;
    std::optional<std::string> trace;
    Existing existing = Existing::keep;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {{{"--platform", common.platform}, {"--profile", common.profile}},
                {{"--trace", trace}},
                json ? "--json" : "",
                existing};
    }
};

/// A prediction and how sure it is.
struct Answer {
    simulator::Simulation simulation;
    simulator::Certainty certainty;
};

Json to_json(simulator::MachineConstant const& constant) {
    return {{"name", constant.name},
            {"unit", constant.unit},
            {"value", constant.value},
            {"low", constant.low()},
            {"high", constant.high()},
            {"origin", constant.origin}};
}

/// The order of the key swap that was not taken, with its time; null unless both were tried.
Json other_swap_json(simulator::Simulation const& simulation) {
    if (!simulation.other_swap) {
        return {};
    }
    auto const& makespan = simulation.other_swap->makespan;
    return {{"swap", to_string(simulation.other_swap->order)},
            {"total_ms", makespan ? Json(simulator::to_milliseconds(*makespan)) : Json()}};
}

/// Empty where a flat swap was asked for.
std::string swap_sentence(simulator::Simulation const& simulation) {
    std::string const taken(to_string(simulation.request.swap));
    if (!simulation.other_swap) {
        return simulation.request.swap == simulator::SwapOrder::flat ? ""
                                                                     : "Swap: " + taken + ".\n";
    }
    std::string const other(to_string(simulation.other_swap->order));
    auto const& makespan = simulation.other_swap->makespan;
    return "Swap: " + taken + (makespan ? ", the faster one; " : ", since ") + other +
           (makespan ? printed(" takes %.3f ms.\n", simulator::to_milliseconds(*makespan))
                     : std::string(" takes more memory than there is.\n"));
}

Json unsure_json(std::vector<simulator::UnsureScatter> const& unsure) {
    Json all = Json::array();
    for (simulator::UnsureScatter const& scatter : unsure) {
        all.push_back({{"pass", scatter.pass},
                       {"chance", scatter.chance},
                       {"ms", simulator::to_milliseconds(scatter.duration)},
                       {"counted", scatter.chance >= 0.5}});
    }
    return all;
}

/// "Scatter 2 takes place with a probability of 17 % (a handful of keys decides); its 18.3 ms are
/// not counted."
std::string unsure_sentences(std::vector<simulator::UnsureScatter> const& unsure) {
    std::string text;
    for (simulator::UnsureScatter const& scatter : unsure) {
        text += formatted("Scatter %d takes place with a probability of %.0f %% (a handful of keys "
                          "decides); its %.3g ms are %s.\n",
                          scatter.pass,
                          100.0 * scatter.chance,
                          simulator::to_milliseconds(scatter.duration),
                          scatter.chance >= 0.5 ? "counted" : "not counted");
    }
    return text;
}

/// The distribution's parameter, null where it has none.
Json parameter_json(simulator::SimulationRequest const& request) {
    auto const parameter = resolved_parameter(request.distribution, request.parameter);
    return parameter ? Json(*parameter) : Json();
}

Json to_json(simulator::Machine const& machine,
             Answer const& answer,
             std::span<std::string const> assumptions) {
    simulator::Simulation const& simulation = answer.simulation;
    Json effects = Json::array();
    for (simulator::AssumptionEffect const& effect : answer.certainty.effects) {
        Json one = to_json(effect.constant);
        one.update(Json{{"low_ms", effect.low_ms},
                        {"high_ms", effect.high_ms},
                        {"simulated", effect.simulated}});
        effects.push_back(one);
    }
    Json phases = Json::array();
    for (PhaseLine const& line : phase_lines(simulation)) {
        phases.push_back({{"phase", line.name},
                          {"pass", line.pass},
                          {"begin_ms", simulator::to_milliseconds(line.span.begin)},
                          {"end_ms", simulator::to_milliseconds(line.span.end)}});
    }
    Json links = Json::array();
    for (simulator::ChannelUse const& use : used_channels(simulation)) {
        links.push_back({{"name", use.name},
                         {"capacity_GBps", use.capacity_Bps * 1e-9},
                         {"peak_GBps", use.peak_Bps * 1e-9},
                         {"mean_GBps", use.mean_Bps * 1e-9},
                         {"saturated_ms", simulator::to_milliseconds(use.saturated)}});
    }
    auto const& request = simulation.request;
    auto const places = simulator::key_places(machine.platform, request);
    Json json = json_result("simulate",
                            {{"algorithm", request.algorithm},
                             {"platform", machine.platform.name},
                             {"platform_hash", hash_text(platform_hash(machine.platform))},
                             {"device_profile", machine.device.name},
                             {"keys", request.config.key_count},
                             {"type", to_string(request.config.key_type)},
                             {"values", to_string(request.config.value_type)},
                             {"input_on", simulator::to_string(places.input)},
                             {"output_on", simulator::to_string(places.output)},
                             {"distribution", request.distribution},
                             {"parameter", parameter_json(request)},
                             {"seed", request.seed},
                             {"swap", to_string(request.swap)},
                             {"rate_tolerance", request.engine.rate_tolerance},
                             {"gpus", request.gpus},
                             {"assume", assumptions}});
    json.update(Json{{"passes", simulation.schedule.passes},
                     {"copies", simulation.schedule.copies},
                     {"copies_joined", simulation.schedule.graph.has_trains()},
                     {"sort_calls", simulation.schedule.sort_calls},
                     {"total_ms", simulator::to_milliseconds(simulation.timeline.makespan)},
                     {"other_swap", other_swap_json(simulation)},
                     {"interval_ms", {answer.certainty.low_ms, answer.certainty.high_ms}},
                     {"model_error", answer.certainty.error},
                     {"assumptions", effects},
                     {"unsure_scatters", unsure_json(simulation.schedule.unsure)},
                     {"phases", phases},
                     {"links", links},
                     {"bottleneck", bottleneck(simulation)},
                     {"memory", memory_json(simulation.memory)}});
    return json;
}

std::uint64_t element_bytes(simulator::SimulationRequest const& request) {
    return key_size_bytes(request.config.key_type) + value_size_bytes(request.config.value_type);
}

/// The interval, and which assumptions make it wide.
void print_certainty(simulator::Certainty const& certainty, std::ostream& out) {
    constexpr std::size_t shown_max = 3;
    out << "Expect " << interval_text(certainty.low_ms, certainty.high_ms, 3)
        << printed(": the model itself is off by up to %g %%", 100.0 * certainty.error);
    out << (certainty.effects.empty()
                ? ".\n"
                : ", and some constants are assumed (--assume NAME=VALUE sets one).\n");
    for (std::size_t index = 0; index < std::min(shown_max, certainty.effects.size()); ++index) {
        simulator::AssumptionEffect const& effect = certainty.effects[index];
        simulator::MachineConstant const& constant = effect.constant;
        std::string const unit = constant.unit.empty() ? "" : " " + constant.unit;
        out << formatted("  %s = %.4g%s: with %.4g to %.4g it would be %s%s\n",
                         printable_text(constant.name).c_str(),
                         constant.value,
                         unit.c_str(),
                         constant.low(),
                         constant.high(),
                         interval_text(effect.low_ms, effect.high_ms, 4).c_str(),
                         effect.simulated ? "" : " (estimated)");
    }
    if (certainty.effects.size() > shown_max) {
        out << "  and " << certainty.effects.size() - shown_max
            << " that matter less (--json lists them)\n";
    }
}

void print_text(simulator::Machine const& machine, Answer const& answer, std::ostream& out) {
    simulator::Simulation const& simulation = answer.simulation;
    auto const& request = simulation.request;
    std::string load;
    if (request.config.value_type != ValueType::none) {
        load += " with " + std::string(to_string(request.config.value_type)) + "-bit values";
    }
    auto const places = simulator::key_places(machine.platform, request);
    load += " on " + place_text(places.input) +
            (places.input == places.output ? "" : ", afterwards on " + place_text(places.output));
    std::string const type(to_string(request.config.key_type));
    out << formatted("# %s: %s%s, %s, seed %llu, %s of %s (%016llx), profile %s\n",
                     request.algorithm.c_str(),
                     counted(request.config.key_count, type + " key").c_str(),
                     load.c_str(),
                     distribution_text(request.distribution, request.parameter).c_str(),
                     static_cast<unsigned long long>(request.seed),
                     request.gpus.empty() ? "the CPUs" : gpu_set_name(request.gpus).c_str(),
                     printable_text(machine.platform.name).c_str(),
                     static_cast<unsigned long long>(simulator::platform_hash(machine.platform)),
                     printable_text(machine.device.name).c_str());
    out << formatted("%-22s %12s %12s %12s\n", "phase", "begin ms", "end ms", "takes ms");
    for (PhaseLine const& line : phase_lines(simulation)) {
        std::string const name =
            line.name + (line.pass > 0 ? " " + std::to_string(line.pass) : std::string());
        out << formatted("%-22s %12.3f %12.3f %12.3f\n",
                         name.c_str(),
                         simulator::to_milliseconds(line.span.begin),
                         simulator::to_milliseconds(line.span.end),
                         simulator::to_milliseconds(line.span.end - line.span.begin));
    }
    double const total_ms = simulator::to_milliseconds(simulation.timeline.makespan);
    out << formatted("%-22s %12s %12s %12.3f  %s\n",
                     "total",
                     "",
                     "",
                     total_ms,
                     rate_text(request.config.key_count, element_bytes(request), total_ms).c_str());
    print_certainty(answer.certainty, out);
    out << unsure_sentences(simulation.schedule.unsure) << '\n';
    std::string const bars = phase_bars(simulation, bar_style_of(STDOUT_FILENO));
    if (!bars.empty()) {
        out << bars << '\n';
    }
    out << formatted("%-40s %10s %10s %10s\n", "link, GB/s", "capacity", "peak", "mean");
    for (simulator::ChannelUse const& use : used_channels(simulation)) {
        out << formatted("%-40s %10.1f %10.1f %10.1f\n",
                         printable_text(use.name).c_str(),
                         use.capacity_Bps * 1e-9,
                         use.peak_Bps * 1e-9,
                         use.mean_Bps * 1e-9);
    }
    out << '\n'
        << counted(static_cast<std::uint64_t>(simulation.schedule.passes), "pass", "passes") << ", "
        << counted(simulation.schedule.copies, "copy", "copies") << ", "
        << counted(simulation.schedule.sort_calls, "sort") << ". " << bottleneck(simulation) << '\n'
        << swap_sentence(simulation) << memory_sentence(simulation.memory) << '\n';
    if (request.engine.rate_tolerance > 0.0) {
        out << formatted(
            "Approximate: rates are computed once for all copies that end within %g of "
            "a copy's duration; 'keyswap bench-simulator' measures the error.\n",
            request.engine.rate_tolerance);
    }
    if (simulation.schedule.graph.has_trains()) {
        out << "Approximate: with this many copies, those of each source and destination are "
               "simulated as one with their launches, latencies and bytes.\n";
    }
}

/// On standard error: whose times stand in for those that nobody measured.
void print_stand_ins(simulator::Machine const& machine, AlgorithmInfo const& algorithm) {
    simulator::HostProfile const& host = machine.host;
    bool const uses_cpus = std::ranges::any_of(algorithm.phases, [](Phase phase) {
        return phase == Phase::cpu_sort || phase == Phase::cpu_merge;
    });
    bool const is_named =
        std::ranges::find(host.platforms, machine.platform.name) != host.platforms.end();
    if (uses_cpus && !is_named) {
        std::cerr << "Note: the CPUs' times are those of '" << printable_text(host.name)
                  << "', as no host profile is of this platform.\n";
    }
    if (machine.platform.devices.size() > 1 && algorithm.gpus != GpuCounts::none) {
        std::cerr << "Note: the kernels of every GPU take the time of '"
                  << printable_text(machine.device.name) << "', the profile of the first GPU.\n";
    }
}

Expected<ExitCode> run_simulate(SimulateOptions const& options) {
    if (options.device) {
        return simulate_on_device(options.common, *options.device, options.json);
    }
    if (auto const safe = check_files(options.files()); !safe) {
        return tl::unexpected(safe.error());
    }
    auto machine = simulator::load_machine(options.common.platform, options.common.profile);
    simulator::CertaintyOptions sure;
    for (std::string const& assumption : options.assumptions) {
        machine = machine.and_then([&assumption](simulator::Machine const& before) {
            return simulator::with_assumption(before, assumption);
        });
        sure.given.push_back(assumption.substr(0, assumption.find('=')));
    }
    if (!machine) {
        return tl::unexpected(machine.error());
    }
    auto request = request_from(options.common, *machine);
    if (!request) {
        return tl::unexpected(request.error());
    }
    auto const kind = simulator::find_schedule(request->algorithm);
    if (kind && (*kind)->choice().algorithm->gpus != GpuCounts::none &&
        options.common.cpu_threads) {
        return tl::unexpected(
            InputError{"--cpu-threads",
                       "is of a sort on the CPU, which " + request->algorithm + " is not",
                       "leave it out"});
    }
    auto const gpus = parse_gpus(options.gpus, *machine);
    if (!gpus) {
        return tl::unexpected(gpus.error());
    }
    auto const swap = simulator::parse_swap(options.swap);
    if (!swap) {
        return tl::unexpected(swap.error());
    }
    request->gpus = *gpus;
    request->swap = *swap;
    request->engine.recording =
        options.trace ? simulator::ChannelRecording::samples : simulator::ChannelRecording::totals;
    auto simulation = simulator::simulate(*machine, std::move(*request));
    if (!simulation) {
        return tl::unexpected(simulation.error());
    }
    auto certainty = simulator::certainty_of(*machine, *simulation, sure);
    if (!certainty) {
        return tl::unexpected(certainty.error());
    }
    Answer const answer{std::move(*simulation), std::move(*certainty)};
    if (options.trace) {
        std::ostringstream text;
        simulator::write_chrome_trace(
            text, answer.simulation.schedule.graph, answer.simulation.timeline);
        if (auto const written = write_whole_file(*options.trace, text.str()); !written) {
            return tl::unexpected(written.error());
        }
    }
    if (kind) {
        print_stand_ins(*machine, *(*kind)->choice().algorithm);
    }
    if (options.json) {
        print_json(to_json(*machine, answer, options.assumptions), std::cout);
    } else {
        print_text(*machine, answer, options.files().text());
    }
    return ExitCode::fine;
}

} // namespace

void add_simulate_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("simulate", "Predict a sort's phases and links' use on a machine");
    auto const options = std::make_shared<SimulateOptions>();
    add_simulation_options(command, options->common);
    command.add_option("--gpus", options->gpus, "GPUs of the machine, as 0,2,4-6")
        ->capture_default_str();
    command
        .add_option("--swap",
                    options->swap,
                    "Key swap between nodes of a cluster: flat, by-node (gathered inside a node "
                    "first) or best (the faster of the two)")
        ->capture_default_str();
    command.add_option("--assume",
                       options->assumptions,
                       "Set a constant of the machine, as upi.efficiency=0.7; may be repeated");
    command.add_option("--trace", options->trace, "Write a Chrome trace here");
    add_force_option(command, options->existing);
    command.add_flag("--json", options->json, "Print JSON");
    CLI::Option& device = *command.add_option(
        "--device",
        options->device,
        "A rate profile by name or file, in place of a platform: a sort that it has costs of, as "
        "split-radix on knf");
    exclude_all_but(
        command, device, {"--help", "--algorithm", "--keys", "--type", "--values", "--json"});
    run_when_chosen(command, chosen, options, run_simulate);
}

} // namespace keyswap::tools
