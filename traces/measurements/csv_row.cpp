#include "traces/measurements/csv_row.hpp"

#include "traces/format/byte_order_mark.hpp"

#include <algorithm>
#include <utility>

namespace keyswap {

namespace {

/// True with a byte order mark of UTF-16, or if one byte of each pair is zero.
bool is_utf16(std::string_view text) {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
        return true;
    }
    constexpr std::size_t judged_max = 64;
    std::string_view const begin = text.substr(0, judged_max);
    bool one_zero = begin.size() >= 4;
    for (std::size_t i = 0; i + 1 < begin.size(); i += 2) {
        one_zero = one_zero && (begin[i] == '\0') != (begin[i + 1] == '\0') &&
                   (begin[i] == '\0') == (begin[0] == '\0');
    }
    return one_zero;
}

} // namespace

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
    std::string_view line = without_byte_order_mark(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

std::optional<InputError> utf16_error(std::string_view text, std::string const& name) {
    return is_utf16(text)
               ? std::optional(InputError{
                     name, "is text of UTF-16", "save it as UTF-8: iconv -f UTF-16 -t UTF-8"})
               : std::nullopt;
}

std::optional<InputError> find_csv_error(std::string_view text, std::string const& name) {
    if (auto const utf16 = utf16_error(text, name)) {
        return utf16;
    }
    std::string_view const first = take_line(text);
    if (first.find('\r') != std::string_view::npos) {
        return InputError{name,
                          "has lines that end in a carriage return alone",
                          "end them in line feeds: tr '\\r' '\\n'"};
    }
    for (auto const& [separator, plural] :
         {std::pair{';', "semicolons"}, std::pair{'\t', "tabulators"}}) {
        if (std::ranges::count(first, separator) > std::ranges::count(first, ',')) {
            return InputError{name,
                              "has " + std::string(plural) + " between its columns",
                              "save it with commas between columns"};
        }
    }
    return std::nullopt;
}

} // namespace keyswap
