#pragma once

/// \file What `keyswap bench` is asked to measure.

#include "kernels/bench/benchmark.hpp"
#include "tools/bench/bench_rows.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/output/command_files.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// As the user gave them; lists are separated by commas, sets of GPUs by spaces.
struct BenchOptions {
    std::string backend = "cuda";
    std::string operation = "sort";
    std::optional<unsigned> threads; ///< cpu: nothing = one a core
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
    std::optional<std::uint64_t> gpu_memory; ///< bytes a GPU: sorts from host memory go by ranges
    bool stable = false; ///< equal keys keep their input order if a sort can do that
    std::optional<std::uint32_t> gpu_count;
    std::uint64_t seed = 1;
    int runs = 5;
    std::string rate_bytes = "256M";
    std::optional<std::string> csv;
    Existing existing = Existing::keep;
    bool json = false;
};

/// What was asked for, understood.
struct BenchPlan {
    std::vector<BenchSort> sorts;
    std::vector<std::vector<int>> sets;
    std::vector<SortRequest> inputs;
    std::vector<Residence> residences;
    Stability stability = Stability::unstable; ///< of sorts that can be stable
    std::uint64_t rate_bytes = 0;
    int runs = 0;
};

/// Sets of devices as given; the one that --gpu-count makes of them; or the first 1, 2, 4, 8 ...
/// \param found devices of this machine
[[nodiscard]] Expected<std::vector<std::vector<int>>> bench_sets(BenchOptions const& options,
                                                                 int found);

/// The keys that are sorted: of every type, distribution and number.
[[nodiscard]] Expected<std::vector<SortRequest>> bench_inputs(BenchOptions const& options);

/// Refuses what contradicts itself or is not known, naming the option.
/// \param found devices of this machine
[[nodiscard]] Expected<BenchPlan> resolve(BenchOptions const& options, int found);

} // namespace keyswap::tools
