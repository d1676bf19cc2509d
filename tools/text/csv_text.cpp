#include "tools/text/csv_text.hpp"

#include "tools/text/number_text.hpp"

namespace keyswap::tools {

namespace {

/// Quotes a cell if necessary.
std::string field_of(std::string const& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (char const letter : text) {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + '"';
}

} // namespace

void CsvText::line(std::vector<std::string> const& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        text_ += (i == 0 ? "" : ",") + field_of(cells[i]);
    }
    text_ += '\n';
}

std::string CsvText::text_of(double number) {
    return printed("%g", number);
}

} // namespace keyswap::tools
