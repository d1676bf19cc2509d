#pragma once

/// \file TOML from people: read with a limit of size, parsed with a limit of depth.

#include "traces/errors/input_error.hpp"

#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace keyswap::simulator {

/// The text of a file. \return an error where it cannot be read or has more than 16 MiB, as a
/// device that never ends has
[[nodiscard]] Expected<std::string> read_text_file(std::string const& path);

/// Parses a text. Keys of more than 100 parts are refused, since tables nest as deep as a key has
/// parts and are destroyed by recursion.
/// \param remedy of an error in the syntax
/// \return an error that names file and line
[[nodiscard]] Expected<toml::table>
parse_toml(std::string_view text, std::string_view file, std::string_view remedy);

} // namespace keyswap::simulator
