#include "simulator/platform/topology.hpp"
#include "simulator/study/gpu_sets.hpp"
#include "simulator/study/what_if.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/output/json_result.hpp"
#include "tools/report/exports.hpp"
#include "tools/report/sweep_csv.hpp"
#include "tools/text/number_text.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

struct WhatIfOptions {
    SimulationOptions common;
    std::vector<std::string> keys{"2e9"};
    std::vector<std::string> algorithms{"rmg-paper"};
    std::vector<std::string> key_types{"u32"};
    std::vector<std::string> distributions{"uniform"};
    std::vector<double> parameters;
    std::vector<int> digit_bits{8};
    std::vector<std::uint32_t> tolerances;
    std::vector<std::uint32_t> fuses{10000};
    std::vector<std::string> links;
    std::vector<std::string> gpus;
    std::optional<std::uint32_t> rank;
    bool json = false;
    bool csv = false;
};

/// What the options ask for, and for each GPU set how many others are like it.
struct RequestedSweep {
    simulator::WhatIfSweep sweep;
    std::vector<std::uint64_t> equivalent_sets; ///< [gpu sets]
};

std::optional<InputError> add_gpu_sets(WhatIfOptions const& options,
                                       simulator::Machine const& machine,
                                       RequestedSweep& requested) {
    if (options.rank) {
        std::size_t const gpus = machine.platform.gpus.size();
        if (*options.rank == 0 || *options.rank > gpus) {
            return InputError{"--gpu-count",
                              "the machine has " + std::to_string(gpus) + " GPUs",
                              "ask for 1 to " + std::to_string(gpus)};
        }
        auto const topology = simulator::Topology::of(machine.platform);
        if (!topology) {
            return topology.error();
        }
        for (simulator::GpuSetClass const& set :
             simulator::gpu_set_classes(*topology,
                                        static_cast<std::uint32_t>(gpus),
                                        options.common.host_node,
                                        *options.rank)) {
            requested.sweep.gpu_sets.push_back(set.representative);
            requested.equivalent_sets.push_back(set.sets);
        }
        return std::nullopt;
    }
    std::vector<std::string> const texts =
        options.gpus.empty() ? std::vector<std::string>{"all"} : options.gpus;
    for (std::string const& text : texts) {
        auto const gpus = parse_gpus(text, machine);
        if (!gpus) {
            return gpus.error();
        }
        requested.sweep.gpu_sets.push_back(*gpus);
        requested.equivalent_sets.push_back(1);
    }
    return std::nullopt;
}

Expected<RequestedSweep> question_from(WhatIfOptions const& options,
                                       simulator::Machine const& machine) {
    RequestedSweep requested;
    simulator::WhatIfSweep& sweep = requested.sweep;
    auto const schedules = schedule_names(options.algorithms);
    if (!schedules) {
        return tl::unexpected(schedules.error());
    }
    sweep.algorithms = *schedules;
    sweep.key_counts.clear();
    for (std::string const& text : options.keys) {
        auto const count = parse_count(text, "--keys");
        if (!count) {
            return tl::unexpected(count.error());
        }
        sweep.key_counts.push_back(*count);
    }
    sweep.key_types.clear();
    for (std::string const& text : options.key_types) {
        auto const type = parse_key_type(text);
        if (!type) {
            return tl::unexpected(type.error());
        }
        sweep.key_types.push_back(*type);
    }
    sweep.distributions = options.distributions;
    if (!options.parameters.empty()) {
        sweep.parameters.assign(options.parameters.begin(), options.parameters.end());
    }
    sweep.digit_bits = options.digit_bits;
    if (!options.tolerances.empty()) {
        sweep.tolerances_ppm.assign(options.tolerances.begin(), options.tolerances.end());
    }
    sweep.fuses_ppm = options.fuses;
    for (std::string const& text : options.links) {
        auto change = simulator::parse_link_change(text);
        if (!change) {
            return tl::unexpected(change.error());
        }
        sweep.link_changes.push_back(std::move(*change));
    }
    sweep.host_node = options.common.host_node;
    sweep.seed = options.common.seed;
    simulator::SimulationRequest load;
    if (auto error = apply(options.common.load, load)) {
        return tl::unexpected(std::move(*error));
    }
    sweep.value_type = load.config.value_type;
    sweep.residence = load.residence;
    if (auto error = add_gpu_sets(options, machine, requested)) {
        return tl::unexpected(std::move(*error));
    }
    return requested;
}

std::string gpus_text(std::vector<std::uint32_t> const& gpus, char separator) {
    std::string text;
    for (std::uint32_t const gpu : gpus) {
        text += (text.empty() ? std::string() : std::string(1, separator)) + std::to_string(gpu);
    }
    return text;
}

std::string link_text(simulator::WhatIfRow const& row) {
    if (!row.link_change) {
        return "-";
    }
    return formatted("%s x%g", row.link_change->pattern.c_str(), row.link_change->factor);
}

void print_csv(std::vector<simulator::WhatIfRow> const& rows) {
    std::cout << sweep_csv_header << '\n';
    for (simulator::WhatIfRow const& row : rows) {
        auto const& config = row.request.config;
        std::cout << formatted(
            "%s,%llu,%s,%s,%s,%d,%u,%u,%s,%s,%llu,",
            row.request.algorithm.c_str(),
            static_cast<unsigned long long>(config.key_count),
            std::string(to_string(config.key_type)).c_str(),
            row.request.distribution.c_str(),
            row.request.parameter ? std::to_string(*row.request.parameter).c_str() : "",
            config.digit_bits,
            config.tolerance_ppm,
            config.fuse_ppm,
            csv_field(link_text(row)).c_str(),
            gpus_text(row.request.gpus, ' ').c_str(),
            static_cast<unsigned long long>(row.equivalent_sets));
        // What could not run has no time.
        std::cout << (row.error.empty()
                          ? formatted("%d,%.6f,%.6f,", row.passes, row.key_swap_ms, row.total_ms)
                          : ",,," + csv_field(row.error))
                  << '\n';
    }
}

Json to_json(simulator::WhatIfRow const& row) {
    auto const& config = row.request.config;
    Json out{{"algorithm", row.request.algorithm},
             {"num_keys", config.key_count},
             {"key_type", std::string(to_string(config.key_type))},
             {"values", to_string(config.value_type)},
             {"where", row.request.residence == Residence::devices ? "device" : "host"},
             {"distribution", row.request.distribution},
             {"digit_bits", config.digit_bits},
             {"tolerance_ppm", config.tolerance_ppm},
             {"fuse_ppm", config.fuse_ppm},
             {"gpus", row.request.gpus},
             {"equivalent_sets", row.equivalent_sets}};
    if (row.request.parameter) {
        out["parameter"] = *row.request.parameter;
    }
    if (row.link_change) {
        out["link"] = link_text(row);
    }
    if (row.error.empty()) {
        out["passes"] = row.passes;
        out["key_swap_ms"] = row.key_swap_ms;
        out["total_ms"] = row.total_ms;
    } else {
        out["error"] = row.error;
    }
    return out;
}

double keys_per_ns(simulator::WhatIfRow const& row) {
    return row.total_ms > 0.0
               ? static_cast<double>(row.request.config.key_count) / row.total_ms / 1e6
               : 0.0;
}

/// "-" of a sort that reads no digits.
std::string digit_bits_text(simulator::SimulationRequest const& request) {
    auto const choice = parse_full_name(request.algorithm);
    bool const by_digits = choice && find_parameter(*choice->algorithm, "digit-bits") != nullptr;
    return by_digits ? std::to_string(request.config.digit_bits) : "-";
}

void print_table(std::vector<simulator::WhatIfRow> const& rows) {
    std::cout << formatted("%-14s %14s %-4s %-16s %4s %-14s %-22s %5s %7s %10s %12s %8s %7s\n",
                           "algorithm",
                           "keys",
                           "type",
                           "distribution",
                           "bits",
                           "link",
                           "GPUs",
                           "sets",
                           "passes",
                           "swap ms",
                           "total ms",
                           "Gkeys/s",
                           "GB/s");
    for (simulator::WhatIfRow const& row : rows) {
        auto const& config = row.request.config;
        std::string distribution = row.request.distribution;
        if (row.request.parameter) {
            distribution += printed("(%g)", *row.request.parameter);
        }
        std::cout << formatted("%-14s %14s %-4s %-16s %4s %-14s %-22s %5llu ",
                               row.request.algorithm.c_str(),
                               format_count(config.key_count).c_str(),
                               std::string(to_string(config.key_type)).c_str(),
                               distribution.c_str(),
                               digit_bits_text(row.request).c_str(),
                               link_text(row).c_str(),
                               gpus_text(row.request.gpus, ',').c_str(),
                               static_cast<unsigned long long>(row.equivalent_sets));
        if (row.error.empty()) {
            std::cout << formatted("%7d %10.2f %12.2f %8.2f %7.1f\n",
                                   row.passes,
                                   row.key_swap_ms,
                                   row.total_ms,
                                   keys_per_ns(row),
                                   keys_per_ns(row) *
                                       static_cast<double>(key_size_bytes(config.key_type)));
        } else {
            std::cout << printable_text(row.error) + '\n';
        }
    }
}

Expected<ExitCode> run_whatif(WhatIfOptions const& options) {
    auto const machine = simulator::load_machine(options.common.platform, options.common.profile);
    if (!machine) {
        return tl::unexpected(machine.error());
    }
    auto const requested = question_from(options, *machine);
    if (!requested) {
        return tl::unexpected(requested.error());
    }
    auto rows = simulator::run_what_if(*machine, requested->sweep);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    for (std::size_t index = 0; index < rows->size(); ++index) {
        (*rows)[index].equivalent_sets =
            requested->equivalent_sets[index % requested->equivalent_sets.size()];
    }
    if (options.rank) {
        // Fastest first; combinations that cannot run last.
        std::ranges::stable_sort(*rows, {}, [](simulator::WhatIfRow const& row) {
            return std::pair{!row.error.empty(), row.total_ms};
        });
    }
    if (options.json) {
        Json json = json_result("whatif",
                                {{"platform", machine->platform.name},
                                 {"platform_hash", hash_text(platform_hash(machine->platform))},
                                 {"device_profile", machine->device.name},
                                 {"seed", requested->sweep.seed}});
        json["rows"] = Json::array();
        for (auto const& row : *rows) {
            json["rows"].push_back(to_json(row));
        }
        print_json(json, std::cout);
    } else if (options.csv) {
        print_csv(*rows);
    } else {
        std::cout << formatted(
            "# %s (%016llx), device profile %s, seed %llu\n",
            printable_text(machine->platform.name).c_str(),
            static_cast<unsigned long long>(simulator::platform_hash(machine->platform)),
            printable_text(machine->device.name).c_str(),
            static_cast<unsigned long long>(requested->sweep.seed));
        print_table(*rows);
    }
    auto const failed = std::ranges::count_if(
        *rows, [](simulator::WhatIfRow const& row) { return !row.error.empty(); });
    if (failed > 0) {
        auto const first = std::ranges::find_if(
            *rows, [](simulator::WhatIfRow const& row) { return !row.error.empty(); });
        return tl::unexpected(InputError{
            "whatif",
            counted(static_cast<std::uint64_t>(failed), "combination") + " of " +
                format_count(rows->size()) + " could not run, the first because of " + first->error,
            ""});
    }
    return ExitCode::fine;
}

} // namespace

void add_whatif_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("whatif", "Predict many sorts: other GPUs, sizes, keys, links, sorts");
    auto const options = std::make_shared<WhatIfOptions>();
    command.add_option("--platform", options->common.platform, "Platform by name or file")
        ->capture_default_str();
    command.add_option("--profile", options->common.profile, "Device profile by name or file");
    command.add_option("--keys", options->keys, "Numbers of keys")->delimiter(',');
    command
        .add_option("--algorithm",
                    options->algorithms,
                    "Algorithms, with their variants where they have several: rmg-paper,p2p-merge; "
                    "all")
        ->delimiter(',');
    command.add_option("--type", options->key_types, "Key types")->delimiter(',');
    add_load_options(command, options->common.load.values, options->common.load.where);
    command.add_option("--distribution", options->distributions, "Distributions")->delimiter(',');
    command.add_option("--parameter", options->parameters, "Of the distribution")->delimiter(',');
    command.add_option("--digit-bits", options->digit_bits, "Bits a pass reads")->delimiter(',');
    command
        .add_option(
            "--tolerance-ppm", options->tolerances, "Of a chunk; each sort's own without it")
        ->delimiter(',');
    command.add_option("--fuse-ppm", options->fuses, "Of a chunk")->delimiter(',');
    command.add_option(
        "--link", options->links, "Also with this change, as \"xbus x2\"; repeatable");
    auto* const gpus = command.add_option(
        "--gpus", options->gpus, "A set of GPUs, as 0,2,4-6; repeatable (standard: all)");
    command
        .add_option("--gpu-count", options->rank, "Rank all sets of so many GPUs, up to symmetry")
        ->excludes(gpus);
    command.add_option("--host-node", options->common.host_node, "NUMA node of input and output");
    command.add_option("--seed", options->common.seed, "Of the keys");
    auto* const json = command.add_flag("--json", options->json, "Print JSON");
    command.add_flag("--csv", options->csv, "Print CSV")->excludes(json);
    run_when_chosen(command, chosen, options, run_whatif);
}

} // namespace keyswap::tools
