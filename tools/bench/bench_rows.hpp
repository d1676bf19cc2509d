#pragma once

/// \file What `keyswap bench` measured, as a table, as JSON and in the published measurement
/// format.

#include "kernels/bench/benchmark.hpp"
#include "tools/text/json.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/measurements/measurement.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// What is measured: an algorithm with its variant.
struct BenchSort {
    std::string name; ///< full name: "rmg-fast", "p2p-merge", "one-gpu" ...
    AlgorithmChoice choice;
    AlgorithmChoice measured; ///< what the kernels are asked for
    kernels::BenchPeer peer = kernels::BenchPeer::none;

    /// Whether its kernels have keys of the shape; CUB's own sorts refuse theirs when they run.
    [[nodiscard]] bool takes(SortShape const& shape) const;
    /// Whether it sorts the chunk of a lone GPU by anything but CUB's radix sort.
    [[nodiscard]] bool is_worth_one_gpu() const;
};

/// What is CUB's radix sort alone on one GPU: RMG sort by variant `rotated`.
[[nodiscard]] AlgorithmChoice cub_choice();

/// Those that the kernels have, in the order of tables. one-gpu is measured by cub_choice();
/// cub-merge is CUB's merge sort, cub-radix its radix sort, of unsigned keys of any width.
[[nodiscard]] std::vector<BenchSort> known_bench_sorts();

/// One configuration with its runs.
struct BenchRow {
    BenchSort sort;
    kernels::BenchJob job;    ///< its keys and values are not looked at
    std::string distribution; ///< as the model names it
    double parameter = 0;     ///< 0 where there is none
    kernels::BenchRuns runs;
    double cub_ms = 0; ///< CUB's sort of n/g keys on one GPU, device-resident; 0 = not measured

    [[nodiscard]] bool holds() const { return runs.sorted && runs.same_elements; }
    [[nodiscard]] double keys_per_ns() const; ///< Gkeys/s of the median
    /// Share of g times CUB's rate on one GPU; of device-resident keys, where CUB was measured.
    [[nodiscard]] std::optional<double> cub_share() const;
    /// GB/s that leave each GPU in the key swap, own parts not counted; of one swap whose phase was
    /// timed alone.
    [[nodiscard]] std::optional<double> swap_GBps() const;
    /// Time over that of the transfers alone, each direction at the rate of all GPUs together.
    [[nodiscard]] std::optional<double> transfer_ratio(kernels::MachineRates const& rates) const;
};

/// A set of GPUs with what was measured on it.
struct BenchSet {
    std::vector<int> devices;
    std::optional<kernels::MachineRates> rates; ///< not of virtual GPUs
    std::vector<BenchRow> rows;
};

/// Name and driver of the machine's first GPU, and how many it has.
struct BenchMachine {
    std::string device;
    std::string driver;
    int gpu_count = 0;
};

void print_rates(BenchSet const& set, std::ostream& out);
void print_row_header(std::ostream& out);
void print_row(BenchRow const& row, BenchSet const& set, std::ostream& out);

[[nodiscard]] Json bench_json(BenchMachine const& machine, std::vector<BenchSet> const& sets);

/// The host-to-host runs of keys without values as rows of the published format. Variant fast has
/// no counterpart in the simulator and is left out, as are virtual GPUs.
[[nodiscard]] std::vector<Measurement> measurements_of(BenchMachine const& machine,
                                                       std::vector<BenchSet> const& sets);

} // namespace keyswap::tools
