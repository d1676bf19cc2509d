#pragma once

/// \file Options of `keyswap simulate`, and its predictions other than of a sort on a platform.

#include "simulator/cost/rate_profile.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/commands/simulate/simulate_answer.hpp"
#include "tools/options/record_arguments.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/output/command_files.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

struct SimulateOptions : LoadOptions {
    std::string platform = "dgx-a100";
    AlgorithmOptions algorithm; ///< if empty, default_schedule() is used
    std::uint64_t key_count = 2'000'000'000;
    std::optional<int> cpu_threads;
    std::optional<std::string> device; ///< predicts a sort inside it
    std::optional<std::string> gpus;   ///< nullopt: all GPUs
    std::string swap = "flat";
    std::vector<std::string> assumptions;
    std::vector<std::string> missing; ///< parts to remove from the machine
    std::vector<std::string> background;
    std::optional<std::string> operation; ///< collective to predict instead of a sort
    std::optional<std::uint64_t> bytes;
    bool external = false;
    std::optional<std::uint64_t> memory;     ///< bytes; external sort only
    RecordArguments records;                 ///< external sort only
    std::optional<std::uint64_t> gpu_memory; ///< bytes per GPU; keys that exceed it form ranges
    double disks = 1.0; ///< relative to the platform's number of disks; external sort only
    std::optional<std::string> trace;
    Existing existing = Existing::keep;
    LinksShown links = LinksShown::busiest;
    bool json = false;

    [[nodiscard]] bool names_algorithm() const { return algorithm.name || algorithm.variant; }
    [[nodiscard]] CommandFiles files() const {
        return {{{"--platform", platform}, {"--profile", profile}},
                {{"--trace", trace}},
                json ? "--json" : "",
                existing};
    }
};

/// Returns an error if there are too many keys for any prediction; prints a note to standard error
/// if input and output exceed the device's memory.
[[nodiscard]] Expected<void> check_device_memory(simulator::RateProfile const& profile,
                                                 std::uint64_t key_count,
                                                 std::uint64_t element_bytes);

/// `keyswap simulate --device`: a sort inside one device by the law of its rate profile. Prints
/// steps, their time and the constants behind them.
[[nodiscard]] Expected<ExitCode> simulate_on_device(SimulateOptions const& options);

/// `keyswap simulate --external`: predicts the time of a sort on files.
[[nodiscard]] Expected<ExitCode> simulate_external(SimulateOptions const& options);

} // namespace keyswap::tools
