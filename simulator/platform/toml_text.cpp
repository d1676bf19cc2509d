#include "simulator/platform/toml_text.hpp"

#include "traces/errors/input_limits.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/open_bytes.hpp"
#include "traces/measurements/csv_row.hpp"

#include <optional>
#include <utility>

namespace keyswap::simulator {

namespace {

/// Finds the first line with a key of more parts than Limit::depth: dots separated only by words,
/// quotes and blanks. A text value of that form is refused too; no real file has one.
std::optional<int> line_of_deep_key(std::string_view text) {
    int line = 1;
    std::uint64_t dots = 0;
    for (char const letter : text) {
        line += letter == '\n' ? 1 : 0;
        if (letter == '.') {
            ++dots;
        } else if (std::string_view("=,[]{}#\n").find(letter) != std::string_view::npos) {
            dots = 0;
        }
        if (dots >= limit_of(Limit::depth)) {
            return line;
        }
    }
    return std::nullopt;
}

} // namespace

Expected<std::string> read_toml_file(std::string const& path) {
    auto const bytes = open_bytes(path);
    return bytes ? read_text(**bytes, path, memory_per_toml_byte) : tl::unexpected(bytes.error());
}

std::string toml_quoted(std::string_view text) {
    std::string result = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            constexpr std::string_view digits = "0123456789abcdef";
            result += "\\u00";
            result += digits[static_cast<unsigned char>(c) >> 4];
            result += digits[static_cast<unsigned char>(c) & 15];
        } else {
            result += c;
        }
    }
    return result + "\"";
}

Expected<toml::table>
parse_toml(std::string_view text, std::string_view file, std::string_view remedy) {
    if (auto utf16 = utf16_error(text, std::string(file))) {
        return tl::unexpected(std::move(*utf16));
    }
    if (auto const line = line_of_deep_key(text)) {
        return tl::unexpected(beyond_limit(Limit::depth,
                                           std::string(file) + ":" + std::to_string(*line),
                                           "a key has more than " +
                                               std::to_string(limit_of(Limit::depth)) + " parts"));
    }
    try {
        return toml::parse(text, file);
    } catch (toml::parse_error const& error) {
        return input_error(std::string(file) + ":" + std::to_string(error.source().begin.line),
                           std::string(error.description()),
                           std::string(remedy));
    }
}

} // namespace keyswap::simulator
