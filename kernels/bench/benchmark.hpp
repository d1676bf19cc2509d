#pragma once

/// \file Measures sorts beside what the machine's copies and CUB reach in the same run. No CUDA
/// header is needed.

#include "kernels/bench/bench_job.hpp"
#include "kernels/sort.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::kernels {

/// Whether a policy of CUB's radix sort is known that was faster than its own for such keys. Where
/// it is, peer cub_tuned_radix_sort can be measured.
[[nodiscard]] bool has_tuned_policy(SortShape const& shape);

/// Runs of one configuration, after one that is not counted.
struct BenchRuns {
    std::vector<double> milliseconds; ///< in the order run; host clock around all GPUs
    /// Phases of each run; of device-resident chunks those of one more run, which is not counted,
    /// since the events take a part of so short a time.
    std::vector<std::vector<PhaseTimeRecord>> times;
    int passes = 0;
    bool sorted = false;        ///< every run's result was in order ...
    bool same_elements = false; ///< ... and held the input's keys and values
    std::uint64_t bytes_per_gpu = 0;

    [[nodiscard]] double median() const;
    /// Largest minus smallest over the median.
    [[nodiscard]] double spread() const;
};

[[nodiscard]] SortExpected<BenchRuns> bench_sort(BenchJob const& job);

/// CUB alone on the first GPU: radix sort on bits [0, end_bit). Order is not looked at.
[[nodiscard]] SortExpected<BenchRuns> bench_cub(BenchJob const& job, int end_bit);

/// What the machine's copies reach, GB/s, with `bytes` a copy.
struct MachineRates {
    double memory_copy = 0;             ///< read + write on the first GPU
    double host_to_device_all = 0;      ///< all GPUs at once, in total
    double device_to_host_all = 0;      ///< all GPUs at once, in total
    double host_both_ways_all = 0;      ///< all GPUs, both directions at once, in total
    std::vector<double> host_to_device; ///< [g] each alone
    std::vector<double> device_to_host; ///< [g] each alone
    std::vector<double> peer;           ///< [g * g] source to destination alone; 0 = itself
    double peer_pair = 0;               ///< first to second GPU; 0 with one
    double all_to_all_out = 0;          ///< out of each GPU, destinations rotated; 0 with one
};

/// \param devices each once
[[nodiscard]] SortExpected<MachineRates> bench_machine(std::vector<int> const& devices,
                                                       std::uint64_t bytes);

} // namespace keyswap::kernels
