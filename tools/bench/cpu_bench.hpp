#pragma once

/// \file `keyswap bench --backend cpu`: the CPU sorts and those of others on the same keys.

#include "tools/bench/bench_plan.hpp"
#include "traces/errors/input_error.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace keyswap::tools {

/// One sort of one input; every run's result was checked.
struct CpuBenchRow {
    std::string sort;
    std::string type;
    std::string values;
    std::string distribution;
    std::uint64_t key_count = 0;
    unsigned threads = 1;
    int steps = 0;                ///< that read and write all keys: digits, or log2(n) merges
    std::vector<double> wall_ms;  ///< [runs]
    std::vector<double> cpu_ms;   ///< [runs] of all threads together, while they ran
    double tick_GHz = 0;          ///< of the time-stamp counter; 0 = the machine has none
    std::optional<double> tbb_ms; ///< median of TBB's sort of these keys
    std::optional<double> tbb_cpu_ms;
    bool holds = true; ///< each result a sorted permutation

    [[nodiscard]] double median_ms() const;
    [[nodiscard]] double median_cpu_ms() const;
    /// Ticks of the time-stamp counter in which some thread ran, a key and step.
    [[nodiscard]] double cycles_per_key_and_step() const;
};

void result_fields(CpuBenchRow const& row, auto& field) {
    field("sort", row.sort);
    field("key_type", row.type);
    field("value_type", row.values);
    field("distribution", row.distribution);
    field("key_count", row.key_count);
    field("threads", row.threads);
    field("steps", row.steps);
    field("ms", row.wall_ms);
    field("cpu_ms", row.cpu_ms);
    field("tick_GHz", row.tick_GHz);
    field("cycles_per_key_and_step", row.cycles_per_key_and_step());
    field("holds", row.holds);
}

/// Measures everything that was asked for. \param title first lines of the table
/// \param table takes a row as soon as it is there; may be null
[[nodiscard]] Expected<std::vector<CpuBenchRow>>
bench_cpu(BenchOptions const& options, std::string const& title, std::ostream* table);

} // namespace keyswap::tools
