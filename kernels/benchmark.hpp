#pragma once

/// \file Measures sorts of device-resident chunks beside what the machine's copies and CUB reach in
/// the same run. No CUDA header is needed.

#include "kernels/sort.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace keyswap::kernels {

/// Keys made on the GPUs for measurements; the sort commands take the model's generators instead.
enum class BenchKeys {
    uniform,    ///< all key bits random
    zipf,       ///< exponent 1 over all values, by the continuous inverse of its distribution
    sorted,     ///< ascending over the whole range
    two_values, ///< 0 and 1
    zero        ///< one value
};

[[nodiscard]] std::string_view to_string(BenchKeys keys);
[[nodiscard]] Expected<BenchKeys> parse_bench_keys(std::string_view text);

/// Runs of one configuration, after one that is not counted.
struct BenchRuns {
    std::vector<double> milliseconds;   ///< in the order run; host clock around all GPUs
    std::vector<PhaseTimeRecord> times; ///< of one more run, with timing on
    int passes = 0;
    bool sorted = false;        ///< every run's result was in order ...
    bool same_elements = false; ///< ... and held the input's keys and values
    std::uint64_t bytes_per_gpu = 0;

    [[nodiscard]] double median() const;
    /// Largest minus smallest over the median.
    [[nodiscard]] double spread() const;
};

/// Sorts chunks that lie on the GPUs, made anew before each run.
[[nodiscard]] SortExpected<BenchRuns>
bench_device_sort(SortOptions const& options, std::uint64_t key_count, BenchKeys keys, int runs);

/// Sorts from pinned host memory to pinned host memory; `times` has the transfers alone too.
[[nodiscard]] SortExpected<BenchRuns>
bench_host_sort(SortOptions const& options, std::uint64_t key_count, BenchKeys keys, int runs);

/// CUB alone on the first GPU: radix sort of `key_count` keys on bits [0, end_bit).
[[nodiscard]] SortExpected<BenchRuns> bench_cub(
    SortOptions const& options, std::uint64_t key_count, BenchKeys keys, int end_bit, int runs);

/// What the machine's copies reach, GB/s, with `bytes` a copy.
struct MachineRates {
    double memory_copy = 0;        ///< read + write on the first GPU
    double host_to_device_all = 0; ///< all GPUs at once, in total
    double device_to_host_all = 0; ///< all GPUs at once, in total
    double peer_pair = 0;          ///< first to second GPU; 0 with one
    double all_to_all_out = 0;     ///< out of each GPU, destinations rotated; 0 with one
};
[[nodiscard]] SortExpected<MachineRates> bench_machine(std::vector<int> const& devices,
                                                       std::uint64_t bytes);

} // namespace keyswap::kernels
