#include "tools/bench_rows.hpp"
#include "tools/build_info.hpp"
#include "tools/command.hpp"
#include "tools/cuda_backend.hpp"
#include "tools/gpu_sort.hpp"
#include "tools/key_memory.hpp"
#include "tools/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <numeric>
#include <set>

namespace keyswap::tools {

namespace {

using kernels::Residence;

/// As the user gave them; lists are separated by commas, sets of GPUs by spaces.
struct BenchOptions {
    std::vector<std::string> sorts;
    std::vector<std::string> gpu_sets;
    std::vector<std::string> key_counts = {"1e8"};
    std::vector<std::string> types = {"u32"};
    std::vector<std::string> distributions = {"uniform"};
    std::vector<std::string> residences = {"device", "host"};
    std::string values = "none";
    std::optional<std::uint32_t> virtual_gpus;
    std::uint64_t seed = 1;
    int runs = 5;
    std::string rate_bytes = "256M";
    std::optional<std::string> csv;
    bool json = false;
};

/// What was asked for, understood.
struct BenchPlan {
    std::vector<BenchSort> sorts;
    std::vector<std::vector<int>> sets;
    std::vector<SortRequest> inputs;
    std::vector<Residence> residences;
    std::uint64_t rate_bytes = 0;
    int runs = 0;
};

Expected<std::vector<BenchSort>> parse_sorts(std::vector<std::string> const& names) {
    std::vector<BenchSort> const known = known_bench_sorts();
    if (names.empty()) {
        return known;
    }
    std::vector<BenchSort> sorts;
    for (std::string const& name : names) {
        auto const entry = std::ranges::find(known, name, &BenchSort::name);
        if (entry == known.end()) {
            std::string all;
            for (BenchSort const& sort : known) {
                all += (all.empty() ? "" : ", ") + sort.name;
            }
            return tl::unexpected(InputError{"--sorts " + name, "is not known", "known: " + all});
        }
        sorts.push_back(*entry);
    }
    return sorts;
}

/// Sets as given; else the first 1, 2, 4, 8 ... devices, or the virtual GPUs on the first.
Expected<std::vector<std::vector<int>>> parse_sets(BenchOptions const& options, int found) {
    if (options.virtual_gpus && (*options.virtual_gpus == 0 || *options.virtual_gpus > 64)) {
        return tl::unexpected(InputError{"--virtual-gpus", "is not from 1 to 64", ""});
    }
    std::vector<std::vector<int>> sets;
    for (std::string const& text : options.gpu_sets) {
        auto const set = parse_device_list(text, "--gpus");
        if (!set) {
            return tl::unexpected(set.error());
        }
        sets.push_back(*set);
    }
    if (options.virtual_gpus) {
        int const device = sets.empty() ? 0 : sets.front().front();
        return std::vector<std::vector<int>>{std::vector<int>(*options.virtual_gpus, device)};
    }
    for (int count = 1; options.gpu_sets.empty() && count <= found; count *= 2) {
        auto& set = sets.emplace_back(static_cast<std::size_t>(count));
        std::iota(set.begin(), set.end(), 0);
    }
    return sets;
}

/// "zipf=0.75" -> name and parameter.
Expected<void> set_distribution(std::string const& text, SortOptions& options) {
    std::size_t const mark = text.find('=');
    options.distribution = text.substr(0, mark);
    if (mark != std::string::npos) {
        double parameter = 0;
        char const* const end = text.data() + text.size();
        auto const [rest, code] = std::from_chars(text.data() + mark + 1, end, parameter);
        if (code != std::errc{} || rest != end) {
            return tl::unexpected(InputError{"--distributions " + text,
                                             "has no number after the equals sign",
                                             "write zipf=0.75"});
        }
        options.parameter = parameter;
    }
    return {};
}

Expected<std::vector<SortRequest>> parse_inputs(BenchOptions const& options) {
    std::vector<SortRequest> inputs;
    for (std::string const& type : options.types) {
        for (std::string const& distribution : options.distributions) {
            for (std::string const& count_text : options.key_counts) {
                auto const count = parse_count(count_text, "--keys");
                if (!count) {
                    return tl::unexpected(count.error());
                }
                SortOptions input;
                input.type = type;
                input.key_count = *count;
                input.seed = options.seed;
                input.values = options.values;
                if (auto const set = set_distribution(distribution, input); !set) {
                    return tl::unexpected(set.error());
                }
                auto request = resolve(input);
                if (!request) {
                    return tl::unexpected(request.error());
                }
                inputs.push_back(std::move(*request));
            }
        }
    }
    return inputs;
}

Expected<std::vector<Residence>> parse_residences(std::vector<std::string> const& names) {
    std::vector<Residence> residences;
    for (std::string const& name : names) {
        if (name != "device" && name != "host") {
            return tl::unexpected(
                InputError{"--where " + name, "is not known", "use device, host or both"});
        }
        residences.push_back(name == "host" ? Residence::host : Residence::device);
    }
    return residences;
}

Expected<BenchPlan> plan_of(BenchOptions const& options, int found) {
    auto const sorts = parse_sorts(options.sorts);
    auto const sets = parse_sets(options, found);
    auto const inputs = parse_inputs(options);
    auto const residences = parse_residences(options.residences);
    auto const rate_bytes = parse_count(options.rate_bytes, "--rate-bytes");
    if (!sorts || !sets || !inputs || !residences || !rate_bytes) {
        return tl::unexpected(!sorts        ? sorts.error()
                              : !sets       ? sets.error()
                              : !inputs     ? inputs.error()
                              : !residences ? residences.error()
                                            : rate_bytes.error());
    }
    return BenchPlan{*sorts, *sets, *inputs, *residences, *rate_bytes, options.runs};
}

/// Whether a sort is for a set at all: one-gpu for one, the others for several (rmg on one GPU is
/// the same), merges for what they can do.
bool fits(BenchSort const& sort, std::size_t gpus, Residence residence) {
    if (sort.name == "one-gpu" || gpus == 1) {
        return sort.name == "one-gpu" && gpus == 1;
    }
    return sort.algorithm != kernels::Algorithm::het_merge || residence == Residence::host;
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
        row.job.options.algorithm = sort.algorithm;
        row.job.options.variant = sort.variant;
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
    auto const found = cuda::device_count();
    if (!found) {
        return tl::unexpected(found.error());
    }
    auto const plan = plan_of(options, *found);
    if (!plan) {
        return tl::unexpected(plan.error());
    }
    auto const header = cuda::describe({plan->sets.front().front()});
    if (!header) {
        return tl::unexpected(header.error());
    }
    BenchMachine const machine{header->device, header->driver, *found};
    if (!options.json) {
        std::cout << "bench: keyswap " << build_version() << ' ' << build_commit() << ", "
                  << machine.gpu_count << " x " << machine.device << ", driver " << machine.driver
                  << ", " << utc_time_text() << ", seed " << options.seed << ", " << options.runs
                  << " runs after a warm-up\n"
                  << "of CUB: share of g times CUB's rate with n/g keys on one GPU; of tfr: time "
                     "over that of the host transfers alone\n";
    }
    BenchRunner runner{*plan, options.json ? nullptr : &std::cout};
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
        auto json = bench_json(machine, runner.sets());
        json["command"] = "bench";
        json["version"] = build_version();
        json["commit"] = build_commit();
        json["created"] = utc_time_text();
        json["seed"] = options.seed;
        json["errors"] = runner.errors();
        std::cout << json.dump(2) << '\n';
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
    command.add_option(
        "--virtual-gpus", options->virtual_gpus, "So many GPUs on one device, 1 to 64");
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
                       "calibrate read (not rmg-fast, which the simulator has no schedule for)");
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, bench);
}

} // namespace keyswap::tools
