#pragma once

/// \file `keyswap bench --gpu-memory`: keys in host memory that do not fit the GPUs' memory, sorted
/// by ranges, against the transfers alone.

#include "tools/external/array_ranges.hpp"
#include "tools/options/sort_request.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace keyswap::tools {

/// One sort, from host memory to host memory. Its phases follow each other.
struct RangeBenchRun {
    double count_s = 0; ///< of the partition: the sample, and keys of each range
    double move_s = 0;  ///< of the partition: elements to their ranges
    double sort_s = 0;  ///< ranges to the engine, sorted, and back

    [[nodiscard]] double partition_s() const { return count_s + move_s; }
    [[nodiscard]] double seconds() const { return partition_s() + sort_s; }
};

/// Keys that were sorted by ranges, and what that is compared with.
struct RangeBenchRow {
    std::string engine;
    std::vector<int> devices;
    std::string type;
    std::string values;
    std::string distribution;
    std::uint64_t key_count = 0;
    std::uint64_t size_bytes = 0; ///< of keys and values
    unsigned threads = 1;
    std::uint64_t records_max = 0; ///< of a range
    std::uint64_t range_count = 0;
    std::uint64_t bytes_per_gpu = 0; ///< that the engine holds
    double allocate_s = 0;           ///< the pages of all arrays, by all threads
    double pin_s = 0;                ///< all arrays, before the runs
    double transfer_s = 0;           ///< all to the GPUs and back, both ways at once, no sort
    std::vector<RangeBenchRun> runs;
    bool holds = true; ///< each result a sorted permutation

    [[nodiscard]] RangeBenchRun const& median() const;
    [[nodiscard]] double GBps() const;
    /// What transfers alone take, of the time of the ranges, and of the whole.
    [[nodiscard]] double range_share() const { return transfer_s / median().sort_s; }
    [[nodiscard]] double share() const { return transfer_s / median().seconds(); }
};

void result_fields(RangeBenchRun const& run, auto& field) {
    field("count_s", run.count_s);
    field("move_s", run.move_s);
    field("sort_s", run.sort_s);
}

void result_fields(RangeBenchRow const& row, auto& field) {
    field("engine", row.engine);
    field("devices", row.devices);
    field("key_type", row.type);
    field("value_type", row.values);
    field("distribution", row.distribution);
    field("key_count", row.key_count);
    field("threads", row.threads);
    field("records_max", row.records_max);
    field("ranges", row.range_count);
    field("bytes_per_gpu", row.bytes_per_gpu);
    field("allocate_s", row.allocate_s);
    field("pin_s", row.pin_s);
    field("transfer_s", row.transfer_s);
    field("runs", row.runs);
    field("GBps", row.GBps());
    field("range_share", row.range_share());
    field("share", row.share());
    field("holds", row.holds);
}

/// What is measured: keys that are made, with their indices as values.
struct RangeBench {
    SortRequest request;
    std::vector<int> devices;
    std::uint64_t records_max = 0; ///< that the engine takes
    unsigned threads = 1;
    int runs = 1;
};

/// Measures one input. \param engine not prepared
[[nodiscard]] Expected<RangeBenchRow> bench_ranges(RangeBench const& bench, RangeEngine& engine);

void print_range_row(RangeBenchRow const& row, std::ostream& out);

} // namespace keyswap::tools
