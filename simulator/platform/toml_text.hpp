#pragma once

/// \file TOML from people: read with a limit of size, parsed with a limit of depth.

#include "traces/errors/input_error.hpp"

#include <toml++/toml.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace keyswap::simulator {

/// What is read from TOML takes up to so many times its text: a number of two bytes with its comma
/// becomes a node of a hundred.
inline constexpr std::uint64_t memory_per_toml_byte = 64;

/// The text of a file, decompressed. \return an error where it cannot be read, or would take more
/// than Limit::memory, as a device that never ends would
[[nodiscard]] Expected<std::string> read_toml_file(std::string const& path);

/// Parses a text. Keys of more parts than Limit::depth are refused, since tables nest as deep as a
/// key has parts and are destroyed by recursion.
/// \param remedy of an error in the syntax
/// \return an error that names file and line
[[nodiscard]] Expected<toml::table>
parse_toml(std::string_view text, std::string_view file, std::string_view remedy);

/// Refuses a file whose syntax is right but whose content is not.
[[nodiscard]] inline tl::unexpected<InputError>
wrong_content(std::string_view file, std::string problem, std::string remedy) {
    return tl::unexpected(InputError{std::string(file), std::move(problem), std::move(remedy)});
}

} // namespace keyswap::simulator
