#pragma once

/// \file Quantities with units as people write them in platform files: "300 GB/s", "1.8 us", "40
/// GiB". Values are integers (bytes per second, picoseconds, bytes); decimals are parsed and
/// printed exactly, so that a file round-trips unchanged.

#include "simulator/platform/sim_time.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// Valid bandwidths of a link or memory: 1 MB/s to 1 PB/s, in bytes per second.
inline constexpr std::uint64_t bandwidth_min_Bps = 1'000'000;
inline constexpr std::uint64_t bandwidth_max_Bps = 1'000'000'000'000'000;

/// 1 GB = 1e9 B, 1 GiB = 2^30 B, 1 Gb = 1e9 bits. A file uses one family for all bandwidths.
enum class UnitFamily { decimal_bytes, binary_bytes, bits };

struct ParsedBandwidth {
    std::uint64_t bytes_per_second = 0;
    UnitFamily family = UnitFamily::decimal_bytes;
};

/// Parses "300 GB/s", "50 GiB/s", "400 Gb/s". Errors have an empty subject, for the caller.
[[nodiscard]] Expected<ParsedBandwidth> parse_bandwidth(std::string_view text);
/// Parses "1.8 us", "0 s", "500 ns".
[[nodiscard]] Expected<SimTime> parse_time(std::string_view text);
/// Parses "40 GiB", "512 GB", "60 MB". \return bytes
[[nodiscard]] Expected<std::uint64_t> parse_size(std::string_view text);

/// Formats with the largest decimal unit that gives a number of at least 1; all digits.
[[nodiscard]] std::string format_bandwidth(std::uint64_t bytes_per_second);
[[nodiscard]] std::string format_time(SimTime time);
/// Formats in GiB or MiB if that is a whole number, else in decimal units.
[[nodiscard]] std::string format_size(std::uint64_t size_bytes);

[[nodiscard]] std::string_view to_string(UnitFamily family);

/// The shortest decimal text that reads back equal.
[[nodiscard]] std::string shortest_text(double value);

} // namespace keyswap::simulator
