#include "kernels/cpu/cpu_sort.hpp"
#include "tools/backends/cuda_backend.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/bench/bench_plan.hpp"
#include "tools/bench/bench_rows.hpp"
#include "tools/bench/cpu_bench.hpp"
#include "tools/bench/range_bench.hpp"
#include "tools/bench/split_bench.hpp"
#include "tools/build/build_info.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/accept_only.hpp"
#include "tools/options/backend_option.hpp"
#include "tools/options/number_option.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/document.hpp"
#include "tools/text/number_text.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>

namespace keyswap::tools {

namespace {

/// True if a sort is worth measuring on a set: on one GPU, sorts that do not equal CUB's; on
/// several GPUs, sorts that use them; each only if it has kernels for the shape.
bool fits(BenchSort const& sort, SortShape const& shape, std::size_t gpus, Residence residence) {
    AlgorithmInfo const& algorithm = *sort.choice.algorithm;
    if (!sort.takes(shape)) {
        return false;
    }
    if (gpus == 1 ? !sort.differs_from_cub_on_one_gpu() : algorithm.gpus == GpuCounts::one) {
        return false;
    }
    if (sort.peer != kernels::BenchPeer::none && residence == Residence::host) {
        return false;
    }
    return std::ranges::find(algorithm.residences, residence) != algorithm.residences.end();
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
                KEYSWAP_TRY(set.rates, cuda::machine_rates(set.devices, plan_.rate_bytes));
            }
            if (table_ != nullptr) {
                print_rates(set, *table_);
            }
        }
        return {};
    }

    Expected<void> measure(SortRequest request) {
        KEYSWAP_TRY(auto memory, KeyMemory::load(request, KeyMemory::Use::plan_only));
        memory.restore_keys();
        auto const key_pin = cuda::pin(memory.key_bytes());
        auto const value_pin = cuda::pin(memory.value_bytes());
        for (BenchSet& set : sets_) {
            if (table_ != nullptr) {
                print_row_header(request, set, *table_);
            }
            double const cub = best_cub_ms(request, memory, set);
            for (Residence const residence : plan_.residences) {
                for (BenchSort const& sort : plan_.sorts) {
                    if (fits(sort, request.config, set.devices.size(), residence)) {
                        measure_row(request, memory, set, sort, residence, cub);
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

    /// Minimum time over CUB's policies on the first GPU alone, for as many keys as each GPU of the
    /// set gets; 0 if none was measured.
    double best_cub_ms(SortRequest const& request, KeyMemory& memory, BenchSet const& set) const {
        bool const wanted =
            std::ranges::find(plan_.residences, Residence::devices) != plan_.residences.end();
        if (!wanted) {
            return 0;
        }
        kernels::BenchJob job = job_of(request, memory, {set.devices.front()});
        job.key_count = (job.key_count + set.devices.size() - 1) / set.devices.size();
        job.options.choice = cub_choice();
        // RMG sort with CUB supports at most 64 bits.
        auto const usual = key_bits(job.options.key_type) > 64 ? kernels::BenchPeer::cub_radix_sort
                                                               : kernels::BenchPeer::none;
        double best = 0;
        for (auto const& [name, peer] :
             {std::pair{"its own policy", usual},
              std::pair{"cub-tuned's policy", kernels::BenchPeer::cub_tuned_radix_sort}}) {
            job.peer = peer;
            auto const runs = cuda::bench(job);
            if (!runs || !runs->sorted || !runs->same_elements) {
                continue; // unsupported key type
            }
            if (table_ != nullptr) {
                *table_ << "  CUB, " << counted(job.key_count, "key") << " on one GPU, by " << name
                        << ": " << duration_text(runs->median()) << '\n';
            }
            best = best == 0 ? runs->median() : std::min(best, runs->median());
        }
        return best;
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
        row.job.peer = sort.peer;
        if (sort.measured.algorithm->stability == Stability::stable) {
            row.job.options.stability = plan_.stability;
        }
        static_cast<SortParameters&>(row.job.options) =
            parameters_from(*sort.measured.algorithm, {}).value();
        row.job.residence = residence;
        row.distribution = request.keys->distribution;
        row.parameter = request.keys->parameter.value_or(0);
        row.cub_ms = cub;
        auto runs = cuda::bench(row.job);
        if (!runs) {
            errors_.push_back(sort.name + " on " + counted(set.devices.size(), "GPU") + ": " +
                              runs.error().message());
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

/// Measures multisplits or histograms, which have a table of their own.
Expected<ExitCode> bench_splits(BenchOptions const& options, SplitBenchPlan const& plan) {
    KEYSWAP_TRY(auto const header, cuda::describe({0}));
    KEYSWAP_TRY(auto const copy, cuda::device_copy_rate(options.runs));
    if (!options.json) {
        std::cout << "bench: keyswap " << build_version() << ' ' << build_commit() << ", "
                  << header.device << ", driver " << header.driver << ", " << utc_time_text()
                  << ", " << options.runs << " runs after a warm-up\n"
                  << "a copy on the GPU reads and writes " << copy
                  << " GB/s together; of peer: CUB's time, or of a shuffle the time of plain "
                     "copies, over "
                     "the row's\n";
        print_split_header(std::cout);
    }
    std::vector<SplitBenchResult> results;
    for (kernels::SplitBenchJob const& job : plan.jobs) {
        KEYSWAP_TRY(auto rows, cuda::bench_splits(plan.operation, job));
        results.push_back({job, std::move(rows)});
        if (!options.json) {
            print_split_rows(results.back(), std::cout);
        }
    }
    if (options.json) {
        auto json = json_result("bench",
                                {{"commit", build_commit()},
                                 {"created", utc_time_text()},
                                 {"operation", options.operation},
                                 {"runs", options.runs}});
        json["device"] = header.device;
        json["driver"] = header.driver;
        json["copy_GBps"] = copy;
        json["rows"] = split_rows_json(results);
        print_json(json, std::cout);
    }
    return std::ranges::all_of(results, &SplitBenchResult::holds) ? ExitCode::fine
                                                                  : ExitCode::violation;
}

/// Measures sorts by ranges, for each input and each set of GPUs.
Expected<ExitCode> bench_by_ranges(BenchOptions const& options) {
    if (options.residences != std::vector<std::string>{"host"} || options.csv) {
        return input_error("--gpu-memory",
                           "is for keys in host memory that are sorted by ranges",
                           "give --where host, and no --csv");
    }
    KEYSWAP_TRY(auto const found, cuda::device_count());
    KEYSWAP_TRY(auto const plan, resolve(options, found));
    std::vector<RangeBenchRow> rows;
    for (SortRequest const& input : plan.inputs) {
        for (std::vector<int> const& devices : plan.sets) {
            RangeBench bench{
                input,
                devices,
                0,
                options.threads.value_or(std::max(1U, std::thread::hardware_concurrency())),
                plan.runs};
            kernels::SortOptions sort;
            static_cast<SortShape&>(sort) = static_cast<SortShape const&>(input.config);
            sort.stability =
                sort.value_type == ValueType::none ? Stability::unstable : Stability::stable;
            sort.devices = devices;
            KEYSWAP_TRY(bench.records_max, cuda::range_keys_that_fit(sort, options.gpu_memory));
            KEYSWAP_TRY(auto const engine, cuda::range_engine(sort));
            KEYSWAP_TRY(auto row, bench_ranges(bench, *engine));
            if (!options.json) {
                print_range_row(row, std::cout);
            }
            rows.push_back(std::move(row));
        }
    }
    if (options.json) {
        auto json = json_result("bench",
                                {{"commit", build_commit()},
                                 {"created", utc_time_text()},
                                 {"gpu_memory", *options.gpu_memory},
                                 {"runs", options.runs},
                                 {"seed", options.seed}});
        json["rows"] = document(rows);
        print_json(json, std::cout);
    }
    return std::ranges::all_of(rows, &RangeBenchRow::holds) ? ExitCode::fine : ExitCode::violation;
}

Expected<ExitCode> bench_sorts(BenchOptions const& options) {
    CommandFiles const files{
        {}, {{"--csv", options.csv}}, options.json ? "--json" : "", options.existing};
    KEYSWAP_RETURN_IF_ERROR(check_files(files));
    KEYSWAP_TRY(auto const found, cuda::device_count());
    KEYSWAP_TRY(auto const plan, resolve(options, found));
    KEYSWAP_TRY(auto const machine, cuda::describe({plan.sets.front().front()}));
    if (!options.json) {
        files.text()
            << "bench: keyswap " << build_version() << ' ' << build_commit() << ", " << found
            << " x " << machine.device << ", driver " << machine.driver << ", " << utc_time_text()
            << ", seed " << options.seed << ", " << options.runs << " runs after a warm-up\n"
            << "of CUB: share of g times the rate of CUB's faster policy with n/g keys on one "
               "GPU; of tfr: time "
               "over that of the host transfers alone\n";
    }
    BenchRunner runner{plan, options.json ? nullptr : &files.text()};
    KEYSWAP_RETURN_IF_ERROR(runner.measure_rates());
    for (SortRequest const& input : plan.inputs) {
        KEYSWAP_RETURN_IF_ERROR(runner.measure(input));
    }
    for (std::string const& error : runner.errors()) {
        std::cerr << "keyswap bench: " << error << '\n';
    }
    if (options.csv) {
        auto const rows = measurements_of(machine, found, runner.sets());
        KEYSWAP_RETURN_IF_ERROR(write_measurements(*options.csv, rows));
    }
    if (options.json) {
        auto json = json_result("bench",
                                {{"commit", build_commit()},
                                 {"created", utc_time_text()},
                                 {"values", options.values},
                                 {"runs", options.runs},
                                 {"seed", options.seed}});
        json.update(bench_json(machine, found, runner.sets()));
        json["errors"] = runner.errors();
        print_json(json, std::cout);
    }
    if (!runner.all_hold()) {
        return ExitCode::violation;
    }
    return runner.errors().empty() ? ExitCode::fine : ExitCode::could_not_run;
}

/// Returns an error if a GPU option contradicts --backend cpu.
Expected<void> check_cpu_conflicts(BenchOptions const& options) {
    if (options.operation != "sort") {
        return input_error("--backend cpu and --operation " + options.operation,
                           "the CPU runs sorts only",
                           "leave one of them out");
    }
    BenchOptions const defaults;
    for (auto const& [given, option] : std::initializer_list<std::pair<bool, char const*>>{
             {!options.gpu_sets.empty(), "--gpus"},
             {options.gpu_count.has_value(), "--gpu-count"},
             {options.csv.has_value(), "--csv"},
             {options.gpu_memory.has_value(), "--gpu-memory"},
             {options.residences != defaults.residences, "--where"},
             {options.rate_bytes != defaults.rate_bytes, "--rate-bytes"},
             {!options.methods.empty(), "--methods"},
             {!options.buckets.empty(), "--buckets"},
             {!options.bins.empty(), "--bins"},
             {options.stable, "--stable"}}) {
        if (given) {
            return input_error(
                option, "applies to GPUs only", "leave it out, or give --backend cuda");
        }
    }
    return {};
}

Expected<ExitCode> bench_cpu_sorts(BenchOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_cpu_conflicts(options));
    std::string const device = kernels::cpu_run_header({}, 0).device;
    std::string const simd = kernels::simd_target(kernels::SimdUse::best);
    std::ostringstream title;
    title << "bench: keyswap " << build_version() << ' ' << build_commit() << ", " << device
          << ", SIMD " << simd << ", " << utc_time_text() << ", seed " << options.seed << ", "
          << counted(static_cast<std::uint64_t>(options.runs), "run") << ", each checked\n";
    KEYSWAP_TRY(auto const rows,
                bench_cpu(options, title.str(), options.json ? nullptr : &std::cout));
    if (options.json) {
        auto json = json_result("bench",
                                {{"commit", build_commit()},
                                 {"created", utc_time_text()},
                                 {"backend", options.backend},
                                 {"runs", options.runs},
                                 {"seed", options.seed}});
        json["device"] = device;
        json["simd"] = simd;
        json["rows"] = document(rows);
        print_json(json, std::cout);
    }
    return std::ranges::all_of(rows, &CpuBenchRow::holds) ? ExitCode::fine : ExitCode::violation;
}

Expected<ExitCode> bench(BenchOptions const& options) {
    if (options.backend == "cpu") {
        return bench_cpu_sorts(options);
    }
    if (options.threads && !options.gpu_memory) {
        return input_error("--threads",
                           "applies to --backend cpu and --gpu-memory only",
                           "leave it out, or give --backend cpu");
    }
    if (options.operation == "sort") {
        return options.gpu_memory ? bench_by_ranges(options) : bench_sorts(options);
    }
    bool const names_gpus = !options.gpu_sets.empty() || options.gpu_count.has_value();
    KEYSWAP_TRY(auto const found, names_gpus ? cuda::device_count() : Expected<int>(1));
    auto const plan = resolve_splits(options, found);
    return plan ? bench_splits(options, *plan) : tl::unexpected(plan.error());
}

} // namespace

void add_bench_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand("bench",
                                            "Measure the sorts against CUB on this machine's GPUs, "
                                            "or against TBB and others on its cores");
    auto const options = std::make_shared<BenchOptions>();
    add_backend_option(
        command, options->backend, "cuda (GPUs) or cpu (buffered-radix, simd-merge)");
    command
        .add_option("--threads", options->threads, "cpu: threads of a sort (default: one per core)")
        ->check(CLI::Range(1U, kernels::cpu_threads_max));
    accept_only(
        *command.add_option("--operation", options->operation, "sort, multisplit or histogram")
             ->capture_default_str(),
        {"sort", "multisplit", "histogram"});
    command
        .add_option("--sorts",
                    options->sorts,
                    "rmg-fast, rmg-rotated, rmg-paper, p2p-merge, het-merge, multisplit-sort-fast, "
                    "multisplit-sort-published, sample-sort, split-radix, network-merge, one-gpu, "
                    "cub-merge, cub-radix, cub-tuned (default: all); cpu: "
                    "buffered-radix, simd-merge, simd-merge-scalar, tbb, gnu-parallel, "
                    "block-indirect, spreadsort, vqsort, vqsort-avx2")
        ->delimiter(',');
    command
        .add_option("--methods",
                    options->methods,
                    "Methods of a multisplit, as of 'keyswap multisplit --method' (default: all)")
        ->delimiter(',');
    command
        .add_option(
            "--buckets", options->buckets, "Bucket counts of a multisplit (default: 2,8,32,256)")
        ->delimiter(',');
    command
        .add_option("--bins", options->bins, "Bin counts of a histogram (default: 2,32,256,2048)")
        ->delimiter(',');
    command.add_option("--gpus",
                       options->gpu_sets,
                       "Sets of devices: 0 0,1 0,1,2,3 (default: the first 1, 2, 4 ...)");
    command.add_option("--gpu-count",
                       options->gpu_count,
                       "Take the first N devices; with one device in --gpus: N virtual GPUs "
                       "on it, 1 to 64");
    command.add_option("--keys", options->key_counts, "Numbers of keys: 1e8,2e9")
        ->delimiter(',')
        ->capture_default_str();
    command
        .add_option("--types", options->types, "Key types: u32,u64,i32,i64,f32,f64,u128,i128,b128")
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
    add_count_option(command,
                     "--gpu-memory",
                     options->gpu_memory,
                     "Bytes that a GPU may take, as 16G: keys in host memory are sorted by ranges "
                     "that fit, against the transfers alone");
    command.add_option("--seed", options->seed, "Seed of the keys")->capture_default_str();
    command.add_option("--runs", options->runs, "Runs of each configuration, after a warm-up")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command
        .add_option("--rate-bytes",
                    options->rate_bytes,
                    "Bytes per copy when measuring the machine's rates")
        ->capture_default_str();
    add_csv_option(command,
                   options->csv,
                   "Write the host-to-host runs of rmg-paper, rmg-rotated and one-gpu here as CSV, "
                   "which validate and calibrate read");
    add_force_option(command, options->existing);
    command.add_flag("--stable",
                     options->stable,
                     "Equal keys must keep their input order; leaves out sorts that cannot");
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, bench);
}

} // namespace keyswap::tools
