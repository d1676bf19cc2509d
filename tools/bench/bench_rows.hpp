#pragma once

/// \file Results of `keyswap bench` as a table, as JSON and in the format for published
/// measurements.

#include "kernels/bench/benchmark.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/text/json.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/measurements/measurement.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Sort to measure: an algorithm and its variant.
struct BenchSort {
    std::string name; ///< full name: "rmg-fast", "p2p-merge", "one-gpu" ...
    AlgorithmChoice choice;
    AlgorithmChoice measured; ///< choice passed to the kernels
    kernels::BenchPeer peer = kernels::BenchPeer::none;

    /// True if it has kernels for the shape. CUB's default sorts refuse unsupported keys when run.
    [[nodiscard]] bool takes(SortShape const& shape) const;
    /// False if, on one GPU, it only calls CUB's radix sort.
    [[nodiscard]] bool differs_from_cub_on_one_gpu() const;
};

/// CUB's radix sort on one GPU: RMG sort, variant `rotated`.
[[nodiscard]] AlgorithmChoice cub_choice();

/// All sorts that the kernels can run, in table order. one-gpu is measured with cub_choice();
/// cub-merge, cub-radix and cub-tuned are CUB's merge, radix and tuned radix sort.
[[nodiscard]] std::vector<BenchSort> known_bench_sorts();

/// One configuration and its measured runs.
struct BenchRow {
    BenchSort sort;
    kernels::BenchJob job;    ///< its key and value pointers are ignored
    std::string distribution; ///< name in the model
    double parameter = 0;     ///< 0 if the distribution has none
    kernels::BenchRuns runs;
    double cub_ms = 0; ///< CUB's sort of n/g device-resident keys on one GPU; 0: not measured

    [[nodiscard]] bool holds() const { return runs.sorted && runs.same_elements; }
    [[nodiscard]] double keys_per_ns() const; ///< Gkeys/s at the median time
    /// Fraction of g times CUB's one-GPU rate; nullopt for host-resident keys or without cub_ms.
    [[nodiscard]] std::optional<double> cub_share() const;
    /// GB/s sent by each GPU to other GPUs in the key swap; nullopt unless the sort has one swap,
    /// timed without overlap.
    [[nodiscard]] std::optional<double> swap_GBps() const;
    /// Median time divided by the time of the transfers alone, to and from all GPUs concurrently.
    [[nodiscard]] std::optional<double> transfer_ratio(kernels::MachineRates const& rates) const;
};

/// A set of GPUs and its measurements.
struct BenchSet {
    std::vector<int> devices;
    std::optional<kernels::MachineRates> rates; ///< nullopt for virtual GPUs
    std::vector<BenchRow> rows;
};

void print_rates(BenchSet const& set, std::ostream& out);
/// Prints what the rows of a table have in common, and the names of their columns.
void print_row_header(SortRequest const& request, BenchSet const& set, std::ostream& out);
void print_row(BenchRow const& row, BenchSet const& set, std::ostream& out);

/// \param machine device and driver of the first GPU \param gpu_count GPUs of the machine
[[nodiscard]] Json
bench_json(RunHeader const& machine, int gpu_count, std::vector<BenchSet> const& sets);

/// Host-to-host runs of keys without values, in the published format. Omits variant fast, which the
/// simulator does not model, and virtual GPUs.
[[nodiscard]] std::vector<Measurement>
measurements_of(RunHeader const& machine, int gpu_count, std::vector<BenchSet> const& sets);

} // namespace keyswap::tools
