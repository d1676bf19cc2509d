#include "traces/measurements/csv_row.hpp"

#include <algorithm>

namespace keyswap {

std::optional<std::vector<std::string_view>> split_csv_row(std::string_view row) {
    std::vector<std::string_view> fields;
    while (true) {
        if (row.starts_with('"')) {
            std::size_t const end = row.find('"', 1);
            if (end == std::string_view::npos) {
                return std::nullopt;
            }
            fields.push_back(row.substr(1, end - 1));
            row.remove_prefix(end + 1);
        } else {
            std::size_t const end = std::min(row.find(','), row.size());
            fields.push_back(row.substr(0, end));
            row.remove_prefix(end);
        }
        if (row.empty()) {
            return fields;
        }
        if (row.front() != ',') {
            return std::nullopt;
        }
        row.remove_prefix(1);
    }
}

std::string_view take_line(std::string_view& text) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

} // namespace keyswap
