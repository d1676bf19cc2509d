#pragma once

/// \file Quantities with their units, as people write them in platform files: "300 GB/s",
/// "1.8 us", "40 GiB". Values are integers (bytes a second, picoseconds, bytes) and decimals are
/// read and written exactly, so that a file survives reading and writing unchanged.

#include "simulator/platform/sim_time.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// What a link or a memory may carry, in bytes a second: 1 MB/s to 1 PB/s. Others are mistakes.
inline constexpr std::uint64_t bandwidth_min_Bps = 1'000'000;
inline constexpr std::uint64_t bandwidth_max_Bps = 1'000'000'000'000'000;

/// 1 GB = 1e9 B, 1 GiB = 2^30 B, 1 Gb = 1e9 bits. A file keeps to one family for its bandwidths.
enum class UnitFamily { decimal_bytes, binary_bytes, bits };

struct ParsedBandwidth {
    std::uint64_t bytes_per_second = 0;
    UnitFamily family = UnitFamily::decimal_bytes;
};

/// "300 GB/s", "50 GiB/s", "400 Gb/s". The error's subject is left empty.
[[nodiscard]] Expected<ParsedBandwidth> parse_bandwidth(std::string_view text);
/// "1.8 us", "0 s", "500 ns".
[[nodiscard]] Expected<SimTime> parse_time(std::string_view text);
/// "40 GiB", "512 GB", "60 MB", in bytes.
[[nodiscard]] Expected<std::uint64_t> parse_size(std::string_view text);

/// The largest decimal unit that keeps the number at 1 or above, with all digits.
[[nodiscard]] std::string format_bandwidth(std::uint64_t bytes_per_second);
[[nodiscard]] std::string format_time(SimTime time);
/// GiB or MiB where that is whole, decimal units otherwise.
[[nodiscard]] std::string format_size(std::uint64_t size_bytes);

[[nodiscard]] std::string_view to_string(UnitFamily family);

} // namespace keyswap::simulator
