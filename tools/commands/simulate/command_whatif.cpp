#include "tools/commands/command.hpp"
#include "tools/commands/simulate/whatif_findings.hpp"
#include "tools/commands/simulate/whatif_options.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/output/captured_output.hpp"
#include "tools/output/json_result.hpp"
#include "tools/report/sweep_csv.hpp"
#include "tools/report/sweep_rows.hpp"
#include "tools/text/document.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/text_width.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <unistd.h>

namespace keyswap::tools {

namespace {

using simulator::WhatIfRow;

/// Applies `parse` to each text; returns the first error.
template <class Parse>
auto parse_each(std::vector<std::string> const& texts, Parse parse)
    -> Expected<std::vector<typename decltype(parse(texts.front()))::value_type>> {
    std::vector<typename decltype(parse(texts.front()))::value_type> values;
    for (std::string const& text : texts) {
        KEYSWAP_TRY(auto value, parse(text));
        values.push_back(std::move(value));
    }
    return values;
}

/// "zipf=0.75" has its own parameter; other distributions are combined with each --parameter.
Expected<std::vector<model::NamedDistribution>>
distributions_of(std::vector<std::string> const& texts, std::vector<double> const& parameters) {
    std::vector<model::NamedDistribution> all;
    bool uses_parameters = parameters.empty();
    for (std::string const& text : texts) {
        KEYSWAP_TRY(auto const named, parse_distribution(text, "--distribution"));
        if (named.parameter || parameters.empty()) {
            all.push_back(named);
            continue;
        }
        uses_parameters = true;
        for (double const parameter : parameters) {
            all.push_back({named.name, parameter});
        }
    }
    if (!uses_parameters) {
        return input_error("--distribution and --parameter",
                           "every distribution has a parameter of its own",
                           "leave --parameter out");
    }
    return all;
}

/// Returns an error if a parameter is given that none of the algorithms has.
Expected<void> check_parameters(WhatIfOptions const& options,
                                std::vector<std::string> const& algorithms) {
    for (auto const& [is_given, name] : {std::pair{!options.digit_bits.empty(), "digit-bits"},
                                         std::pair{!options.tolerances.empty(), "tolerance-ppm"},
                                         std::pair{!options.fuses.empty(), "fuse-ppm"}}) {
        bool const is_used = std::ranges::any_of(algorithms, [name = name](auto const& algorithm) {
            auto const choice = parse_full_name(algorithm);
            return !choice || find_parameter(*choice->algorithm, name) != nullptr;
        });
        if (is_given && !is_used) {
            return input_error(std::string("--") + name,
                               joined_text(algorithms, " and ") +
                                   (algorithms.size() == 1 ? " has" : " have") +
                                   " no such parameter",
                               "leave it out");
        }
    }
    return {};
}

/// The sweep without GPU sets, which depend on the machine.
Expected<simulator::WhatIfSweep> sweep_from(WhatIfOptions const& options) {
    simulator::WhatIfSweep sweep;
    KEYSWAP_TRY(sweep.algorithms,
                options.algorithms.empty()
                    ? Expected<std::vector<std::string>>({default_schedule(options)})
                    : schedule_names(options.algorithms));
    KEYSWAP_RETURN_IF_ERROR(check_parameters(options, sweep.algorithms));
    KEYSWAP_TRY(sweep.key_counts, parse_each(options.keys, [](std::string const& text) {
                    return parse_count(text, "--keys");
                }));
    KEYSWAP_TRY(sweep.key_types, parse_each(options.key_types, parse_sorted_type));
    KEYSWAP_TRY(sweep.distributions, distributions_of(options.distributions, options.parameters));
    KEYSWAP_TRY(auto links, parse_each(options.links, simulator::parse_link_changes));
    KEYSWAP_TRY(auto inputs, parse_each(options.inputs, [](std::string const& text) {
                    return simulator::parse_key_place(text, "--input-on");
                }));
    KEYSWAP_TRY(sweep.swaps, parse_each(options.swaps, [](std::string const& text) {
                    return simulator::parse_swap(text).map_error(about("--swap"));
                }));
    KEYSWAP_TRY(auto const memories, parse_each(options.gpu_memory, [](std::string const& text) {
                    return parse_count(text, "--gpu-memory");
                }));
    if (!memories.empty()) {
        sweep.gpu_memories.assign(memories.begin(), memories.end());
    }
    sweep.link_changes.insert(sweep.link_changes.end(), links.begin(), links.end());
    if (!inputs.empty()) {
        sweep.inputs.assign(inputs.begin(), inputs.end());
    }
    if (!options.digit_bits.empty()) {
        sweep.digit_bits = options.digit_bits;
    }
    if (!options.tolerances.empty()) {
        sweep.tolerances_ppm.assign(options.tolerances.begin(), options.tolerances.end());
    }
    if (!options.fuses.empty()) {
        sweep.fuses_ppm = options.fuses;
    }
    sweep.seed = options.seed;
    simulator::SimulationRequest load;
    KEYSWAP_RETURN_IF_ERROR(apply(options, load));
    if (options.published && !options.inputs.empty()) {
        return input_error("--published and --input-on",
                           "both specify where the keys are",
                           "leave one of them out");
    }
    if (options.published && !options.gpu_memory.empty()) {
        return tl::unexpected(published_has_no_ranges());
    }
    sweep.value_type = load.config.value_type;
    sweep.output = load.output;
    sweep.layout = load.layout;
    return sweep;
}

/// Key places by which GPU sets are distinguished. If sorts on a single node are included, whose
/// places differ from the others', sets are distinguished by both.
simulator::KeyPlaces swept_places(simulator::Platform const& platform,
                                  simulator::WhatIfSweep const& sweep) {
    simulator::KeyPlace const meant = default_key_place(platform, sweep.layout);
    simulator::KeyPlace const input = sweep.inputs.front().value_or(meant);
    bool const on_one_node = !sweep.inputs.front() && !sweep.output &&
                             std::ranges::any_of(sweep.algorithms, simulator::works_on_one_node);
    return {input, on_one_node ? simulator::KeyPlace{} : sweep.output.value_or(input)};
}

Expected<MachineRows> answers_of(std::string const& platform,
                                 WhatIfOptions const& options,
                                 simulator::WhatIfSweep sweep) {
    KEYSWAP_TRY(auto machine, simulator::load_machine(platform, options.profile));
    KEYSWAP_TRY(auto const sets,
                gpu_sets_of(options, machine, swept_places(machine.platform, sweep)));
    for (simulator::GpuSetClass const& set : sets.sets) {
        sweep.gpu_sets.push_back(set.representative);
    }
    KEYSWAP_TRY(auto rows, simulator::run_what_if(machine, sweep));
    for (std::size_t index = 0; index < rows.size(); ++index) {
        rows[index].equivalent_sets = sets.sets[index % sets.sets.size()].sets;
    }
    if (!options.gpu_counts.empty() && !ranks_sets(options)) {
        rows = best_of_each_count(std::move(rows), sets.sets.size());
    }
    if (options.algorithms.empty()) {
        for (WhatIfRow& row : rows) {
            bool const is_advised = !row.ran() && row.link_changes.empty();
            std::string const advice = is_advised ? variant_advice(machine, row.request) : "";
            row.error += advice.empty() ? "" : "; " + advice;
        }
    }
    KEYSWAP_RETURN_IF_ERROR(simulator::simulate_intervals(machine, rows));
    std::optional<simulator::RunningCost> running;
    if (options.costs) {
        KEYSWAP_TRY(running, simulator::load_running_cost(platform));
    }
    return MachineRows{std::move(machine), std::move(rows), sets.sampled, running};
}

void print_json_answers(std::vector<MachineRows> const& answers,
                        std::vector<WhatIfRow> const& rows,
                        WhatIfOptions const& options,
                        Json const& break_even,
                        std::vector<OrderChange> const& turning) {
    simulator::Machine const& first = answers.front().machine;
    Json json = json_result("whatif",
                            {{"platform", first.platform.name},
                             {"platform_hash", hash_text(platform_hash(first.platform))},
                             {"device_profile", first.device.name},
                             {"seed", options.seed}});
    json["platforms"] = document(answers);
    json["rows"] = sweep_json(rows);
    for (std::size_t row = 0; options.costs && row < rows.size(); ++row) {
        if (auto const cost = cost_of(rows[row], answers)) {
            json["rows"][row].update(document(*cost));
        }
    }
    json["verdicts"] = document(sweep_verdicts(rows));
    json["order_turns"] = document(turning);
    if (!break_even.is_null()) {
        json["break_even"] = break_even;
    }
    print_json(json, std::cout);
}

/// A combination that cannot run is a row of the result, or an error if there is no other row.
Expected<ExitCode> exit_code_of(std::vector<WhatIfRow> const& rows) {
    auto const could_not = std::ranges::find_if_not(rows, &WhatIfRow::ran);
    if (could_not == rows.end()) {
        return ExitCode::fine;
    }
    auto const failed =
        rows.size() - static_cast<std::size_t>(std::ranges::count_if(rows, &WhatIfRow::ran));
    std::string const counts =
        grouped_count(failed) + " of " + grouped_count(rows.size()) + " combinations could not run";
    if (failed == rows.size()) {
        return input_error("whatif", counts + "; the first: " + could_not->error, "");
    }
    std::cerr << "Note: " << counts << "; their rows say why.\n";
    return ExitCode::fine;
}

/// Uses the name from the command line if another machine has the same platform name.
void disambiguate_name(MachineRows& answer,
                       std::string const& as_given,
                       std::vector<MachineRows> const& others) {
    bool const is_taken = std::ranges::any_of(others, [&](MachineRows const& other) {
        return other.machine.platform.name == answer.machine.platform.name;
    });
    if (is_taken) {
        answer.machine.platform.name = as_given;
        for (WhatIfRow& row : answer.rows) {
            row.platform = as_given;
        }
    }
}

std::string machine_line(simulator::Machine const& machine) {
    return formatted("# %s (%016llx), device profile %s\n",
                     printable_text(machine.platform.name).c_str(),
                     static_cast<unsigned long long>(simulator::platform_hash(machine.platform)),
                     printable_text(machine.device.name).c_str());
}

/// Notes on sorts that use a single node of a cluster, unless places are given.
std::string one_node_notes(std::vector<MachineRows> const& answers, WhatIfOptions const& options) {
    std::set<std::string> notes;
    for (MachineRows const& answer : answers) {
        std::set<std::string> algorithms;
        for (WhatIfRow const& row : answer.rows) {
            if (row.ran()) {
                algorithms.insert(row.request.algorithm);
            }
        }
        notes.insert(one_node_note(answer.machine.platform, algorithms));
    }
    notes.erase("");
    if (!options.inputs.empty() || notes.empty()) {
        return "";
    }
    return '\n' + joined_text(notes, "\n\n") + '\n';
}

/// Prints to standard error which measured times substitute for missing ones.
void print_substitutes(std::vector<MachineRows> const& answers) {
    for (MachineRows const& answer : answers) {
        std::set<std::string> notes;
        for (WhatIfRow const& row : answer.rows) {
            for (std::string& note :
                 simulator::stand_in_notes(answer.machine, row.request.algorithm)) {
                notes.insert(std::move(note));
            }
        }
        for (std::string const& note : notes) {
            remark_stream() << "Note: on " << printable_text(answer.machine.platform.name) << ", "
                            << note << '\n';
        }
    }
}

Expected<ExitCode> run_whatif(WhatIfOptions const& options) {
    if (options.partition) {
        return run_partition_sweep(options);
    }
    if (options.external) {
        return run_external_sweep(options);
    }
    CommandFiles const files{
        {}, {{"--csv", options.csv}}, options.json ? "--json" : "", options.existing};
    KEYSWAP_RETURN_IF_ERROR(check_files(files));
    KEYSWAP_TRY(auto const sweep, sweep_from(options));
    std::vector<MachineRows> answers;
    std::vector<WhatIfRow> rows;
    for (std::string const& platform : options.platforms) {
        KEYSWAP_TRY(auto answer, answers_of(platform, options, sweep));
        disambiguate_name(answer, platform, answers);
        rows.insert(rows.end(), answer.rows.begin(), answer.rows.end());
        answers.push_back(std::move(answer));
    }
    std::pair<std::string, Json> break_even;
    if (options.break_even) {
        KEYSWAP_TRY(break_even, break_even_of(answers));
    }
    bool const ranked = ranks_sets(options);
    if (ranked) {
        // By time; combinations that cannot run are last.
        std::ranges::stable_sort(rows, {}, [](WhatIfRow const& row) {
            return std::pair{!row.ran(), row.total_ms};
        });
    }
    KEYSWAP_TRY(auto const turned, turning_points(answers, rows));
    std::vector<OrderChange> const& turning = turned;
    print_substitutes(answers);
    if (options.csv) {
        KEYSWAP_RETURN_IF_ERROR(write_whole_file(*options.csv, sweep_csv(sweep_json(rows))));
    }
    if (options.json) {
        print_json_answers(answers, rows, options, break_even.second, turning);
    } else if (options.csv != "-") {
        std::size_t const width = terminal_columns(STDOUT_FILENO);
        std::string question = constant_load_text(rows);
        question += question.empty() ? "" : ", ";
        std::string text = "# " + question + "seed " + std::to_string(options.seed) + "\n";
        for (MachineRows const& answer : answers) {
            text += machine_line(answer.machine);
        }
        std::cout << wrapped(text, width);
        write_sweep_table(rows, width, options.all_columns, std::cout);
        text = turning_text(turning);
        if (std::ranges::any_of(answers, &MachineRows::sampled)) {
            text += "\nWhere a number of GPUs has more than 20,000 sets, only the first "
                    "GPUs and evenly spread ones were tried.\n";
        }
        if (!ranked && !options.gpu_counts.empty()) {
            std::string const finding = gpu_count_finding(rows);
            text += (finding.empty() ? "" : "\n") + finding;
        }
        if (options.break_even) {
            text += '\n' + break_even.first + '\n';
        }
        auto const verdicts = sweep_verdicts(rows);
        text += verdicts.empty() ? "" : "\n";
        for (SweepVerdict const& verdict : verdicts) {
            text += verdict.sentence + '\n';
        }
        text += one_node_notes(answers, options);
        text += options.costs ? cost_text(answers) : "";
        std::cout << wrapped(text, width);
    }
    return exit_code_of(rows);
}

} // namespace

void add_whatif_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("whatif", "Predict many sorts: other GPUs, sizes, keys, links, sorts");
    auto const options = std::make_shared<WhatIfOptions>();
    auto* const partition = add_partition_options(command, *options);
    auto* const external = add_external_sweep_options(command, *options);
    command
        .add_option(
            "--platform", options->platforms, "Platforms by name or file, compared with each other")
        ->delimiter(',')
        ->capture_default_str();
    command.add_option(
        "--profile", options->profile, "Device profile by name or file; by default the platform's");
    command.add_option("--keys", options->keys, "Numbers of keys")->delimiter(',');
    command
        .add_option("--algorithm",
                    options->algorithms,
                    "Algorithms, with their variants where they have several: rmg-paper,p2p-merge; "
                    "or all")
        ->delimiter(',')
        ->default_str(default_schedule({}));
    command.add_option("--type", options->key_types, "Key types")->delimiter(',');
    add_values_and_output_options(command, *options);
    command
        .add_option(
            "--input-on",
            options->inputs,
            "Where the keys are: node:N, interleaved, local or devices; several are compared")
        ->delimiter(',');
    command
        .add_option("--distribution",
                    options->distributions,
                    "Distributions, each with its parameter: uniform,zipf=0.75")
        ->delimiter(',');
    command
        .add_option("--parameter",
                    options->parameters,
                    "Parameters of distributions that are named without one")
        ->delimiter(',');
    command.add_flag("--costs",
                     options->costs,
                     "Energy and price too: keys per joule and per dollar, from platform files");
    command.add_option("--digit-bits", options->digit_bits, "Bits per pass")->delimiter(',');
    command
        .add_option("--tolerance-ppm",
                    options->tolerances,
                    "Tolerance in ppm of a chunk (default: each sort's own)")
        ->delimiter(',');
    command.add_option("--fuse-ppm", options->fuses, "Fuse limit in ppm of a chunk")
        ->delimiter(',');
    command.add_option(
        "--link",
        options->links,
        "Repeat with these changes to links, as \"xbus x2\", \"rail = 100 GB/s\", \"add "
        "nvswitch 300 GB/s\" or several: \"xbus x2 + nvlink x2\"; repeatable");
    command
        .add_option("--swap",
                    options->swaps,
                    "Key swaps between nodes of a cluster: flat, by-node (gathered inside a node "
                    "first), best (the faster of the two)")
        ->delimiter(',')
        ->capture_default_str();
    command
        .add_option("--gpu-memory",
                    options->gpu_memory,
                    "Memory of each GPU: keys in host memory that do not fit are sorted range by "
                    "range: 8G,16G")
        ->delimiter(',');
    add_gpu_set_options(command, *options);
    command.add_option("--seed", options->seed, "Seed of the keys");
    command.add_flag("--break-even",
                     options->break_even,
                     "With two rows: from how many keys on is the second one faster?");
    auto* const json = command.add_flag("--json", options->json, "Print JSON");
    add_csv_option(command, options->csv, "Write the rows here as CSV, which report reads");
    add_force_option(command, options->existing);
    command
        .add_flag("--all-columns",
                  options->all_columns,
                  "Show every column of the table, however wide the terminal is")
        ->excludes(json);
    exclude_all_but(
        command,
        *partition,
        "--device --buckets --rule --keys --type --values --distribution --json --help");
    exclude_all_but(command,
                    *external,
                    "--platform --memory --disks --cpu-threads --keys --type --distribution --seed "
                    "--costs --json --help");
    run_when_chosen(command, chosen, options, run_whatif);
}

} // namespace keyswap::tools
