#pragma once

/// \file Measures multisplits and histograms beside CUB on one GPU, and shuffles beside plain
/// copies on several, on uniform random keys that lie there. Every result is compared with a
/// reference before its time is reported. No CUDA header is needed.

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
    std::uint32_t buckets = 256;            ///< of a multisplit, or bins of a histogram
    std::vector<MultisplitMethod>
        methods; ///< of a multisplit; those that do not take it are left out
    int runs = 5;
    std::vector<int> devices = {0}; ///< several: a shuffle
};

/// One method, or one of CUB's.
struct SplitBenchRow {
    std::string name;                 ///< "fused", "cub-radix" ...
    std::string rule;                 ///< "digit", "delta", "splitters"; "even" or "range" of bins
    std::vector<double> milliseconds; ///< in the order run, after one that is not counted
    std::optional<double> peer_ms; ///< of the one of CUB's, or the copies, that it is held against
    std::uint64_t wrong = 0;       ///< elements or counts that are not the reference's
    /// Samples that CUB counts elsewhere, where a sample lies within rounding of an edge.
    std::uint64_t elsewhere = 0;

    [[nodiscard]] double median() const;
};

/// Methods by digit (where buckets are a power of two), by delta of a width that is none, and by
/// splitters, beside cub::DeviceRadixSort on as many bits and cub::DevicePartition. Method
/// `bit-split` by digit is followed by its stages: `bit-split:count`, `:scan` of the table,
/// `:move`, and
/// `:split`, what of the move its splits take.
[[nodiscard]] SortExpected<std::vector<SplitBenchRow>> bench_multisplit(SplitBenchJob const& job);

/// Shuffles by the fastest method, by digit (where buckets are a power of two) and by hash, beside
/// as many bytes in one copy a pair of GPUs: the whole, and its phases on the slowest GPU.
[[nodiscard]] SortExpected<std::vector<SplitBenchRow>> bench_shuffle(SplitBenchJob const& job);

/// Even and Range over [0, 1024), beside cub::DeviceHistogram.
[[nodiscard]] SortExpected<std::vector<SplitBenchRow>> bench_histogram(SplitBenchJob const& job);

/// Bytes that a multisplit reads and writes at least are copied on the device: GB/s of both
/// together.
[[nodiscard]] SortExpected<double> bench_device_copy(int device, std::uint64_t bytes, int runs);

} // namespace keyswap::kernels
