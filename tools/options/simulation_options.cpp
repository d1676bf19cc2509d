#include "tools/options/simulation_options.hpp"

#include "simulator/study/gpu_sets.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/gpu_list.hpp"
#include "tools/options/sorted_type.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/try.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>
#include <tuple>

namespace keyswap::tools {

void add_values_and_output_options(CLI::App& command, LoadOptions& options) {
    command
        .add_option("--values",
                    options.values,
                    "Values that travel with the keys: none, 32 or 64 bits each")
        ->capture_default_str();
    command.add_option("--output-on",
                       options.output_on,
                       "Where the sorted keys go, as --input-on; by default the same place");
    command.add_flag(
        "--published",
        options.published,
        "Like the published program: rmg-paper by default, all keys on NUMA node 0 of one machine");
}

std::string default_schedule(LoadOptions const& load) {
    AlgorithmOptions algorithm;
    if (load.published) {
        algorithm.variant = "paper";
    }
    auto const name = schedule_name(algorithm);
    KEYSWAP_ENSURES(name.has_value());
    return *name;
}

InputError published_has_no_ranges() {
    return {"--published and --gpu-memory",
            "the published program does not sort keys that exceed the GPUs' memory",
            "leave one of them out"};
}

std::string variant_advice(simulator::Machine const& machine,
                           simulator::SimulationRequest const& request) {
    auto const failed = parse_full_name(request.algorithm);
    for (simulator::ScheduleKind const* const kind : simulator::schedule_kinds()) {
        AlgorithmChoice const choice = kind->choice();
        if (!failed || choice.algorithm != failed->algorithm || choice.variant == failed->variant) {
            continue;
        }
        simulator::SimulationRequest other = request;
        other.algorithm = full_name(choice);
        if (simulator::simulate(machine, std::move(other))) {
            return "'--algorithm " + full_name(choice) + "' can run this";
        }
    }
    return "";
}

Expected<simulator::Simulation> simulate_or_advise(simulator::Machine const& machine,
                                                   simulator::SimulationRequest const& request,
                                                   bool named) {
    auto simulation = simulator::simulate(machine, request);
    if (!simulation && !named) {
        InputError error = simulation.error();
        std::string const advice = variant_advice(machine, request);
        error.remedy += error.remedy.empty() || advice.empty() ? advice : "; " + advice;
        return tl::unexpected(std::move(error));
    }
    return simulation;
}

std::string one_node_note(simulator::Platform const& platform,
                          std::set<std::string> const& algorithms) {
    std::vector<std::string> names;
    if (simulator::has_several_machines(platform)) {
        std::ranges::copy_if(algorithms, std::back_inserter(names), simulator::works_on_one_node);
    }
    if (names.empty()) {
        return "";
    }
    std::string const last = names.back();
    names.pop_back();
    bool const several = !names.empty();
    return (several ? joined_text(names, ", ") + " and " + last + " merge or sort"
                    : last + " merges or sorts") +
           " on one CPU: by default all " + (several ? "their" : "its") +
           " keys start in the memory of NUMA node 0, and GPUs of other machines read them over "
           "the network.";
}

void add_load_options(CLI::App& command, LoadOptions& options) {
    add_values_and_output_options(command, options);
    command.add_option(
        "--input-on",
        options.input_on,
        "Where the keys are: node:N (a NUMA node), interleaved, local (near their GPUs) or devices "
        "(on the GPUs) (default: local; node:0 for sorts and merges on a CPU)");
}

Expected<void> apply(LoadOptions const& options, simulator::SimulationRequest& request) {
    KEYSWAP_TRY(request.config.key_type, parse_sorted_type(options.key_type));
    KEYSWAP_TRY(
        auto const named,
        parse_distribution_and(options.distribution.value_or("uniform"), options.parameter));
    request.distribution = named.name;
    request.parameter = named.parameter;
    request.seed = options.seed;
    request.engine.rate_tolerance = options.rate_tolerance;
    KEYSWAP_TRY(request.config.value_type, parse_value_type(options.values));
    if (options.published && options.input_on) {
        return input_error("--published and --input-on",
                           "both specify where the keys are",
                           "leave one of them out");
    }
    request.layout = options.layout();
    for (auto const& [text, option, place] :
         {std::tuple{&options.input_on, "--input-on", &request.input},
          std::tuple{&options.output_on, "--output-on", &request.output}}) {
        if (*text) {
            KEYSWAP_TRY(auto const parsed, simulator::parse_key_place(**text, option));
            *place = parsed;
        }
    }
    return {};
}

void add_rate_tolerance_option(CLI::App& command, double& tolerance) {
    command
        .add_option("--rate-tolerance",
                    tolerance,
                    "Compute rates once for all copies that end within this fraction of a copy's "
                    "duration: 1e-3 for many GPUs; 0 is exact")
        ->check([](std::string const& text) {
            double part = 0.0;
            bool const is_number = CLI::detail::lexical_cast(text, part);
            // Comparisons written so that NaN fails.
            return is_number && part >= 0.0 && part <= 0.1
                       ? std::string()
                       : text + " is not a number from 0 to 0.1";
        })
        ->type_name("FLOAT")
        ->default_str("0");
}

std::vector<std::string> comma_separated(std::string const& text) {
    std::vector<std::string> pieces;
    std::istringstream stream(text);
    std::string piece;
    while (std::getline(stream, piece, ',')) {
        pieces.push_back(piece);
    }
    return pieces;
}

Expected<std::vector<std::uint32_t>> parse_gpus(std::string const& text,
                                                simulator::Machine const& machine) {
    simulator::Platform const& platform = machine.platform;
    KEYSWAP_TRY(auto gpus,
                parse_gpu_list(text, "--gpus", static_cast<std::uint32_t>(platform.gpus.size())));
    auto const is_cut_off = [&platform](std::uint32_t gpu) {
        return !simulator::has_links(platform, gpu);
    };
    if (text == "all") {
        std::erase_if(gpus, is_cut_off);
        return gpus;
    }
    if (auto const missing = std::ranges::find_if(gpus, is_cut_off); missing != gpus.end()) {
        return input_error("--gpus",
                           "names GPU " + std::to_string(*missing) +
                               ", which has no link to the rest of the machine",
                           "leave it out");
    }
    return gpus;
}

} // namespace keyswap::tools
