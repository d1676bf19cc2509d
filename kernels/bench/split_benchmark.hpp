#pragma once

/// \file Measures multisplits and histograms on one GPU, with CUB as baseline, and shuffles on
/// several, with plain copies as baseline, on uniform random keys in GPU memory. Every result is
/// compared with a reference before its time is reported. No CUDA header is needed.

#include "kernels/multisplit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::kernels {

struct SplitBenchJob {
    KeyType key_type = KeyType::u32;        ///< u32 or u64; histograms take f32
    ValueType value_type = ValueType::none; ///< none or bits32: the keys' indices
    std::uint64_t key_count = 0;            ///< at most 2^32 - 1
    std::uint32_t buckets = 256;            ///< for a multisplit; for a histogram, bins
    std::vector<MultisplitMethod>
        methods; ///< of a multisplit; methods that do not support the job are skipped
    int runs = 5;
    std::vector<int> devices = {0}; ///< more than one: a shuffle
};

/// One method, of this library or CUB.
struct SplitBenchRow {
    std::string name;                 ///< "fused", "cub-radix" ...
    std::string rule;                 ///< "digit", "delta", "splitters"; "even" or "range" of bins
    std::vector<double> milliseconds; ///< in the order run, after a warm-up
    std::optional<double> peer_ms; ///< median of the baseline: CUB's counterpart, or plain copies
    std::uint64_t wrong = 0;       ///< elements or counts that differ from the reference
    /// Samples that CUB counts in another bin because they are within rounding of an edge.
    std::uint64_t elsewhere = 0;

    [[nodiscard]] double median() const;
};

/// Measures all methods by digit (if buckets are a power of two), by delta with a width that
/// is not a power of two, and by splitters; baselines are cub::DeviceRadixSort on as many
/// bits and cub::DevicePartition. After `bit-split` by digit come its stages:
/// `bit-split:count`, `:scan` of the table, `:move`, and `:split`, the splits' share of the
/// move.
[[nodiscard]] SortExpected<std::vector<SplitBenchRow>> bench_multisplit(SplitBenchJob const& job);

/// Measures shuffles by the fastest method, by digit (if buckets are a power of two) and by hash.
/// Baseline: one copy per pair of GPUs. Rows: the whole, and its phases on the slowest GPU.
[[nodiscard]] SortExpected<std::vector<SplitBenchRow>> bench_shuffle(SplitBenchJob const& job);

/// Measures Even and Range over [0, 1024); baseline: cub::DeviceHistogram.
[[nodiscard]] SortExpected<std::vector<SplitBenchRow>> bench_histogram(SplitBenchJob const& job);

/// Copies as many bytes on the device as a multisplit must read and write: GB/s of both
/// together.
[[nodiscard]] SortExpected<double> bench_device_copy(int device, std::uint64_t bytes, int runs);

} // namespace keyswap::kernels
