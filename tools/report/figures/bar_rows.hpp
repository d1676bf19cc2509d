#pragma once

/// \file Figures of bars: a row for each name, in it a bar for each series.

#include "tools/report/figures/figure.hpp"

namespace keyswap::tools {

struct BarRow {
    std::string name;
    std::vector<double> values; ///< of each series
    std::size_t row = 0;        ///< of the table
};

struct BarSeries {
    std::string label;
    Look look;
};

/// Series that look like the first, second and further one of look_of().
[[nodiscard]] std::vector<BarSeries> bar_series(std::vector<std::string> const& labels);

/// The bars, with their values in three digits. \param unit shares, "% of the time", go up to 100
[[nodiscard]] Plot
bar_rows(std::vector<BarRow> const& rows, std::vector<BarSeries> const& series, std::string unit);

} // namespace keyswap::tools
