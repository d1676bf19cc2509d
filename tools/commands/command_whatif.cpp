#include "simulator/platform/running_cost.hpp"
#include "simulator/study/certainty.hpp"
#include "simulator/study/what_if.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/whatif_partition.hpp"
#include "tools/options/distribution_option.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/gpu_sweep.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/output/captured_output.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/csv_option.hpp"
#include "tools/output/json_result.hpp"
#include "tools/report/sweep_csv.hpp"
#include "tools/report/sweep_rows.hpp"
#include "tools/text/document.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "tools/text/text_width.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <unistd.h>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;
using simulator::WhatIfRow;

struct WhatIfOptions {
    std::vector<std::string> platforms{"dgx-a100"};
    std::optional<std::string> profile;
    LoadOptions load; ///< --input-on apart, which is a list
    std::vector<std::string> inputs;
    std::vector<std::string> keys{"2e9"};
    std::vector<std::string> algorithms; ///< default_schedule() if none
    std::vector<std::string> key_types{"u32"};
    std::vector<std::string> distributions{"uniform"};
    std::vector<double> parameters;
    std::vector<int> digit_bits{8};
    std::vector<std::uint32_t> tolerances;
    std::vector<std::uint32_t> fuses{10000};
    std::vector<std::string> links;
    std::vector<std::string> swaps{"flat"};
    GpuSweepOptions gpus;
    PartitionOptions partition;
    std::uint64_t seed = 1;
    bool break_even = false;
    bool costs = false;
    bool all_columns = false;
    bool json = false;
    std::optional<std::string> csv;
    Existing existing = Existing::keep;

    /// Whether the list names this schedule, other than by "all".
    [[nodiscard]] bool names(std::string const& schedule) const {
        return std::ranges::any_of(algorithms, [&](std::string const& name) {
            auto const named = schedule_names({name});
            return name != "all" && named && named->front() == schedule;
        });
    }
};

/// The outcome of `parse` for each text.
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

/// "zipf=0.75" has its own parameter; others have those of --parameter one after the other.
Expected<std::vector<simulator::KeyDistribution>>
distributions_of(std::vector<std::string> const& texts, std::vector<double> const& parameters) {
    std::vector<simulator::KeyDistribution> all;
    bool uses_parameters = parameters.empty();
    for (std::string const& text : texts) {
        KEYSWAP_TRY(auto const named, parse_distribution(text, "--distribution"));
        if (named.parameter || parameters.empty()) {
            all.push_back({named.name, named.parameter});
            continue;
        }
        uses_parameters = true;
        for (double const parameter : parameters) {
            all.push_back({named.name, parameter});
        }
    }
    if (!uses_parameters) {
        return tl::unexpected(InputError{"--distribution and --parameter",
                                         "every distribution has a parameter of its own",
                                         "leave --parameter out"});
    }
    return all;
}

/// Everything but the GPU sets, which depend on the machine.
Expected<simulator::WhatIfSweep> sweep_from(WhatIfOptions const& options) {
    simulator::WhatIfSweep sweep;
    KEYSWAP_TRY(auto schedules,
                options.algorithms.empty()
                    ? Expected<std::vector<std::string>>({default_schedule(options.load)})
                    : schedule_names(options.algorithms));
    KEYSWAP_TRY(auto counts, parse_each(options.keys, [](std::string const& text) {
                    return parse_count(text, "--keys");
                }));
    KEYSWAP_TRY(auto types, parse_each(options.key_types, [](std::string const& text) {
                    return parse_sorted_type(text);
                }));
    KEYSWAP_TRY(auto distributions, distributions_of(options.distributions, options.parameters));
    KEYSWAP_TRY(auto links, parse_each(options.links, [](std::string const& text) {
                    return simulator::parse_link_changes(text);
                }));
    KEYSWAP_TRY(auto inputs, parse_each(options.inputs, [](std::string const& text) {
                    return simulator::parse_key_place(text, "--input-on");
                }));
    KEYSWAP_TRY(auto swaps, parse_each(options.swaps, simulator::parse_swap));
    sweep.algorithms = std::move(schedules);
    sweep.key_counts = std::move(counts);
    sweep.key_types = std::move(types);
    sweep.distributions = std::move(distributions);
    sweep.link_changes.insert(sweep.link_changes.end(), links.begin(), links.end());
    if (!inputs.empty()) {
        sweep.inputs.assign(inputs.begin(), inputs.end());
    }
    sweep.swaps = std::move(swaps);
    sweep.digit_bits = options.digit_bits;
    if (!options.tolerances.empty()) {
        sweep.tolerances_ppm.assign(options.tolerances.begin(), options.tolerances.end());
    }
    sweep.fuses_ppm = options.fuses;
    sweep.seed = options.seed;
    simulator::SimulationRequest load;
    KEYSWAP_RETURN_IF_ERROR(apply(options.load, load));
    if (options.load.published && !options.inputs.empty()) {
        return tl::unexpected(InputError{
            "--published and --input-on", "both say where the keys lie", "leave one of them out"});
    }
    sweep.value_type = load.config.value_type;
    sweep.output = load.output;
    sweep.layout = load.layout;
    return sweep;
}

/// A machine with its answers.
struct MachineRows {
    simulator::Machine machine;
    std::vector<WhatIfRow> rows;
    bool sampled = false;                          ///< not every set of GPUs was tried
    std::optional<simulator::RunningCost> running; ///< where it was asked for and is known
};

void result_fields(MachineRows const& answer, auto& field) {
    field("platform", answer.machine.platform.name);
    field("platform_hash", hash_text(platform_hash(answer.machine.platform)));
    field("device_profile", answer.machine.device.name);
    field("all_sets_tried", !answer.sampled);
}

/// The places that make sets of GPUs differ. Sorts on one node have others than the rest: a set
/// then has both.
SweptPlaces swept_places(simulator::Platform const& platform, simulator::WhatIfSweep const& sweep) {
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
                gpu_sets_of(options.gpus, machine, swept_places(machine.platform, sweep)));
    for (GpuSweepSet const& set : sets.sets) {
        sweep.gpu_sets.push_back(set.gpus);
    }
    KEYSWAP_TRY(auto rows, simulator::run_what_if(machine, sweep));
    for (std::size_t index = 0; index < rows.size(); ++index) {
        rows[index].equivalent_sets = sets.sets[index % sets.sets.size()].equivalent_sets;
    }
    if (sets.choice == SetChoice::best_of_each_count) {
        rows = best_of_each_count(std::move(rows), sets.sets.size());
    }
    if (options.algorithms.empty()) {
        for (WhatIfRow& row : rows) {
            std::string const advice = row.ran() ? "" : variant_advice(machine, row.request);
            row.error += advice.empty() ? "" : "; " + advice;
        }
    }
    KEYSWAP_RETURN_IF_ERROR(simulator::simulate_intervals(machine, rows));
    std::optional<simulator::RunningCost> running;
    if (options.costs) {
        KEYSWAP_TRY(auto const known, simulator::load_running_cost(platform));
        running = known;
    }
    return MachineRows{std::move(machine), std::move(rows), sets.sampled, running};
}

std::string contender_name(WhatIfRow const& row) {
    return row.request.algorithm + " on " + printable_text(row.platform) +
           (row.link_changes.empty() ? "" : " with " + printable_text(row.link_changes)) + ", " +
           gpu_set_name(row.request.gpus) +
           (row.request.swap == simulator::SwapOrder::flat
                ? ""
                : ", swap " + std::string(to_string(row.request.swap)));
}

/// Between the two rows that there are.
Expected<std::pair<std::string, Json>> break_even_of(std::vector<MachineRows> const& answers) {
    std::vector<std::pair<simulator::Machine, WhatIfRow const*>> contenders;
    for (MachineRows const& answer : answers) {
        for (WhatIfRow const& row : answer.rows) {
            if (contenders.size() == 2) {
                return tl::unexpected(InputError{"--break-even",
                                                 "there are more than two rows to compare",
                                                 "vary one thing, with two values"});
            }
            auto const changes = row.link_changes.empty()
                                     ? Expected<simulator::LinkChanges>(simulator::LinkChanges{})
                                     : simulator::parse_link_changes(row.link_changes);
            KEYSWAP_TRY(auto machine, changes.and_then([&](simulator::LinkChanges const& known) {
                return simulator::with_link_changes(answer.machine, known);
            }));
            contenders.emplace_back(std::move(machine), &row);
        }
    }
    if (contenders.size() < 2) {
        return tl::unexpected(InputError{"--break-even",
                                         "there is only one row",
                                         "vary one thing, for instance --gpu-count 1,8"});
    }
    auto const& [first_machine, first] = contenders[0];
    auto const& [second_machine, second] = contenders[1];
    KEYSWAP_TRY(auto const found,
                simulator::break_even({&first_machine, first->request},
                                      {&second_machine, second->request}));
    std::string const when = !found.second_ever_wins ? "never"
                             : found.key_count == 0
                                 ? "always"
                                 : "from " + format_count(found.key_count) + " keys on";
    Json json{{"tried_most", found.tried_most}};
    json["key_count"] = found.second_ever_wins ? Json(found.key_count) : Json();
    return std::pair{contender_name(*second) + " beats " + contender_name(*first) + ": " + when +
                         " (of up to " + format_count(found.tried_most) +
                         " keys, the most that fit into both).",
                     json};
}

/// A set of GPUs that is slower than the fastest, and an assumption that decides it.
struct Turning {
    WhatIfRow const* fastest;
    WhatIfRow const* other;
    simulator::TurningPoint point;
};

void result_fields(Turning const& turning, auto& field) {
    field("name", turning.point.constant.name);
    field("value", turning.point.constant.value);
    field("turns_at", turning.point.value);
    field("upwards", turning.point.upwards);
    field("within_range", !turning.point.beyond);
    field("fastest", turning.fastest->request.gpus);
    field("then_faster", turning.other->request.gpus);
}

/// Whether two rows differ in their GPUs alone.
bool same_but_gpus(WhatIfRow const& a, WhatIfRow const& b) {
    auto const load = [](WhatIfRow const& row) {
        auto const& config = row.request.config;
        return std::tuple{config.key_count,
                          config.key_type,
                          config.digit_bits,
                          config.tolerance_ppm,
                          config.fuse_ppm,
                          row.request.algorithm,
                          row.request.distribution,
                          row.request.parameter,
                          to_string(*row.request.input),
                          row.request.swap,
                          row.link_changes};
    };
    return load(a) == load(b);
}

/// What turns the order of the fastest set of GPUs and the second one, and of the fastest and the
/// one with most GPUs; empty if rows differ in something else, or links were changed.
Expected<std::vector<Turning>> turning_points(std::vector<MachineRows> const& answers,
                                              std::vector<WhatIfRow> const& rows) {
    std::vector<WhatIfRow const*> ranking;
    for (WhatIfRow const& row : rows) {
        if (!same_but_gpus(row, rows.front()) || !row.link_changes.empty()) {
            return std::vector<Turning>{};
        }
        if (row.tasks > simulator::CertaintyOptions{}.tasks_max) {
            return std::vector<Turning>{}; // nothing so large is simulated again
        }
        if (row.ran()) {
            ranking.push_back(&row);
        }
    }
    if (answers.size() != 1 || ranking.size() < 2) {
        return std::vector<Turning>{};
    }
    std::ranges::stable_sort(ranking, {}, [](WhatIfRow const* row) { return row->total_ms; });
    auto const* const largest = *std::ranges::max_element(
        ranking, {}, [](WhatIfRow const* row) { return row->request.gpus.size(); });
    std::vector<WhatIfRow const*> others{ranking[1]};
    if (largest != ranking[0] && largest->request.gpus.size() > ranking[1]->request.gpus.size()) {
        others.push_back(largest);
    }
    simulator::Machine const& machine = answers.front().machine;
    KEYSWAP_TRY(auto const first, simulator::simulate(machine, ranking[0]->request));
    std::vector<Turning> turning;
    for (WhatIfRow const* const other : others) {
        KEYSWAP_TRY(auto const points,
                    simulator::simulate(machine, other->request)
                        .and_then([&](simulator::Simulation const& second) {
                            return simulator::turning_points(machine, first, second);
                        }));
        for (simulator::TurningPoint const& point : points) {
            turning.push_back({ranking[0], other, point});
        }
    }
    return turning;
}

std::string turning_text(std::vector<Turning> const& turning) {
    std::string text;
    for (auto const& [fastest, other, point] : turning) {
        text += formatted("%s would beat %s with %s of at %s %.3g (assumed: %.3g%s).\n",
                          gpu_set_name(other->request.gpus).c_str(),
                          gpu_set_name(fastest->request.gpus).c_str(),
                          printable_text(point.constant.name).c_str(),
                          point.upwards ? "least" : "most",
                          point.value,
                          point.constant.value,
                          point.beyond ? printed(", thought to be %.3g", point.constant.low())
                                             .append(printed(" to %.3g", point.constant.high()))
                                             .c_str()
                                       : "");
    }
    return text;
}

/// What a row's machine takes for it.
struct RowCost {
    double keys_a_joule = 0.0;
    std::optional<double> keys_a_dollar;
};

void result_fields(RowCost const& cost, auto& field) {
    field("keys_per_joule", cost.keys_a_joule);
    field("keys_per_dollar", cost.keys_a_dollar);
}

/// nullopt where the row did not run or its platform file says nothing of it.
std::optional<RowCost> cost_of(WhatIfRow const& row, std::vector<MachineRows> const& answers) {
    auto const answer = std::ranges::find_if(answers, [&row](MachineRows const& one) {
        return one.machine.platform.name == row.platform;
    });
    if (!row.ran() || answer == answers.end() || !answer->running || row.total_ms <= 0.0) {
        return std::nullopt;
    }
    double const keys_a_second =
        static_cast<double>(row.request.config.key_count) / row.total_ms * 1e3;
    return RowCost{answer->running->keys_a_joule(keys_a_second),
                   answer->running->keys_a_dollar(keys_a_second)};
}

/// A line for each machine: its row that sorts most keys a joule.
std::string cost_text(std::vector<MachineRows> const& answers) {
    std::string text;
    for (MachineRows const& answer : answers) {
        std::optional<RowCost> best;
        for (WhatIfRow const& row : answer.rows) {
            auto const cost = cost_of(row, answers);
            best = cost && (!best || cost->keys_a_joule > best->keys_a_joule) ? cost : best;
        }
        if (!best) {
            continue;
        }
        text += formatted("%s: up to %.4g million keys a joule at %.4g kW",
                          printable_text(answer.machine.platform.name).c_str(),
                          best->keys_a_joule * 1e-6,
                          static_cast<double>(answer.running->power_W) * 1e-3);
        if (best->keys_a_dollar) {
            text += formatted(", %.4g billion keys a dollar at %.2f an hour",
                              *best->keys_a_dollar * 1e-9,
                              static_cast<double>(answer.running->price_cent) * 0.01);
        }
        text += formatted(" (%s).\n", printable_text(answer.running->origin).c_str());
    }
    return text.empty() ? "\nNo platform file has a table [running].\n" : '\n' + text;
}

void print_json_answers(std::vector<MachineRows> const& answers,
                        std::vector<WhatIfRow> const& rows,
                        WhatIfOptions const& options,
                        Json const& break_even,
                        std::vector<Turning> const& turning) {
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

/// Of sorts that "all" stands for, some may not go with what was asked; their rows say why.
Expected<ExitCode> exit_code_of(std::vector<WhatIfRow> const& rows, WhatIfOptions const& options) {
    bool const any_ran = std::ranges::any_of(rows, &WhatIfRow::ran);
    auto const is_wrong = [&](WhatIfRow const& row) {
        bool const of_all = !options.algorithms.empty() && !options.names(row.request.algorithm);
        return !row.ran() && !(any_ran && of_all);
    };
    auto const failed = std::ranges::count_if(rows, is_wrong);
    if (failed == 0) {
        return ExitCode::fine;
    }
    auto const first = std::ranges::find_if(rows, is_wrong);
    return tl::unexpected(InputError{"whatif",
                                     format_count(static_cast<std::uint64_t>(failed)) + " of " +
                                         format_count(rows.size()) +
                                         " combinations could not run; the first: " + first->error,
                                     ""});
}

/// Calls a machine as the command line does if another one has its name.
void name_apart(MachineRows& answer,
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

/// Of sorts that work on one node of a cluster, unless the places were asked for.
std::string one_node_notes(std::vector<MachineRows> const& answers,
                           std::vector<WhatIfRow> const& rows,
                           WhatIfOptions const& options) {
    std::set<std::string> notes;
    for (WhatIfRow const& row : rows) {
        for (MachineRows const& answer : answers) {
            bool const said = !options.inputs.empty() || !row.ran() ||
                              answer.machine.platform.name != row.platform;
            notes.insert(said ? "" : one_node_note(answer.machine.platform, row.request.algorithm));
        }
    }
    std::string text;
    for (std::string const& note : notes) {
        text += note.empty() ? "" : '\n' + note + '\n';
    }
    return text;
}

/// On standard error: whose times stand in for those that nobody measured.
void print_stand_ins(std::vector<MachineRows> const& answers) {
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
    if (options.partition.asked) {
        return run_partition_question(options.partition,
                                      {options.keys,
                                       options.key_types,
                                       options.load.values,
                                       options.distributions,
                                       options.json});
    }
    CommandFiles const files{
        {}, {{"--csv", options.csv}}, options.json ? "--json" : "", options.existing};
    KEYSWAP_RETURN_IF_ERROR(check_files(files));
    KEYSWAP_TRY(auto const sweep, sweep_from(options));
    std::vector<MachineRows> answers;
    std::vector<WhatIfRow> rows;
    for (std::string const& platform : options.platforms) {
        KEYSWAP_TRY(auto answer, answers_of(platform, options, sweep));
        name_apart(answer, platform, answers);
        rows.insert(rows.end(), answer.rows.begin(), answer.rows.end());
        answers.push_back(std::move(answer));
    }
    std::pair<std::string, Json> break_even;
    if (options.break_even) {
        KEYSWAP_TRY(auto found, break_even_of(answers));
        break_even = std::move(found);
    }
    bool const ranked = ranks_sets(options.gpus);
    if (ranked) {
        // Fastest first; combinations that cannot run last.
        std::ranges::stable_sort(rows, {}, [](WhatIfRow const& row) {
            return std::pair{!row.ran(), row.total_ms};
        });
    }
    KEYSWAP_TRY(auto const turned, turning_points(answers, rows));
    std::vector<Turning> const& turning = turned;
    print_stand_ins(answers);
    if (options.csv) {
        KEYSWAP_RETURN_IF_ERROR(write_whole_file(*options.csv, sweep_csv(sweep_json(rows))));
    }
    if (options.json) {
        print_json_answers(answers, rows, options, break_even.second, turning);
    } else if (options.csv != "-") {
        SweepLayout const layout{terminal_columns(STDOUT_FILENO), options.all_columns};
        std::string question = constant_load_text(rows);
        question += question.empty() ? "" : ", ";
        std::string text = "# " + question + "seed " + std::to_string(options.seed) + "\n";
        for (MachineRows const& answer : answers) {
            text += machine_line(answer.machine);
        }
        std::cout << wrapped(text, layout.columns);
        write_sweep_table(rows, layout, std::cout);
        text = turning_text(turning);
        if (std::ranges::any_of(answers, &MachineRows::sampled)) {
            text += "\nWhere a number of GPUs has more than 20,000 sets, only the first "
                    "GPUs and evenly spread ones were tried.\n";
        }
        if (!ranked && !options.gpus.counts.empty() && answers.size() == 1) {
            text += '\n' + gpu_count_finding(rows) + '\n';
        }
        if (options.break_even) {
            text += '\n' + break_even.first + '\n';
        }
        auto const verdicts = sweep_verdicts(rows);
        text += verdicts.empty() ? "" : "\n";
        for (SweepVerdict const& verdict : verdicts) {
            text += verdict.sentence + '\n';
        }
        text += one_node_notes(answers, rows, options);
        text += options.costs ? cost_text(answers) : "";
        std::cout << wrapped(text, layout.columns);
    }
    return exit_code_of(rows, options);
}

} // namespace

void add_whatif_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("whatif", "Predict many sorts: other GPUs, sizes, keys, links, sorts");
    auto const options = std::make_shared<WhatIfOptions>();
    auto* const partition = add_partition_options(command, options->partition);
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
    add_values_and_output_options(command, options->load);
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
                     "Energy and price too: keys a joule and a dollar, from platform files");
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
    add_gpu_sweep_options(command, options->gpus);
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
    exclude_all_but(command,
                    *partition,
                    {"--device",
                     "--buckets",
                     "--rule",
                     "--keys",
                     "--type",
                     "--values",
                     "--distribution",
                     "--json",
                     "--help"});
    run_when_chosen(command, chosen, options, run_whatif);
}

} // namespace keyswap::tools
