#include "tools/report/figures/bar_rows.hpp"

#include "tools/text/number_text.hpp"

#include <algorithm>

namespace keyswap::tools {

std::vector<LegendEntry> bar_series(std::vector<std::string> const& labels) {
    std::vector<LegendEntry> series;
    series.reserve(labels.size());
    for (std::string const& label : labels) {
        series.push_back({Mark::Kind::area, label, look_of(series.size())});
    }
    return series;
}

Plot bar_rows(std::vector<BarRow> const& rows,
              std::vector<LegendEntry> const& series,
              std::string unit) {
    Panel panel;
    std::vector<std::string> names;
    double most = 0.0;
    double const height = 0.8 / as_double(series.size());
    for (BarRow const& bars : rows) {
        double top = as_double(names.size()) - 0.4;
        for (std::size_t index = 0; index < series.size(); ++index) {
            double const value = bars.values.at(index);
            panel.marks.push_back(
                of_rows(area_mark(series[index].look, 0.0, top, value, top + height), bars.row));
            if (value > 0.0) {
                panel.marks.push_back(
                    text_mark(value, top + height / 2.0, significant_text(value, 3)));
            }
            most = std::max(most, value);
            top += height;
        }
        names.push_back(bars.name);
    }
    bool const shares = unit.starts_with('%');
    panel.x = linear_axis(std::move(unit), 0.0, shares ? 100.0 : most > 0.0 ? most : 1.0);
    panel.height = as_double(names.size()) * (4.0 + 9.5 * as_double(series.size()));
    panel.y = name_axis(std::move(names));
    Plot plot{{std::move(panel)}};
    plot.legend = series;
    return plot;
}

} // namespace keyswap::tools
