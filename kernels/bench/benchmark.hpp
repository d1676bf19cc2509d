#pragma once

/// \file Measures sorts, and in the same run the machine's copy rates and CUB as baselines. No CUDA
/// header is needed.

#include "kernels/bench/bench_job.hpp"
#include "kernels/sort.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::kernels {

/// True if some policy of CUB's radix sort is known to be faster than CUB's own for such keys; only
/// then can peer cub_tuned_radix_sort be measured.
[[nodiscard]] bool has_tuned_policy(SortShape const& shape);

/// Runs of one configuration; a preceding warm-up run is excluded.
struct BenchRuns {
    std::vector<double> milliseconds; ///< in the order run; host clock around all GPUs
    /// Phases of each run; for device-resident chunks, phases of one extra run that is not in
    /// `milliseconds`, as events take a noticeable share of such short times.
    std::vector<std::vector<PhaseTimeRecord>> times;
    int passes = 0;
    bool sorted = false;        ///< every run's result was in order ...
    bool same_elements = false; ///< ... and held the input's keys and values
    std::uint64_t bytes_per_gpu = 0;

    [[nodiscard]] double median() const;
    /// (max - min) / median.
    [[nodiscard]] double spread() const;
};

[[nodiscard]] SortExpected<BenchRuns> bench_sort(BenchJob const& job);

/// Measures CUB alone on the first GPU: radix sort on bits [0, end_bit). Does not check the order.
[[nodiscard]] SortExpected<BenchRuns> bench_cub(BenchJob const& job, int end_bit);

/// Copy rates of the machine in GB/s, with `bytes` per copy.
struct MachineRates {
    double memory_copy = 0;             ///< read + write on the first GPU
    double host_to_device_all = 0;      ///< all GPUs at once, in total
    double device_to_host_all = 0;      ///< all GPUs at once, in total
    double host_both_ways_all = 0;      ///< all GPUs, both directions at once, in total
    std::vector<double> host_to_device; ///< [g] one GPU at a time
    std::vector<double> device_to_host; ///< [g] one GPU at a time
    std::vector<double> peer;           ///< [g * g] one pair at a time, source-major; 0 = same GPU
    double peer_pair = 0;               ///< first to second GPU; 0 with one
    double all_to_all_out = 0;          ///< per GPU, destinations rotated; 0 with one
};

/// \param devices without duplicates
[[nodiscard]] SortExpected<MachineRates> bench_machine(std::vector<int> const& devices,
                                                       std::uint64_t bytes);

} // namespace keyswap::kernels
