#include "simulator/platform/toml_text.hpp"

#include <filesystem>
#include <fstream>
#include <optional>

namespace keyswap::simulator {

namespace {

constexpr std::size_t text_bytes_max = std::size_t{16} << 20;
constexpr int key_parts_max = 100;

/// The first line with a key of too many parts: dots with nothing but words, quotes and blanks
/// between them. A text value of that form is refused with it, which no file has.
std::optional<int> line_of_deep_key(std::string_view text) {
    int line = 1;
    int dots = 0;
    for (char const letter : text) {
        line += letter == '\n' ? 1 : 0;
        if (letter == '.') {
            ++dots;
        } else if (std::string_view("=,[]{}#\n").find(letter) != std::string_view::npos) {
            dots = 0;
        }
        if (dots >= key_parts_max) {
            return line;
        }
    }
    return std::nullopt;
}

} // namespace

Expected<std::string> read_text_file(std::string const& path) {
    std::error_code code;
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path, code)) {
        return tl::unexpected(InputError{path, "cannot be read", "give a text file"});
    }
    std::string text(text_bytes_max + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > text_bytes_max) {
        return tl::unexpected(InputError{
            path, "has more than 16 MiB", "platforms and profiles are texts of some kilobytes"});
    }
    text.shrink_to_fit();
    return text;
}

Expected<toml::table>
parse_toml(std::string_view text, std::string_view file, std::string_view remedy) {
    if (auto const line = line_of_deep_key(text)) {
        return tl::unexpected(InputError{std::string(file) + ":" + std::to_string(*line),
                                         "a key has more than 100 parts",
                                         "tables of platforms and profiles nest three deep"});
    }
    try {
        return toml::parse(text, file);
    } catch (toml::parse_error const& error) {
        return tl::unexpected(
            InputError{std::string(file) + ":" + std::to_string(error.source().begin.line),
                       std::string(error.description()),
                       std::string(remedy)});
    }
}

} // namespace keyswap::simulator
