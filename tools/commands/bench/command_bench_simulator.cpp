#include "simulator/network/flow_benchmark.hpp"
#include "simulator/prediction/simulation.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/document.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <memory>

namespace keyswap::tools {

namespace {

/// Options as the user gave them.
struct BenchSimulatorOptions {
    std::string gpu_counts = "2,4,8,16,32,72";
    std::string tolerances = "0,1e-3,1e-2";
    std::uint32_t exact_gpus_max = 144;
    bool json = false;
};

/// A row of the table. Times are CPU times of one core.
struct BenchRow {
    std::uint32_t gpu_count = 0;
    std::string platform;
    std::size_t flow_count = 0;
    double tolerance = 0.0;
    std::uint64_t solve_count = 0;
    double cpu_seconds = 0.0;
    double peak_memory_MB = 0.0; ///< of the process so far
    double makespan_ms = 0.0;
    std::optional<double> speedup; ///< relative to the exact run
    std::optional<double> error;   ///< maximum relative error of a flow's end
};

/// CPU time of this thread, hardly affected by other load on the machine.
double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double peak_memory_MB() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6; // Linux reports KiB
}

template <class Number>
Expected<std::vector<Number>> parse_list(std::string const& option, std::string const& text) {
    std::vector<Number> numbers;
    for (std::string const& piece : comma_separated(text)) {
        auto const number = parsed_number<Number>(piece);
        if (!number) {
            return input_error(option,
                               "'" + piece + "' is not a number",
                               "write numbers with commas between them");
        }
        numbers.push_back(*number);
    }
    if (numbers.empty()) {
        return input_error(option, "holds nothing", "write one number at least");
    }
    return numbers;
}

BenchRow run_case(simulator::FlowScenario const& scenario,
                  std::uint32_t gpu_count,
                  double tolerance,
                  simulator::FlowEnds& ends) {
    double const begin = thread_seconds();
    ends = simulator::run_flows(scenario, tolerance);
    BenchRow row;
    row.cpu_seconds = thread_seconds() - begin;
    row.gpu_count = gpu_count;
    row.platform = scenario.platform;
    row.flow_count = scenario.routes.size();
    row.tolerance = tolerance;
    row.solve_count = ends.solves;
    row.peak_memory_MB = peak_memory_MB();
    row.makespan_ms = 1e3 * *std::ranges::max_element(ends.seconds);
    return row;
}

std::string text_of(std::optional<double> value, char const* format) {
    return value ? printed(format, *value) : "-";
}

void print_row(BenchRow const& row) {
    double const flows = static_cast<double>(row.flow_count);
    std::cout << formatted("%5u  %-19s %8zu %9g %8llu %10.3f %10.0f %9.0f %12.3f %8s %9s\n",
                           row.gpu_count,
                           row.platform.c_str(),
                           row.flow_count,
                           row.tolerance,
                           static_cast<unsigned long long>(row.solve_count),
                           row.cpu_seconds * 1e3,
                           row.cpu_seconds / flows * 1e9,
                           row.peak_memory_MB,
                           row.makespan_ms,
                           text_of(row.speedup, "%.1f").c_str(),
                           text_of(row.error, "%.2g").c_str())
              << std::flush; // the next row may take a minute
}

/// Runs one GPU count with every tolerance, the exact one first if it is included.
Expected<void> run_gpus(std::uint32_t gpu_count,
                        std::vector<double> const& tolerances,
                        BenchSimulatorOptions const& options,
                        std::vector<BenchRow>& rows) {
    KEYSWAP_TRY(auto const scenario, simulator::benchmark_scenario(gpu_count));
    std::optional<std::size_t> exact_row;
    simulator::FlowEnds exact;
    for (double const tolerance : tolerances) {
        if (tolerance == 0.0 && gpu_count > options.exact_gpus_max) {
            continue;
        }
        simulator::FlowEnds ends;
        BenchRow row = run_case(scenario, gpu_count, tolerance, ends);
        if (exact_row) {
            row.speedup = rows[*exact_row].cpu_seconds / row.cpu_seconds;
            row.error = simulator::worst_relative_error(ends, exact);
        } else if (tolerance == 0.0) {
            exact_row = rows.size();
            exact = std::move(ends);
        }
        if (!options.json) {
            print_row(row);
        }
        rows.push_back(std::move(row));
    }
    return {};
}

/// Time of complete simulations, from histograms to the last copy, with one copy per bucket.
Expected<double> sort_seconds() {
    KEYSWAP_TRY(auto const machine, simulator::load_machine("dgx-a100", std::nullopt));
    double best = 1e300;
    for (int repetition = 0; repetition < 5; ++repetition) {
        simulator::SimulationRequest request;
        request.config.key_count = 2'000'000'000;
        request.gpus = {0, 1, 2, 3, 4, 5, 6, 7};
        double const begin = thread_seconds();
        KEYSWAP_RETURN_IF_ERROR(simulator::simulate(machine, std::move(request)));
        best = std::min(best, thread_seconds() - begin);
    }
    return best;
}

void result_fields(BenchRow const& row, auto& field) {
    field("gpus", row.gpu_count);
    field("platform", row.platform);
    field("flows", row.flow_count);
    field("tolerance", row.tolerance);
    field("solves", row.solve_count);
    field("cpu_s", row.cpu_seconds);
    field("peak_memory_MB", row.peak_memory_MB);
    field("makespan_ms", row.makespan_ms);
    field.if_any("speedup", row.speedup);
    field.if_any("worst_relative_error", row.error);
}

Expected<ExitCode> bench_simulator(BenchSimulatorOptions const& options) {
    KEYSWAP_TRY(auto const gpus, parse_list<std::uint32_t>("--gpu-count", options.gpu_counts));
    KEYSWAP_TRY(auto tolerances, parse_list<double>("--tolerance", options.tolerances));
    // Written so that NaN is rejected.
    auto const is_part = [](double tolerance) { return tolerance >= 0.0 && tolerance < 1.0; };
    if (!std::ranges::all_of(tolerances, is_part)) {
        return input_error(
            "--tolerance", "is not from 0 to below 1", "0 is exact; 0.01 shares solutions");
    }
    std::ranges::sort(tolerances);
    auto const [fewest, most] = std::ranges::minmax(gpus);
    if (fewest < 2 || most > 1024) {
        return input_error(
            "--gpu-count", "an all-to-all has 2 to 1,024 GPUs", "write --gpu-count 8,72");
    }
    if (!options.json) {
        std::cout << formatted(
            "All-to-all, 100 MB a flow on average, sizes within a factor of 3, one core; "
            "tolerance 0 is exact\n"
            " GPUs  platform               flows tolerance   solves     CPU ms    ns/flow "
            "memory MB  makespan ms  speedup     error\n");
    }
    std::vector<BenchRow> rows;
    for (std::uint32_t const gpu_count : gpus) {
        KEYSWAP_RETURN_IF_ERROR(run_gpus(gpu_count, tolerances, options, rows));
    }
    KEYSWAP_TRY(auto const sort, sort_seconds());
    if (options.json) {
        Json json =
            json_result("bench-simulator", {{"gpu_count", gpus}, {"tolerance", tolerances}});
        json["all_to_all"] = document(rows);
        json["sort_8_gpus_cpu_s"] = sort;
        print_json(json, std::cout);
    } else {
        std::cout << formatted(
            "\nrmg-paper, 2e9 keys on 8 GPUs of dgx-a100, a copy a bucket, plan included: "
            "%.2f ms (fastest of 5)\n",
            sort * 1e3);
    }
    return ExitCode::fine;
}

} // namespace

void add_bench_simulator_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "bench-simulator",
        "Time the flow engine, exact and with shared solutions, and a whole sort");
    auto const options = std::make_shared<BenchSimulatorOptions>();
    command
        .add_option(
            "--gpu-count", options->gpu_counts, "GPUs of the all-to-alls, with commas between")
        ->capture_default_str();
    command
        .add_option("--tolerance",
                    options->tolerances,
                    "Fractions of a flow's duration within which ends may share one solution")
        ->capture_default_str();
    command
        .add_option(
            "--exact-gpus-max",
            options->exact_gpus_max,
            "Leave out the exact run above this number of GPUs: it computes rates once per flow")
        ->capture_default_str();
    command.add_flag("--json", options->json, "Print JSON");
    run_when_chosen(command, chosen, options, bench_simulator);
}

} // namespace keyswap::tools
