#include "simulator/engine/chrome_trace.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/simulate_answer.hpp"
#include "tools/commands/simulate_device.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/memory_text.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "tools/text/simulation_summary.hpp"
#include "tools/text/text_width.hpp"
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
    LinksShown links = LinksShown::busiest;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {{{"--platform", common.platform}, {"--profile", common.profile}},
                {{"--trace", trace}},
                json ? "--json" : "",
                existing};
    }
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

/// The distribution's parameter, null where it has none.
Json parameter_json(simulator::SimulationRequest const& request) {
    auto const parameter = resolved_parameter(request.distribution, request.parameter);
    return parameter ? Json(*parameter) : Json();
}

Json to_json(simulator::Machine const& machine,
             SimulateAnswer const& answer,
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
    json.update(Json{{"fallback", simulation.schedule.fallback},
                     {"passes", simulation.schedule.passes},
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
    auto simulation = simulate_or_advise(*machine, *request, options.common.names_algorithm());
    if (!simulation) {
        return tl::unexpected(simulation.error());
    }
    auto certainty = simulator::certainty_of(*machine, *simulation, sure);
    if (!certainty) {
        return tl::unexpected(certainty.error());
    }
    SimulateAnswer const answer{std::move(*simulation), std::move(*certainty)};
    if (options.trace) {
        std::ostringstream text;
        simulator::write_chrome_trace(
            text, answer.simulation.schedule.graph, answer.simulation.timeline);
        if (auto const written = write_whole_file(*options.trace, text.str()); !written) {
            return tl::unexpected(written.error());
        }
    }
    for (std::string const& note :
         simulator::stand_in_notes(*machine, answer.simulation.request.algorithm)) {
        std::cerr << "Note: " << note << '\n';
    }
    if (options.json) {
        print_json(to_json(*machine, answer, options.assumptions), std::cout);
    } else {
        options.files().text() << answer_text(
            *machine,
            answer,
            {terminal_columns(STDOUT_FILENO),
             options.links,
             bar_style_of(STDOUT_FILENO),
             options.common.load.input_on
                 ? ""
                 : one_node_note(machine->platform, answer.simulation.request.algorithm)});
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
    command.add_flag_callback(
        "--links",
        [options] { options->links = LinksShown::all; },
        "List every link in use, not only the busiest five");
    command.add_flag("--json", options->json, "Print JSON");
    CLI::Option& device =
        *command.add_option("--device",
                            options->device,
                            "Rate profile by name or file instead of a platform, for a sort whose "
                            "costs it has, as split-radix on knf");
    exclude_all_but(
        command, device, {"--help", "--algorithm", "--keys", "--type", "--values", "--json"});
    run_when_chosen(command, chosen, options, run_simulate);
}

} // namespace keyswap::tools
