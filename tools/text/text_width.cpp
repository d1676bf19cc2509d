#include "tools/text/text_width.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sys/ioctl.h>

namespace keyswap::tools {

namespace {

constexpr std::size_t columns_unknown = 80;
constexpr std::size_t columns_min = 40; ///< minimum width; narrower text is unreadable
constexpr std::size_t hanging_indent = 2;

/// Fills lines with words: the first line continues `line`, others begin with `next`.
std::string
fill(std::string line, std::string const& next, std::string_view text, std::size_t columns) {
    std::string filled;
    bool line_has_words = false;
    while (!text.empty()) {
        // Preserve multiple spaces between words, such as those between columns of a table.
        std::size_t const begin = std::min(text.find_first_not_of(' '), text.size());
        std::size_t const end = std::min(text.find(' ', begin), text.size());
        std::string_view const word = text.substr(begin, end - begin);
        std::string_view const spaces = text.substr(0, begin);
        bool const fits = width_of(line) + spaces.size() + width_of(word) <= columns;
        if (line_has_words && !fits) {
            filled += line + '\n';
            line = next;
        } else {
            line += spaces;
        }
        line += word;
        line_has_words = true;
        text.remove_prefix(end);
    }
    return filled + line;
}

} // namespace

std::size_t terminal_columns(int descriptor) {
    std::size_t columns = 0;
    if (char const* const given = std::getenv("COLUMNS")) {
        std::string_view const text = given;
        std::from_chars(text.data(), text.data() + text.size(), columns);
    }
    if (columns == 0) {
        winsize size{};
        if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
            columns = size.ws_col;
        }
    }
    return columns == 0 ? columns_unknown : std::max(columns, columns_min);
}

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string wrapped(std::string_view text, std::size_t columns) {
    std::string all;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find('\n'), text.size());
        std::string_view const line = text.substr(0, end);
        if (width_of(line) <= columns) {
            all += line;
        } else {
            std::size_t const indent = std::min(line.find_first_not_of(' '), columns / 2);
            std::string next = std::string(indent + hanging_indent, ' ');
            if (line.starts_with("# ")) {
                next = "# " + next;
            }
            all += fill(std::string(line.substr(0, indent)), next, line.substr(indent), columns);
        }
        bool const has_end = end < text.size();
        all += has_end ? "\n" : "";
        text.remove_prefix(end + (has_end ? 1 : 0));
    }
    return all;
}

std::string wrapped_after(std::string_view first,
                          std::size_t indent,
                          std::string_view text,
                          std::size_t columns) {
    return fill(std::string(first), std::string(indent, ' '), text, columns);
}

} // namespace keyswap::tools
