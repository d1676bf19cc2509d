#pragma once

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Reads a count or a size as people write them: "2000000000", "2_000_000_000", "2e9", "1.5e6",
/// "2G", "0.5Gi". The suffixes k, M, G, T, P, E are powers of 1000; with an i (Ki, Mi ...) of 1024.
/// The arithmetic is exact: "0.1e1" is 1, and "1.5" is refused, as it is not a whole number. \param
/// subject what an error is about, for instance the option's name
[[nodiscard]] Expected<std::uint64_t> parse_count(std::string_view text, std::string_view subject);

/// "2,000,000,000"
[[nodiscard]] std::string format_count(std::uint64_t count);

/// A number as printf writes it. \param format with one conversion of a double; 63 bytes at most
[[nodiscard]] std::string printed(char const* format, double number);

/// A line of a table as printf writes it.
[[nodiscard]] __attribute__((format(printf, 1, 2))) std::string formatted(char const* format, ...);

/// 64 bits of a hash as everything shows them: 16 hexadecimal digits. JSON's numbers are too short.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

/// How fast keys were sorted: "9.23 billion keys/s, 36.9 GB/s"; empty if there is no time.
/// \param element_bytes of a key and its value
[[nodiscard]] std::string
rate_text(std::uint64_t key_count, std::uint64_t element_bytes, double ms);

/// "0.1456 ms", "214.8 ms", "10.27 s": four digits, in seconds from ten of them on.
[[nodiscard]] std::string duration_text(double ms);

/// A number with so many digits, and more where it is larger: "16.7", "10270"; no exponent.
[[nodiscard]] std::string significant_text(double number, int digits);

/// "204 to 230 ms", "9.65 to 10.9 s": so many digits, of both in one unit.
[[nodiscard]] std::string interval_text(double low_ms, double high_ms, int digits);

/// Three digits and a unit of powers of 1000: "228 GB", "4.01 MB", "0 B".
[[nodiscard]] std::string size_text(double size_bytes);

/// "1 key", "2,000 keys". \param noun in the singular; without `plural`, its plural adds an s
[[nodiscard]] std::string
counted(std::uint64_t count, std::string_view noun, std::string_view plural = "");

} // namespace keyswap::tools
