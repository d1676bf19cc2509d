#pragma once

/// \file Bar charts with one row per name and one bar per series in it.

#include "tools/report/figures/figure.hpp"

namespace keyswap::tools {

struct BarRow {
    std::string name;
    std::vector<double> values; ///< [series]
    std::size_t row = 0;        ///< row of the figure's table
};

/// Series with the looks look_of(0), look_of(1), ...
[[nodiscard]] std::vector<LegendEntry> bar_series(std::vector<std::string> const& labels);

/// Bar chart with values in three digits. \param unit "% of ..." makes the axis end at 100
[[nodiscard]] Plot
bar_rows(std::vector<BarRow> const& rows, std::vector<LegendEntry> const& series, std::string unit);

} // namespace keyswap::tools
