#pragma once

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Parses a count or size: "2000000000", "2_000_000_000", "2e9", "1.5e6", "2G", "0.5Gi". The
/// suffixes k, M, G, T, P, E are powers of 1000, with an i (Ki, Mi ...) powers of 1024. The
/// arithmetic is exact: "0.1e1" is 1, and "1.5" is an error, not being an integer. \param subject
/// subject of errors, for instance the option's name
[[nodiscard]] Expected<std::uint64_t> parse_count(std::string_view text, std::string_view subject);

/// Formats a number with printf. \param format one conversion of a double; at most 63 bytes result
[[nodiscard]] std::string printed(char const* format, double number);

/// Formats a line of a table with printf.
[[nodiscard]] __attribute__((format(printf, 1, 2))) std::string formatted(char const* format, ...);

/// A 64-bit hash as 16 hexadecimal digits, also in JSON, whose numbers lack the precision.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

/// Sort rate: "9.23 billion keys/s, 36.9 GB/s"; empty if ms is 0.
/// \param element_bytes size of a key and its value
[[nodiscard]] std::string
rate_text(std::uint64_t key_count, std::uint64_t element_bytes, double ms);

/// Four significant digits: "0.1456 ms", "214.8 ms"; in seconds from 10 s on: "10.27 s".
[[nodiscard]] std::string duration_text(double ms);

/// At least this many significant digits, never an exponent: "16.7", "10270".
[[nodiscard]] std::string significant_text(double number, int digits);

/// A range of durations in a common unit: "204 to 230 ms", "9.65 to 10.9 s".
[[nodiscard]] std::string interval_text(double low_ms, double high_ms, int digits);

/// Three significant digits with an SI unit: "228 GB", "4.01 MB", "0 B".
[[nodiscard]] std::string size_text(double size_bytes);

/// "1 key", "2,000 keys". \param noun singular \param plural default: noun + "s"
[[nodiscard]] std::string
counted(std::uint64_t count, std::string_view noun, std::string_view plural = "");

} // namespace keyswap::tools
