#pragma once

/// \file The answers of `keyswap whatif` as a table and as JSON.

#include "simulator/study/what_if.hpp"
#include "tools/text/json.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace keyswap::tools {

/// How the table is laid out.
struct SweepLayout {
    std::size_t columns;      ///< of the terminal
    bool all_columns = false; ///< also those that are alike in every row or do not fit
};

/// What rows differ in, the algorithm and the GPUs, and as many results as fit.
void write_sweep_table(std::vector<simulator::WhatIfRow> const& rows,
                       SweepLayout const& layout,
                       std::ostream& out);

/// What all rows sort and where it lies: "2,000,000,000 keys, u32, uniform, keys on NUMA node 0".
[[nodiscard]] std::string constant_load_text(std::vector<simulator::WhatIfRow> const& rows);

/// "0,2,4-6"; of long lists the beginning: "0,8,16,... (36)".
[[nodiscard]] std::string short_gpu_set(std::vector<std::uint32_t> const& gpus);

/// Which row sorts a load fastest: of several machines the best row of each, of one machine that of
/// each algorithm, and so on.
struct SweepVerdict {
    std::string load;                ///< empty if all rows have the same
    std::size_t fastest = 0;         ///< index of a row
    std::optional<std::size_t> next; ///< nullopt if no other can run
    bool intervals_overlap = false;
    std::string sentence = {}; ///< all of it for people
};

void result_fields(SweepVerdict const& verdict, auto& field) {
    field("load", verdict.load);
    field("fastest", verdict.fastest);
    field("next", verdict.next);
    field("intervals_overlap", verdict.intervals_overlap);
    field("sentence", verdict.sentence);
}

/// One for each load; none if rows differ in their loads and GPUs alone.
[[nodiscard]] std::vector<SweepVerdict>
sweep_verdicts(std::vector<simulator::WhatIfRow> const& rows);

[[nodiscard]] Json sweep_json(std::vector<simulator::WhatIfRow> const& rows);

/// A line for each sort, load and link of rows that have several numbers of GPUs: which number is
/// the best, and which further GPU makes the sort slower.
[[nodiscard]] std::string gpu_count_finding(std::vector<simulator::WhatIfRow> const& rows);

} // namespace keyswap::tools
