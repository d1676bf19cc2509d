#pragma once

/// \file Measures the sort of records by a comparator, with CUB's merge sort as baseline, on one
/// GPU. Every result is checked before its time is reported. No CUDA header is needed.

#include "kernels/sort.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::kernels {

/// One record type, with uniformly random records or few distinct ones.
struct RecordBenchRow {
    std::string name; ///< "records u128 uniform"
    std::uint64_t record_count = 0;
    std::vector<double> sample_ms; ///< in the order run, after a warm-up
    std::vector<double> merge_ms;  ///< cub::DeviceMergeSort on the same records, runs alternating
    /// Adjacent records out of order in any result, plus results with other records than the input.
    std::uint64_t wrong = 0;

    [[nodiscard]] double sample_median() const;
    [[nodiscard]] double merge_median() const;
};

/// 128-bit words, two 64-bit words compared by both, and 64-bit words: `bytes` of each.
[[nodiscard]] SortExpected<std::vector<RecordBenchRow>>
bench_records(int device, std::uint64_t bytes, int runs);

} // namespace keyswap::kernels
