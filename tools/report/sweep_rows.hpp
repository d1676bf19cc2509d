#pragma once

/// \file Results of `keyswap whatif` as a table and as JSON.

#include "simulator/study/what_if.hpp"
#include "tools/text/json.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Prints the varying columns, algorithm and GPUs, and as many result columns as fit.
/// \param width of the terminal
/// \param all_columns prints constant columns, too, and those that do not fit
void write_sweep_table(std::vector<simulator::WhatIfRow> const& rows,
                       std::size_t width,
                       bool all_columns,
                       std::ostream& out);

/// Load common to all rows: "2,000,000,000 keys, u32, uniform, keys on NUMA node 0".
[[nodiscard]] std::string constant_load_text(std::vector<simulator::WhatIfRow> const& rows);

/// GPU list, abbreviated if long: "0,2,4-6", "0,8,16,... (36)".
[[nodiscard]] std::string short_gpu_set(std::vector<std::uint32_t> const& gpus);

/// Fastest row of a load. Compares the best row of each machine if there are several, else of each
/// algorithm, and so on.
struct SweepVerdict {
    std::string load;                ///< empty if all rows have the same load
    std::size_t fastest = 0;         ///< row index
    std::optional<std::size_t> next; ///< row index of the second best; nullopt if no other row ran
    bool intervals_overlap = false;
    std::string sentence = {}; ///< summary for display
};

void result_fields(SweepVerdict const& verdict, auto& field) {
    field("load", verdict.load);
    field("fastest", verdict.fastest);
    field("next", verdict.next);
    field("intervals_overlap", verdict.intervals_overlap);
    field("sentence", verdict.sentence);
}

/// One verdict per load; empty if rows differ only in their loads and GPUs.
[[nodiscard]] std::vector<SweepVerdict>
sweep_verdicts(std::vector<simulator::WhatIfRow> const& rows);

[[nodiscard]] Json sweep_json(std::vector<simulator::WhatIfRow> const& rows);

/// One line for each sort, load and link with several GPU counts: the best count, and the first
/// additional GPU that slows the sort down.
[[nodiscard]] std::string gpu_count_finding(std::vector<simulator::WhatIfRow> const& rows);

} // namespace keyswap::tools
