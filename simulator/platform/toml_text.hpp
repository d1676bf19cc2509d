#pragma once

/// \file Parsing of user-written TOML with limits on size and nesting depth.

#include "traces/errors/input_error.hpp"

#include <toml++/toml.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace keyswap::simulator {

/// Memory that parsed TOML takes per byte of text, at most: a two-byte number with its comma
/// becomes a node of about a hundred bytes.
inline constexpr std::uint64_t memory_per_toml_byte = 64;

/// Reads a file and decompresses it. \return an error if the file is unreadable or its text would
/// take more than Limit::memory, as an endless device does
[[nodiscard]] Expected<std::string> read_toml_file(std::string const& path);

/// Parses TOML. Refuses keys with more than Limit::depth parts: tables nest as deep as a key has
/// parts, and their destructor is recursive.
/// \param remedy what a syntax error recommends
/// \return an error with file and line
[[nodiscard]] Expected<toml::table>
parse_toml(std::string_view text, std::string_view file, std::string_view remedy);

/// Quotes and escapes a TOML basic string.
[[nodiscard]] std::string toml_quoted(std::string_view text);

} // namespace keyswap::simulator
