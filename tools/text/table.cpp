#include "tools/text/table.hpp"

#include "tools/text/text_width.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cstdlib>

namespace keyswap::tools {

std::string Table::header() const {
    std::vector<std::string> names;
    for (Column const& column : columns_) {
        names.push_back(column.name);
    }
    return line(names);
}

std::string Table::line(std::vector<std::string> const& cells) const {
    KEYSWAP_EXPECTS(cells.size() == columns_.size());
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        Column const& column = columns_[i];
        auto const width = static_cast<std::size_t>(std::abs(column.width));
        std::string const fill(width - std::min(width, width_of(cells[i])), ' ');
        line += std::string(static_cast<std::size_t>(column.gap), ' ') +
                (column.width < 0 ? cells[i] + fill : fill + cells[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

} // namespace keyswap::tools
