#pragma once

/// \file `keyswap bench --operation multisplit|histogram`: selects the measurements, prints a table
/// or JSON.

#include "kernels/bench/split_benchmark.hpp"
#include "tools/bench/bench_plan.hpp"
#include "tools/text/json.hpp"

#include <iosfwd>
#include <vector>

namespace keyswap::tools {

struct SplitBenchPlan {
    Operation operation = Operation::multisplit;
    std::vector<kernels::SplitBenchJob> jobs; ///< in table order
};

/// Returns an error that names an option that is unknown, contradictory or for sorts only.
/// \param found number of devices; used only if --gpus or --gpu-count is given
/// \pre options.operation is not a sort
[[nodiscard]] Expected<SplitBenchPlan> resolve_splits(BenchOptions const& options, int found);

struct SplitBenchResult {
    kernels::SplitBenchJob job;
    std::vector<kernels::SplitBenchRow> rows;

    [[nodiscard]] bool holds() const;
};

void print_split_header(std::ostream& out);
void print_split_rows(SplitBenchResult const& result, std::ostream& out);
[[nodiscard]] Json split_rows_json(std::vector<SplitBenchResult> const& results);

} // namespace keyswap::tools
