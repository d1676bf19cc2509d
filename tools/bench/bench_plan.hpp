#pragma once

/// \file Options of `keyswap bench`, and the measurements they select.

#include "kernels/bench/benchmark.hpp"
#include "tools/bench/bench_rows.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/output/command_files.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// As the user gave them. Commas separate list items, spaces separate sets of GPUs.
struct BenchOptions {
    std::string backend = "cuda";
    std::string operation = "sort";
    std::optional<unsigned> threads; ///< cpu: nullopt = one per core
    std::vector<std::string> sorts;
    std::vector<std::string> methods;   ///< of a multisplit
    std::vector<std::uint32_t> buckets; ///< of a multisplit
    std::vector<std::uint32_t> bins;    ///< of a histogram
    std::vector<std::string> gpu_sets;
    std::vector<std::string> key_counts = {"1e8"};
    std::vector<std::string> types = {"u32"};
    std::vector<std::string> distributions = {"uniform"};
    std::vector<std::string> residences = {"device", "host"};
    std::string values = "none";
    std::optional<std::uint64_t> gpu_memory; ///< bytes per GPU: host keys are sorted by ranges
    bool stable = false;                     ///< preserve the order of equal keys, if supported
    std::optional<std::uint32_t> gpu_count;
    std::uint64_t seed = 1;
    int runs = 5;
    std::string rate_bytes = "256M";
    std::optional<std::string> csv;
    Existing existing = Existing::keep;
    bool json = false;
};

/// Measurements selected by the options.
struct BenchPlan {
    std::vector<BenchSort> sorts;
    std::vector<std::vector<int>> sets;
    std::vector<SortRequest> inputs;
    std::vector<Residence> residences;
    Stability stability = Stability::unstable; ///< for sorts that support stability
    std::uint64_t rate_bytes = 0;
    int runs = 0;
};

/// Device sets of --gpus, the one set of --gpu-count, or by default the first 1, 2, 4, 8 ...
/// \param found number of devices on this machine
[[nodiscard]] Expected<std::vector<std::vector<int>>> bench_sets(BenchOptions const& options,
                                                                 int found);

/// Inputs to sort: the product of key types, distributions and key counts.
[[nodiscard]] Expected<std::vector<SortRequest>> bench_inputs(BenchOptions const& options);

/// Returns an error that names the option if a value is unknown or contradicts another.
/// \param found number of devices on this machine
[[nodiscard]] Expected<BenchPlan> resolve(BenchOptions const& options, int found);

} // namespace keyswap::tools
