#include "simulator/platform/running_cost.hpp"
#include "tools/commands/simulate/simulate_external.hpp"
#include "tools/commands/simulate/whatif_options.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

namespace keyswap::tools {

namespace {

/// A question with its answer, and the machine's running costs if known.
struct ExternalRow {
    SimulateOptions question;
    ExternalAnswer answer;
    std::optional<simulator::RunningCost> running;

    [[nodiscard]] double seconds() const { return simulator::to_seconds(answer.prediction.total); }
    [[nodiscard]] double keys_per_second() const {
        return static_cast<double>(answer.plan.record_count) / std::max(seconds(), 1e-12);
    }
    [[nodiscard]] std::optional<double> keys_per_joule() const {
        return running ? std::optional(running->keys_per_joule(keys_per_second())) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> keys_per_dollar() const {
        return running ? running->keys_per_dollar(keys_per_second()) : std::nullopt;
    }
    /// Number of times that all data is read, and also written; oversized ranges count partially.
    [[nodiscard]] double read_count() const {
        return static_cast<double>(answer.plan.moved_bytes()) /
               static_cast<double>(std::max<std::uint64_t>(answer.size_bytes(), 1));
    }
};

/// All combinations, in the order in which they are printed.
Expected<std::vector<SimulateOptions>> questions_of(WhatIfOptions const& options) {
    SimulateOptions first;
    first.seed = options.seed;
    std::vector<SimulateOptions> questions{first};
    auto const vary = [&](auto const& values, auto const& set) -> Expected<void> {
        std::vector<SimulateOptions> varied;
        for (SimulateOptions const& question : questions) {
            for (auto const& value : values) {
                varied.push_back(question);
                KEYSWAP_RETURN_IF_ERROR(set(varied.back(), value));
            }
        }
        questions = std::move(varied);
        return {};
    };
    auto const put = [](auto member) {
        return [member](SimulateOptions& question, auto const& value) -> Expected<void> {
            question.*member = value;
            return {};
        };
    };
    KEYSWAP_RETURN_IF_ERROR(
        vary(options.keys, [&](SimulateOptions& question, std::string const& text) {
            return parse_count(text, "--keys").map([&](auto count) { question.key_count = count; });
        }));
    KEYSWAP_RETURN_IF_ERROR(vary(options.key_types, put(&SimulateOptions::key_type)));
    KEYSWAP_RETURN_IF_ERROR(vary(options.distributions, put(&SimulateOptions::distribution)));
    KEYSWAP_RETURN_IF_ERROR(vary(options.platforms, put(&SimulateOptions::platform)));
    KEYSWAP_RETURN_IF_ERROR(
        vary(options.memory, [&](SimulateOptions& question, std::string const& text) {
            return parse_count(text, "--memory").map([&](auto count) { question.memory = count; });
        }));
    KEYSWAP_RETURN_IF_ERROR(vary(options.disks, put(&SimulateOptions::disks)));
    KEYSWAP_RETURN_IF_ERROR(
        vary(options.cores, [](SimulateOptions& question, std::uint32_t cores) -> Expected<void> {
            question.cpu_threads = static_cast<int>(cores);
            return {};
        }));
    return questions;
}

std::string load_line(ExternalRow const& row) {
    auto const bytes = static_cast<double>(row.answer.size_bytes());
    return "# " + grouped_count(row.answer.plan.record_count) + ' ' +
           to_string(row.answer.plan.layout) + " (" + size_text(bytes) + "), " + row.answer.keys +
           ", on " + printable_text(row.answer.platform.name) + '\n';
}

/// Prints one table per load and platform. Running costs replace columns that the JSON has, so that
/// lines fit into 80 columns.
void print_rows(std::vector<ExternalRow> const& rows, bool costs, std::ostream& out) {
    Table const table({{"memory", -7},
                       {"disks", 6},
                       {"cores", 6},
                       {"seconds", 8},
                       {costs ? "keys/J" : "GB/s", costs ? 9 : 7},
                       {costs ? "keys/$" : "reads", 9},
                       {"limit", -2, 2}});
    auto const cost = [](std::optional<double> number) {
        return number ? printed("%.3g", *number) : std::string("-");
    };
    std::string load;
    for (ExternalRow const& row : rows) {
        if (load != load_line(row)) {
            load = load_line(row);
            out << load << table.header();
        }
        out << table.row(
            size_text(static_cast<double>(*row.question.memory)),
            printed("x%.3g", row.question.disks),
            row.answer.cores,
            printed("%.4g", row.seconds()),
            costs ? cost(row.keys_per_joule()) : printed("%.3g", row.answer.GB_per_s()),
            costs ? cost(row.keys_per_dollar()) : printed("%.3g", row.read_count()),
            row.answer.longest_phase().name + ": " + limit_text(row.answer.longest_phase()));
    }
}

Json rows_json(std::vector<ExternalRow> const& rows) {
    Json all = Json::array();
    for (ExternalRow const& row : rows) {
        simulator::ExternalPhase const& phase = row.answer.longest_phase();
        auto const known = [](std::optional<double> number) {
            return number ? Json(*number) : Json();
        };
        all.push_back({{"platform", row.answer.platform.name},
                       {"keys", row.answer.plan.record_count},
                       {"type", row.question.key_type},
                       {"distribution", *row.question.distribution},
                       {"memory", *row.question.memory},
                       {"disks", row.question.disks},
                       {"cores", row.answer.cores},
                       {"total_s", row.seconds()},
                       {"GBps", row.answer.GB_per_s()},
                       {"moved_bytes", row.answer.plan.moved_bytes()},
                       {"ranges", row.answer.plan.ranges.size()},
                       {"longest_phase", phase.name},
                       {"limit", phase.limit},
                       {"limited", phase.limited},
                       {"keys_per_joule", known(row.keys_per_joule())},
                       {"keys_per_dollar", known(row.keys_per_dollar())}});
    }
    return all;
}

} // namespace

CLI::Option* add_external_sweep_options(CLI::App& command, WhatIfOptions& options) {
    CLI::Option* const flag = command.add_flag(
        "--external",
        options.external,
        "Predict sorts on files: how much memory, how many disks, which platform's storage?");
    command.add_option("--memory", options.memory, "Memory given to such a sort: 16G,64G,256G")
        ->delimiter(',')
        ->needs(flag);
    command
        .add_option("--disks",
                    options.disks,
                    "Times as many disks as the platform has, for --external: 1,2,4")
        ->delimiter(',')
        ->capture_default_str()
        ->needs(flag)
        ->check(CLI::Range(0.01, 1000.0));
    command.add_option("--cpu-threads", options.cores, "Cores that sort, for --external")
        ->delimiter(',')
        ->capture_default_str()
        ->needs(flag)
        ->check(CLI::Range(1U, unsigned{simulated_cpu_threads_max}));
    return flag;
}

Expected<ExitCode> run_external_sweep(WhatIfOptions const& options) {
    if (options.memory.empty()) {
        return input_error(
            "--external", "needs --memory", "give one or several, for instance --memory 16G,64G");
    }
    KEYSWAP_TRY(auto const questions, questions_of(options));
    std::map<std::string, std::optional<simulator::RunningCost>> running;
    std::vector<ExternalRow> rows; // printed only if no row fails
    for (SimulateOptions const& question : questions) {
        if (options.costs && !running.contains(question.platform)) {
            KEYSWAP_TRY(running[question.platform],
                        simulator::load_running_cost(question.platform));
        }
        KEYSWAP_TRY(auto answer, predict_external(question));
        rows.push_back({question, std::move(answer), running[question.platform]});
    }
    if (options.json) {
        Json json =
            json_result("whatif", {{"question", "external"}, {"platforms", options.platforms}});
        json["rows"] = rows_json(rows);
        print_json(json, std::cout);
    } else {
        print_rows(rows, options.costs, std::cout);
    }
    return ExitCode::fine;
}

} // namespace keyswap::tools
