#pragma once

/// \file Measures the sort of records by a comparator beside CUB's merge sort on one GPU. Every
/// result is checked before its time is reported. No CUDA header is needed.

#include "kernels/sort.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::kernels {

/// One type of records, uniform at random or few different ones.
struct RecordBenchRow {
    std::string name; ///< "records u128 uniform"
    std::uint64_t record_count = 0;
    std::vector<double> sample_ms; ///< in the order run, after one that is not counted
    std::vector<double> merge_ms;  ///< of cub::DeviceMergeSort on the same records, in turns
    /// Neighbours that are out of order in any result, and results with other records than given.
    std::uint64_t wrong = 0;

    [[nodiscard]] double sample_median() const;
    [[nodiscard]] double merge_median() const;
};

/// 128-bit words, two 64-bit words by both, and 64-bit words: `bytes` of each.
[[nodiscard]] SortExpected<std::vector<RecordBenchRow>>
bench_records(int device, std::uint64_t bytes, int runs);

} // namespace keyswap::kernels
