#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/bench/bench_plan.hpp"
#include "tools/bench/bench_rows.hpp"
#include "tools/build/build_info.hpp"
#include "tools/commands/command.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"

#include <algorithm>
#include <iostream>
#include <set>

namespace keyswap::tools {

namespace {

using kernels::Residence;

/// Whether a sort is for a set at all: one-gpu for one, the others for several (rmg on one GPU is
/// the same), merges for what they can do.
bool fits(BenchSort const& sort, std::size_t gpus, Residence residence) {
    AlgorithmInfo const& algorithm = *sort.choice.algorithm;
    if (algorithm.gpus == GpuCounts::one || gpus == 1) {
        return algorithm.gpus == GpuCounts::one && gpus == 1;
    }
    auto const wanted =
        residence == Residence::host ? keyswap::Residence::host : keyswap::Residence::devices;
    return std::ranges::find(algorithm.residences, wanted) != algorithm.residences.end();
}

class BenchRunner {
  public:
    BenchRunner(BenchPlan const& plan, std::ostream* table) : plan_(plan), table_(table) {
        for (std::vector<int> const& devices : plan.sets) {
            sets_.push_back({devices, std::nullopt, {}});
        }
    }

    Expected<void> measure_rates() {
        for (BenchSet& set : sets_) {
            bool const real =
                std::set<int>(set.devices.begin(), set.devices.end()).size() == set.devices.size();
            if (real) {
                auto const rates = cuda::machine_rates(set.devices, plan_.rate_bytes);
                if (!rates) {
                    return tl::unexpected(rates.error());
                }
                set.rates = *rates;
            }
            if (table_ != nullptr) {
                print_rates(set, *table_);
            }
        }
        return {};
    }

    Expected<void> measure(SortRequest request) {
        auto memory = KeyMemory::load(request, KeyMemory::Use::plan_only);
        if (!memory) {
            return tl::unexpected(memory.error());
        }
        memory->restore_keys();
        auto const key_pin = cuda::pin(memory->key_bytes());
        auto const value_pin = cuda::pin(memory->value_bytes());
        for (BenchSet& set : sets_) {
            if (table_ != nullptr) {
                *table_ << "\nGPUs " << set.devices.size() << '\n';
                print_row_heading(*table_);
            }
            double const cub = cub_ms(request, *memory, set);
            for (Residence const residence : plan_.residences) {
                for (BenchSort const& sort : plan_.sorts) {
                    if (fits(sort, set.devices.size(), residence)) {
                        measure_row(request, *memory, set, sort, residence, cub);
                    }
                }
            }
        }
        return {};
    }

    [[nodiscard]] std::vector<BenchSet> const& sets() const { return sets_; }
    [[nodiscard]] bool all_hold() const { return all_hold_; }
    [[nodiscard]] std::vector<std::string> const& errors() const { return errors_; }

  private:
    [[nodiscard]] kernels::BenchJob
    job_of(SortRequest const& request, KeyMemory& memory, std::vector<int> devices) const {
        kernels::BenchJob job;
        job.options.key_type = request.config.key_type;
        job.options.value_type = request.config.value_type;
        job.options.devices = std::move(devices);
        job.key_count = memory.key_count();
        job.runs = plan_.runs;
        job.keys = memory.key_bytes();
        job.values = memory.value_bytes();
        return job;
    }

    /// CUB on the first GPU alone with as many of the keys as each GPU of the set gets.
    double cub_ms(SortRequest const& request, KeyMemory& memory, BenchSet const& set) const {
        bool const wanted =
            std::ranges::find(plan_.residences, Residence::device) != plan_.residences.end();
        if (!wanted) {
            return 0;
        }
        kernels::BenchJob job = job_of(request, memory, {set.devices.front()});
        job.key_count = (job.key_count + set.devices.size() - 1) / set.devices.size();
        auto const runs = cuda::bench(job);
        return runs ? runs->median() : 0;
    }

    void measure_row(SortRequest const& request,
                     KeyMemory& memory,
                     BenchSet& set,
                     BenchSort const& sort,
                     Residence residence,
                     double cub) {
        BenchRow row;
        row.sort = sort;
        row.job = job_of(request, memory, set.devices);
        row.job.options.choice = sort.measured;
        row.job.residence = residence;
        row.distribution = request.keys->distribution;
        row.parameter = request.keys->parameter.value_or(0);
        row.cub_ms = cub;
        auto runs = cuda::bench(row.job);
        if (!runs) {
            errors_.push_back(sort.name + " on " + std::to_string(set.devices.size()) +
                              " GPUs: " + runs.error().message());
            return;
        }
        row.runs = std::move(*runs);
        all_hold_ = all_hold_ && row.holds();
        if (table_ != nullptr) {
            print_row(row, set, *table_);
        }
        set.rows.push_back(std::move(row));
    }

    BenchPlan plan_;
    std::ostream* table_;
    std::vector<BenchSet> sets_;
    bool all_hold_ = true;
    std::vector<std::string> errors_;
};

Expected<ExitCode> bench(BenchOptions const& options) {
    CommandFiles const files{
        {}, {{"--csv", options.csv}}, options.json ? "--json" : "", options.existing};
    if (auto const safe = check_files(files); !safe) {
        return tl::unexpected(safe.error());
    }
    auto const found = cuda::device_count();
    if (!found) {
        return tl::unexpected(found.error());
    }
    auto const plan = resolve(options, *found);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    auto const header = cuda::describe({plan->sets.front().front()});
    if (!header) {
        return tl::unexpected(header.error());
    }
    BenchMachine const machine{header->device, header->driver, *found};
    if (!options.json) {
        files.text()
            << "bench: keyswap " << build_version() << ' ' << build_commit() << ", "
            << machine.gpu_count << " x " << machine.device << ", driver " << machine.driver << ", "
            << utc_time_text() << ", seed " << options.seed << ", " << options.runs
            << " runs after a warm-up\n"
            << "of CUB: share of g times CUB's rate with n/g keys on one GPU; of tfr: time "
               "over that of the host transfers alone\n";
    }
    BenchRunner runner{*plan, options.json ? nullptr : &files.text()};
    if (auto const done = runner.measure_rates(); !done) {
        return tl::unexpected(done.error());
    }
    for (SortRequest const& input : plan->inputs) {
        if (auto const done = runner.measure(input); !done) {
            return tl::unexpected(done.error());
        }
    }
    for (std::string const& error : runner.errors()) {
        std::cerr << "keyswap bench: " << error << '\n';
    }
    if (options.csv) {
        auto const rows = measurements_of(machine, runner.sets());
        if (auto const written = write_measurements(*options.csv, rows); !written) {
            return tl::unexpected(written.error());
        }
    }
    if (options.json) {
        auto json = json_result("bench",
                                {{"commit", build_commit()},
                                 {"created", utc_time_text()},
                                 {"values", options.values},
                                 {"runs", options.runs},
                                 {"seed", options.seed}});
        json.update(bench_json(machine, runner.sets()));
        json["errors"] = runner.errors();
        print_json(json, std::cout);
    }
    if (!runner.all_hold()) {
        return ExitCode::violation;
    }
    return runner.errors().empty() ? ExitCode::fine : ExitCode::could_not_run;
}

} // namespace

void add_bench_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "bench", "Measure the sorts on this machine's GPUs beside CUB and the machine's copies");
    auto const options = std::make_shared<BenchOptions>();
    command
        .add_option(
            "--sorts",
            options->sorts,
            "rmg-fast, rmg-rotated, rmg-paper, p2p-merge, het-merge, one-gpu (standard: all)")
        ->delimiter(',');
    command.add_option("--gpus",
                       options->gpu_sets,
                       "Sets of devices: 0 0,1 0,1,2,3 (standard: the first 1, 2, 4 ...)");
    command.add_option("--gpu-count",
                       options->gpu_count,
                       "The first so many devices; with one device in --gpus: so many virtual GPUs "
                       "on it, 1 to 64");
    command.add_option("--keys", options->key_counts, "Numbers of keys: 1e8,2e9")
        ->delimiter(',')
        ->capture_default_str();
    command.add_option("--types", options->types, "Key types: u32,u64,i32,i64,f32,f64")
        ->delimiter(',')
        ->capture_default_str();
    command
        .add_option("--distributions",
                    options->distributions,
                    "As 'keyswap distributions' names them, with a parameter: uniform,zipf=0.75")
        ->delimiter(',')
        ->capture_default_str();
    command.add_option("--values", options->values, "none, 32 or 64 bits with each key")
        ->capture_default_str();
    command
        .add_option("--where", options->residences, "device (chunks on the GPUs), host, or both")
        ->delimiter(',')
        ->capture_default_str();
    command.add_option("--seed", options->seed, "Of the distribution")->capture_default_str();
    command.add_option("--runs", options->runs, "Runs of each configuration, after a warm-up")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command
        .add_option("--rate-bytes",
                    options->rate_bytes,
                    "Bytes of each copy with which the machine's rates are measured")
        ->capture_default_str();
    command.add_option("--csv",
                       options->csv,
                       "File for the host-to-host runs in the published format, which validate and "
                       "calibrate read: rmg-paper, rmg-rotated and one-gpu");
    add_force_option(command, options->existing);
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, bench);
}

} // namespace keyswap::tools
