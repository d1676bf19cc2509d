/// \file Compares real multi-GPU sorts with the model, bucket for bucket, on random inputs.
///
/// One sorter is reused for a random sequence of sorts, interleaved with calls that must be
/// refused. A failing case is shrunk and saved, and the command that repeats it is printed.

#include "kernels/faults/device_faults.hpp"
#include "kernels/sort.hpp"
#include "proptests/live/live_multisplit.hpp"
#include "proptests/live/live_session.hpp"
#include "traces/catalog/catalog.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::proptests {

namespace {

/// Options as given by the user.
struct ConformanceOptions {
    double seconds = 60;
    std::uint64_t runs = 0; ///< 0 = until the time limit
    std::uint64_t seed = 1;
    std::uint32_t virtual_gpus = 16;
    std::uint64_t keys_max = 20'000;
    std::filesystem::path save = "counterexamples";
    std::optional<std::filesystem::path> replay;
    std::string fault;                  ///< fault to plant; empty = none
    std::optional<Operation> operation; ///< nullopt = that of the fault, else sort
    bool over_nccl = false;
};

/// Prints the command that repeats a failure.
void print(Failure const& failure, std::filesystem::path const& path, std::string const& command) {
    std::cout << "counterexample: " << failure.session.size() << " sort(s), the last of "
              << failure.session.back().images.size() << " keys on "
              << failure.session.back().devices.size() << " GPUs\n  " << failure.problem
              << "\nsaved: " << path.string() << "\nrepeat: " << command << " --replay "
              << path.string() << '\n';
    constexpr std::size_t keys_shown_max = 64;
    if (failure.session.back().images.size() <= keys_shown_max) {
        std::cout << to_text(failure.session.back()) << '\n';
    }
}

/// Counts for the summary.
struct Tally {
    std::uint64_t sorts = 0;
    std::uint64_t sessions = 0;
    std::map<std::string, std::uint64_t> variants;
    std::map<std::size_t, std::uint64_t> gpu_counts;
    std::uint64_t keys = 0;
    std::uint64_t on_devices = 0;
    std::uint64_t by_ranks = 0;
    std::uint64_t delayed = 0;

    void add(Session const& session) {
        ++sessions;
        for (LiveCase const& live_case : session) {
            ++sorts;
            ++variants[live_case.split
                           ? live_case.split->method
                           : full_name(*choose(live_case.algorithm, live_case.variant))];
            ++gpu_counts[live_case.devices.size()];
            keys += live_case.images.size();
            on_devices += live_case.on_devices ? 1 : 0;
            by_ranks += live_case.by_ranks ? 1 : 0;
            delayed += live_case.delay_seed ? 1 : 0;
        }
    }
};

void print_summary(Tally const& tally, std::string const& things, double seconds) {
    std::cout << tally.sorts << ' ' << things << " (each also without a trace) in "
              << tally.sessions << " sessions in " << seconds << " s, " << tally.keys << " keys\n"
              << tally.on_devices << " in place on the GPUs, " << tally.by_ranks << " by ranks, "
              << tally.delayed << " with delays between queued operations\nvariants:";
    for (auto const& [variant, count] : tally.variants) {
        std::cout << ' ' << variant << ' ' << count;
    }
    std::cout << "\nGPUs:";
    for (auto const& [gpus, count] : tally.gpu_counts) {
        std::cout << ' ' << gpus << 'x' << count;
    }
    std::cout << '\n';
}

int run_random(ConformanceOptions const& options, std::string const& program) {
    Operation const operation = options.operation.value_or(Operation::sort);
    std::string const things = operation == Operation::sort ? "sorts" : "multisplits";
    LiveLimits const limits{options.keys_max,
                            options.virtual_gpus,
                            std::max(1, kernels::device_count()),
                            kernels::runs_on_gpus,
                            operation,
                            options.over_nccl,
                            gpu_methods};
    std::cout << "seed " << options.seed << ", " << limits.device_count << " device(s), up to "
              << limits.gpu_count_max << " GPUs of a sort, up to " << options.keys_max
              << " keys (one in 16, 64 times as many; one in 4 of one GPU, 8 times)\n"
              << std::flush;
    rc::Random random(options.seed);
    Tally tally;
    auto const start = std::chrono::steady_clock::now();
    auto const elapsed = [start] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    while (options.runs > 0 ? tally.sorts < options.runs : elapsed() < options.seconds) {
        Session const session = draw_session(random, limits);
        tally.add(session);
        if (auto failure = run_session(session)) {
            std::cout << "difference after " << tally.sorts << ' ' << things << ", " << elapsed()
                      << " s: " << failure->problem << "\nshrinking ...\n"
                      << std::flush;
            Failure const small = shrink_failure(std::move(*failure));
            print(small, save_session(small.session, options.save), program);
            print_summary(tally, things, elapsed());
            return EXIT_FAILURE;
        }
    }
    print_summary(tally, things, elapsed());
    std::cout << "no difference\n";
    return EXIT_SUCCESS;
}

constexpr int could_not_run = 2;

int run_replay(ConformanceOptions const& options) {
    auto const session = read_session(*options.replay);
    if (!session) {
        std::cerr << session.error().message() << '\n';
        return could_not_run;
    }
    auto const failure = run_session(*session);
    std::cout << (failure ? failure->problem : "no difference") << '\n';
    return failure ? EXIT_FAILURE : EXIT_SUCCESS;
}

constexpr std::string_view usage =
    "usage: keyswap_conformance [--seconds S] [--runs N] [--seed X] [--virtual-gpus G]\n"
    "                           [--keys-max N] [--save FOLDER] [--replay FILE] [--fault NAME]\n"
    "                           [--operation sort|multisplit] [--ranks nccl]\n"
    "       keyswap_conformance --list-faults\n"
    "Compares real multi-GPU sorts, or multisplits, with the reference model on random inputs.\n"
    "With --ranks nccl every sort is one by ranks on this machine's GPUs, two or more, over NCCL.\n"
    "exit: 0 no difference, 1 a difference, which is shrunk and saved, 2 could not run\n";

/// nullopt if the arguments are invalid.
std::optional<ConformanceOptions> parse(std::vector<std::string> const& arguments) {
    ConformanceOptions options;
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
        std::string const& name = arguments[i];
        std::string const& value = arguments[i + 1];
        try {
            if (name == "--seconds") {
                options.seconds = std::stod(value);
            } else if (name == "--runs") {
                options.runs = std::stoull(value);
            } else if (name == "--seed") {
                options.seed = std::stoull(value);
            } else if (name == "--virtual-gpus") {
                options.virtual_gpus =
                    std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::stoul(value)), 1, 64);
            } else if (name == "--keys-max") {
                options.keys_max = std::stoull(value);
            } else if (name == "--save") {
                options.save = value;
            } else if (name == "--replay") {
                options.replay = value;
            } else if (name == "--fault") {
                options.fault = value;
            } else if (name == "--operation" && (value == "sort" || value == "multisplit")) {
                options.operation = value == "sort" ? Operation::sort : Operation::multisplit;
            } else if (name == "--ranks" && value == "nccl") {
                options.over_nccl = true;
            } else {
                return std::nullopt;
            }
        } catch (std::exception const&) {
            return std::nullopt;
        }
    }
    return arguments.size() % 2 == 0 ? std::optional(options) : std::nullopt;
}

#if defined(KEYSWAP_DEVICE_FAULTS)

void list_faults() {
    for (kernels::NamedFault const& fault : kernels::named_faults()) {
        std::cout << fault.name << '\t' << fault.description << '\n';
    }
}

/// Plants the fault given by the options, and restricts cases to those that can show it.
/// \return false if there is no such fault
bool plant(ConformanceOptions& options) {
    std::string const& name = options.fault;
    auto const faults = kernels::named_faults();
    auto const found = std::ranges::find(faults, name, &kernels::NamedFault::name);
    if (found == faults.end()) {
        std::cerr << "keyswap_conformance: --fault " << name
                  << " is not known; --list-faults names them\n";
        return false;
    }
    kernels::plant_fault(found->fault);
    options.operation = options.operation.value_or(found->operation);
    if (found->one_gpu) {
        constexpr std::uint64_t many_keys = 60'000; // several times what one block sorts
        options.virtual_gpus = 1;
        options.keys_max = std::max(options.keys_max, many_keys);
    }
    return true;
}

#else

void list_faults() {}

bool plant(ConformanceOptions const& options) {
    std::cerr << "keyswap_conformance: --fault " << options.fault
              << " needs a build with faults: cmake --preset faults\n";
    return false;
}

#endif

} // namespace

int conformance_main(std::vector<std::string> const& arguments, std::string const& program) {
    if (arguments.size() == 1 && arguments.front() == "--list-faults") {
        list_faults();
        return EXIT_SUCCESS;
    }
    auto options = parse(arguments);
    if (!options) {
        std::cerr << usage;
        return could_not_run;
    }
    if (!options->fault.empty() && !plant(*options)) {
        return could_not_run;
    }
    if (kernels::device_count() == 0) {
        std::cerr << "keyswap_conformance: this machine shows no GPU\n";
        return could_not_run;
    }
    if (options->over_nccl && kernels::device_count() < 2) {
        std::cerr << "keyswap_conformance: --ranks nccl needs two GPUs or more\n";
        return could_not_run;
    }
    std::string const command =
        options->fault.empty() ? program : program + " --fault " + options->fault;
    return options->replay ? run_replay(*options) : run_random(*options, command);
}

} // namespace keyswap::proptests

int main(int argc, char** argv) {
    return keyswap::proptests::conformance_main({argv + 1, argv + argc}, argv[0]);
}
