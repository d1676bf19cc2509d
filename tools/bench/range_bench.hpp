#pragma once

/// \file `keyswap bench --gpu-memory`: sorts keys in host memory that exceed the GPUs' memory, by
/// ranges; the baseline is the transfers alone.

#include "tools/external/arrays/array_ranges.hpp"
#include "tools/options/sort_request.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace keyswap::tools {

/// An input to measure: generated keys, with their indices as values.
struct RangeBench {
    SortRequest request;
    std::vector<int> devices;
    std::uint64_t records_max = 0; ///< limit of the engine
    unsigned threads = 1;
    int runs = 1;
};

/// One sort, from host memory to host memory. The phases do not overlap.
struct RangeBenchRun {
    double count_s = 0; ///< partition: sampling, and counting the keys of each range
    double move_s = 0;  ///< partition: moving elements to their ranges
    double sort_s = 0;  ///< transfers and sorts of all ranges

    [[nodiscard]] double partition_s() const { return count_s + move_s; }
    [[nodiscard]] double seconds() const { return partition_s() + sort_s; }
};

/// Measurements of one input, with the time of the transfers as baseline.
struct RangeBenchRow {
    RangeBench input;
    std::string engine;
    std::uint64_t size_bytes = 0;  ///< of keys and values
    std::uint64_t records_max = 0; ///< per range
    std::uint64_t range_count = 0;
    std::uint64_t bytes_per_gpu = 0; ///< allocated by the engine
    double allocate_s = 0;           ///< page faults of all arrays, with all threads
    double pin_s = 0;                ///< all arrays, before the runs
    double transfer_s = 0;           ///< transfers of all elements to and from the GPUs, overlapped
    std::vector<RangeBenchRun> runs;
    bool holds = true; ///< all results are sorted permutations

    [[nodiscard]] RangeBenchRun const& median() const;
    [[nodiscard]] double GBps() const;
    /// Time of the transfers alone as a fraction of the ranges' time, and of the total time.
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
    field("devices", row.input.devices);
    field("key_type", row.input.request.config.key_type);
    field("value_type", row.input.request.config.value_type);
    field("distribution", row.input.request.keys->distribution);
    field("key_count", row.input.request.config.key_count);
    field("threads", row.input.threads);
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

/// Measures one input. \pre engine was not prepared
[[nodiscard]] Expected<RangeBenchRow> bench_ranges(RangeBench const& bench, RangeEngine& engine);

void print_range_row(RangeBenchRow const& row, std::ostream& out);

} // namespace keyswap::tools
