#pragma once

/// \file The answers of `keyswap whatif` as a table, CSV and JSON.

#include "simulator/study/what_if.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Columns that say the same in every row are left out: of platforms, links and places.
void write_sweep_table(std::vector<simulator::WhatIfRow> const& rows, std::ostream& out);

/// Under sweep_csv_header.
void write_sweep_csv(std::vector<simulator::WhatIfRow> const& rows, std::ostream& out);

[[nodiscard]] nlohmann::ordered_json sweep_json(std::vector<simulator::WhatIfRow> const& rows);

/// A row for each number of GPUs: which number is the best, and which further GPU makes the sort
/// slower; empty where there are fewer than two.
[[nodiscard]] std::string gpu_count_finding(std::vector<simulator::WhatIfRow> const& rows);

} // namespace keyswap::tools
