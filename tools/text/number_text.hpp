#pragma once

#include "traces/input_error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Reads a count or a size as people write them: "2000000000", "2_000_000_000", "2e9", "1.5e6",
/// "2G", "0.5Gi". The suffixes k, M, G, T, P, E are powers of 1000; with an i (Ki, Mi ...) of 1024.
/// The arithmetic is exact: "0.1e1" is 1, and "1.5" is refused, as it is no whole number. \param
/// subject what an error is about, for instance the option's name
[[nodiscard]] Expected<std::uint64_t> parse_count(std::string_view text, std::string_view subject);

/// "2,000,000,000"
[[nodiscard]] std::string format_count(std::uint64_t count);

/// A number as printf writes it. \param format with one conversion of a double; 63 bytes at most
[[nodiscard]] std::string printed(char const* format, double number);

} // namespace keyswap::tools
