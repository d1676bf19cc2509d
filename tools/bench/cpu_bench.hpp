#pragma once

/// \file `keyswap bench --backend cpu`: our CPU sorts and those of other libraries, on equal keys.

#include "tools/bench/bench_plan.hpp"
#include "traces/errors/input_error.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace keyswap::tools {

/// One sort of one input; every run's result was checked.
struct CpuBenchRow {
    std::string sort;
    SortRequest request; ///< the input
    unsigned threads = 1;
    int steps = 0;                ///< passes over all keys: digits, or log2(n) merges
    std::vector<double> wall_ms;  ///< [runs]
    std::vector<double> cpu_ms;   ///< [runs] summed over threads
    double tick_GHz = 0;          ///< time-stamp counter; 0: not available
    std::optional<double> tbb_ms; ///< median of TBB's sort of the same keys
    std::optional<double> tbb_cpu_ms;
    bool holds = true; ///< all results are sorted permutations

    [[nodiscard]] double median_ms() const;
    [[nodiscard]] double median_cpu_ms() const;
    /// Time-stamp ticks of CPU time per key and step, summed over threads.
    [[nodiscard]] double cycles_per_key_and_step() const;
};

void result_fields(CpuBenchRow const& row, auto& field) {
    field("sort", row.sort);
    field("key_type", row.request.config.key_type);
    field("value_type", row.request.config.value_type);
    field("distribution", row.request.keys->distribution);
    field("key_count", row.request.config.key_count);
    field("threads", row.threads);
    field("steps", row.steps);
    field("ms", row.wall_ms);
    field("cpu_ms", row.cpu_ms);
    field("tick_GHz", row.tick_GHz);
    field("cycles_per_key_and_step", row.cycles_per_key_and_step());
    field("holds", row.holds);
}

/// Runs all measurements that the options select. \param title header of the table
/// \param table receives each row once measured; may be null
[[nodiscard]] Expected<std::vector<CpuBenchRow>>
bench_cpu(BenchOptions const& options, std::string const& title, std::ostream* table);

} // namespace keyswap::tools
