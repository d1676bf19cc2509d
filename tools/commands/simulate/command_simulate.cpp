#include "simulator/engine/chrome_trace.hpp"
#include "simulator/study/faster_size.hpp"
#include "simulator/study/link_change.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/simulate/simulate_operation.hpp"
#include "tools/commands/simulate/simulate_options.hpp"
#include "tools/options/accept_only.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/output/captured_output.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "tools/text/simulation_fields.hpp"
#include "tools/text/text_width.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>
#include <tuple>
#include <unistd.h>

namespace keyswap::tools {

namespace {

/// The order of the key swap that was not taken, with its time; null unless both were tried.
Json other_swap_json(simulator::Simulation const& simulation) {
    if (!simulation.other_swap) {
        return {};
    }
    auto const& makespan = simulation.other_swap->makespan;
    return {{"swap", to_string(simulation.other_swap->order)},
            {"total_ms", makespan ? Json(simulator::to_milliseconds(*makespan)) : Json()}};
}

/// Changes to the machine requested in addition to its platform.
Json changes_json(SimulateOptions const& options) {
    return {{"assume", options.assumptions},
            {"without", options.missing},
            {"background", options.background}};
}

Json to_json(simulator::Machine const& machine,
             simulator::Simulation const& simulation,
             simulator::Certainty const& certainty,
             SimulateOptions const& options) {
    auto const& request = simulation.request;
    auto const places = simulator::key_places(machine.platform, request);
    Json json = json_result(
        "simulate",
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
         {"parameter", document(resolved_parameter(request.distribution, request.parameter))},
         {"seed", request.seed},
         {"swap", to_string(request.swap)},
         {"rate_tolerance", request.engine.rate_tolerance},
         {"gpus", request.gpus}});
    json["config"].update(changes_json(options));
    if (request.gpu_memory_bytes) {
        json["config"]["gpu_memory"] = *request.gpu_memory_bytes;
    }
    json.update(Json{{"fallback", simulation.schedule.fallback},
                     {"passes", simulation.schedule.passes},
                     {"copies", simulation.schedule.copies},
                     {"copies_joined", simulation.schedule.graph.has_trains()},
                     {"sort_calls", simulation.schedule.sort_calls},
                     {"total_ms", simulator::to_milliseconds(simulation.timeline.makespan)},
                     {"other_swap", other_swap_json(simulation)},
                     {"interval_ms", {certainty.low_ms, certainty.high_ms}},
                     {"model_error", certainty.model.error},
                     {"error_class", certainty.model.error_class},
                     {"assumptions", document(certainty.effects)},
                     {"uncertain_scatters", document(simulation.schedule.uncertain_scatters)},
                     {"phases", document(phase_lines(simulation))},
                     {"links", document(used_channels(simulation))},
                     {"bottleneck", bottleneck(simulation)},
                     {"memory", document(simulation.memory)}});
    if (auto const& ranges = simulation.schedule.ranges) {
        json["ranges"] = {{"count", ranges->count},
                          {"keys_max", ranges->keys_max},
                          {"distributed_ms", distributed_ms(simulation)}};
    }
    return json;
}

/// The platform with the requested constants, missing parts and background traffic.
Expected<simulator::Machine> machine_of(SimulateOptions const& options) {
    auto machine = simulator::load_machine(options.platform, options.profile);
    std::set<std::string> assumed;
    for (std::string const& assumption : options.assumptions) {
        std::string const name = assumption.substr(0, assumption.find('='));
        if (!assumed.insert(name).second) {
            return input_error("--assume", "sets '" + name + "' twice", "give it one value");
        }
        machine = machine.and_then([&assumption](simulator::Machine const& before) {
            return simulator::with_assumption(before, assumption);
        });
    }
    simulator::LinkChanges changes;
    for (std::string const& name : options.missing) {
        changes.changes.push_back(simulator::missing_part(name));
    }
    for (std::string const& text : options.background) {
        KEYSWAP_TRY(auto const traffic, simulator::parse_background(text));
        changes.changes.push_back(traffic);
    }
    return machine.and_then([&changes](simulator::Machine const& before) {
        return simulator::with_link_changes(before, changes);
    });
}

/// Builds the request, except for its GPUs.
Expected<simulator::SimulationRequest> request_from(SimulateOptions const& options) {
    simulator::SimulationRequest request;
    KEYSWAP_RETURN_IF_ERROR(apply(options, request));
    AlgorithmOptions named = options.algorithm;
    if (!options.names_algorithm()) {
        named.name = default_schedule(options);
    }
    KEYSWAP_TRY(auto const algorithm, resolve(named));
    KEYSWAP_TRY(request.algorithm, schedule_name(named));
    static_cast<SortParameters&>(request.config) = algorithm.parameters;
    request.config.key_count = options.key_count;
    request.cpu_threads = options.cpu_threads;
    return request;
}

Expected<ExitCode> run_operation(SimulateOptions const& options) {
    KEYSWAP_TRY(auto const kind, simulator::parse_collective(*options.operation, "--operation"));
    if (!options.bytes || *options.bytes == 0) {
        return input_error(
            "--bytes", "must be more than 0 for an operation", "add it, for instance --bytes 1e9");
    }
    KEYSWAP_TRY(auto const machine, machine_of(options));
    KEYSWAP_TRY(auto const gpus, parse_gpus(options.gpus.value_or("all"), machine));
    simulator::Collective collective{kind, *options.bytes, gpus, {}};
    collective.engine.rate_tolerance = options.rate_tolerance;
    KEYSWAP_TRY(auto const prediction,
                simulator::predict_collective(machine, collective).map_error([](InputError error) {
                    error.subject = error.subject == "size" ? "--bytes" : error.subject;
                    return error;
                }));
    if (options.json) {
        print_json(operation_json(machine, prediction, changes_json(options)), std::cout);
    } else {
        print_operation(machine, prediction);
    }
    return ExitCode::fine;
}

Expected<ExitCode> run_simulate(SimulateOptions const& options) {
    if (options.external) {
        return simulate_external(options);
    }
    if (options.memory) {
        return input_error("--memory", "applies to an external sort only", "give --external too");
    }
    if (options.device) {
        return simulate_on_device(options);
    }
    if (options.operation) {
        return run_operation(options);
    }
    if (options.bytes) {
        return input_error("--bytes",
                           "applies to a collective operation, but none is requested",
                           "add --operation all-to-all, or give --keys of a sort");
    }
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    KEYSWAP_TRY(auto const machine, machine_of(options));
    simulator::CertaintyOptions certainty_options;
    for (std::string const& assumption : options.assumptions) {
        certainty_options.given.push_back(assumption.substr(0, assumption.find('=')));
    }
    KEYSWAP_TRY(auto request, request_from(options));
    auto const kind = simulator::find_schedule(request.algorithm);
    if (kind) {
        bool const on_cpu = (*kind)->choice().algorithm->gpus == GpuCounts::none;
        for (auto const& [given, name, place] :
             {std::tuple{!on_cpu && options.cpu_threads, "--cpu-threads", "the CPU"},
              std::tuple{on_cpu && options.gpus, "--gpus", "GPUs"},
              std::tuple{on_cpu && options.profile, "--profile", "GPUs"}}) {
            if (given) {
                return input_error(name,
                                   "applies to a sort on " + std::string(place) + ", which " +
                                       request.algorithm + " is not",
                                   "leave it out");
            }
        }
    }
    KEYSWAP_TRY(auto const gpus, parse_gpus(options.gpus.value_or("all"), machine));
    KEYSWAP_TRY(auto const swap, simulator::parse_swap(options.swap).map_error(about("--swap")));
    if (options.gpu_memory && options.published) {
        return tl::unexpected(published_has_no_ranges());
    }
    request.gpus = gpus;
    request.gpu_memory_bytes = options.gpu_memory;
    request.swap = swap;
    request.engine.recording =
        options.trace ? simulator::ChannelRecording::samples : simulator::ChannelRecording::totals;
    KEYSWAP_TRY(auto const simulation,
                simulate_or_advise(machine, request, options.names_algorithm()));
    KEYSWAP_TRY(auto const certainty,
                simulator::certainty_of(machine, simulation, certainty_options));
    if (options.trace) {
        std::ostringstream text;
        simulator::write_chrome_trace(text, simulation.schedule.graph, simulation.timeline);
        KEYSWAP_RETURN_IF_ERROR(write_whole_file(*options.trace, text.str()));
    }
    for (std::string const& note :
         simulator::stand_in_notes(machine, simulation.request.algorithm)) {
        remark_stream() << "Note: " << note << '\n';
    }
    if (auto const faster = simulator::find_faster_size(machine, simulation)) {
        remark_stream() << "Note: " << grouped_count(faster->key_count)
                        << formatted(
                               " keys take less, %.4g ms, because the sort divides that many in a "
                               "faster way.\n",
                               faster->total_ms);
    }
    if (options.json) {
        print_json(to_json(machine, simulation, certainty, options), std::cout);
    } else {
        options.files().text() << answer_text(
            machine,
            simulation,
            certainty,
            {terminal_columns(STDOUT_FILENO),
             options.links,
             bar_style_of(STDOUT_FILENO),
             options.input_on ? ""
                              : one_node_note(machine.platform, {simulation.request.algorithm})});
    }
    return ExitCode::fine;
}

/// Adds the options of the machine, the algorithm and the keys.
void add_simulation_options(CLI::App& command, SimulateOptions& options) {
    command
        .add_option("--platform",
                    options.platform,
                    "Platform by name (see 'keyswap topology list') or file")
        ->capture_default_str();
    command.add_option(
        "--profile", options.profile, "Device profile by name or file; by default the platform's");
    add_algorithm_options(command, options.algorithm, simulated_algorithms());
    add_count_option(command, "--keys", options.key_count, "Number of keys");
    command.add_option("--type", options.key_type, key_type_list(every_key_type))
        ->capture_default_str();
    add_load_options(command, options);
    command
        .add_option("--distribution",
                    options.distribution,
                    "Distribution of the keys, as zipf or zipf=0.75; see 'keyswap distributions'")
        ->default_str("uniform");
    command.add_option("--parameter", options.parameter, "Parameter of the distribution");
    command.add_option("--seed", options.seed, "Seed of the keys")->capture_default_str();
    command.add_option("--cpu-threads", options.cpu_threads, "Threads of a sort on the CPU")
        ->check(CLI::Range(1, simulated_cpu_threads_max));
    add_rate_tolerance_option(command, options.rate_tolerance);
}

} // namespace

void add_simulate_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("simulate", "Predict a sort's phases and links' use on a machine");
    auto const options = std::make_shared<SimulateOptions>();
    add_simulation_options(command, *options);
    command.add_option("--gpus", options->gpus, "GPUs of the machine, as 0,2,4-6")
        ->default_str("all");
    command
        .add_option("--swap",
                    options->swap,
                    "Key swap between nodes of a cluster: flat, by-node (gathered inside a node "
                    "first) or best (the faster of the two)")
        ->capture_default_str();
    command.add_option("--assume",
                       options->assumptions,
                       "Set a constant of the machine, as upi.efficiency=0.7; may be repeated");
    command.add_option("--without",
                       options->missing,
                       "A link, GPU, switch or node that is missing, as gpu3; may be repeated");
    command.add_option("--background",
                       options->background,
                       "Other traffic on a link, or on each of a kind, each way, as \"xbus 20 "
                       "GB/s\"; may be repeated");
    CLI::Option& operation = *command.add_option(
        "--operation", options->operation, "Predict a plain operation of GPUs instead of a sort");
    accept_only(operation, simulator::collective_names());
    add_count_option(command,
                     "--bytes",
                     options->bytes,
                     "Size of the operation as nccl-tests count it: what a GPU sends, or has in "
                     "the end");
    CLI::Option& external =
        *command.add_flag("--external",
                          options->external,
                          "A sort of a file that is larger than memory, on the machine's cores, or "
                          "the GPUs of --gpus, and disks: time and limit of each phase");
    add_count_option(command, "--memory", options->memory, "Memory of an external sort: 64G");
    add_count_option(command,
                     "--gpu-memory",
                     options->gpu_memory,
                     "Memory of each GPU: keys in host memory, or those of an external sort, that "
                     "do not fit are sorted range by range (default: all)");
    add_record_options(command, options->records);
    command.get_option("--record-bytes")->needs(&external)->excludes(command.get_option("--type"));
    command.get_option("--key")->needs(&external);
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
    exclude_all_but(command,
                    operation,
                    "--help --platform --profile --gpus --bytes --assume --without --background "
                    "--rate-tolerance --json");
    exclude_all_but(command,
                    external,
                    "--help --platform --keys --type --distribution --parameter --seed "
                    "--cpu-threads --memory --gpus --gpu-memory --record-bytes --key --json");
    exclude_all_but(command, device, "--help --algorithm --keys --type --values --json");
    run_when_chosen(command, chosen, options, run_simulate);
}

} // namespace keyswap::tools
