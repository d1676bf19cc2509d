#pragma once

/// \file One line of a trace's text: a record as JSON with its checksum. The format is described in
/// traces/FORMAT.md.

#include "traces/errors/input_error.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace keyswap {

inline constexpr std::string_view trace_format_name = "keyswap-trace";
inline constexpr std::string_view trace_end_name = "end";
inline constexpr std::string_view trace_checksum_name = "crc32"; ///< always the last member

/// Last line of every trace: how many records stand above it, the header included.
struct TraceEnd {
    std::uint64_t record_count = 0;
    friend bool operator==(TraceEnd const&, TraceEnd const&) = default;
};

using TraceLine = std::variant<TraceRecord, TraceEnd>;

/// CRC-32 (ISO-HDLC, as gzip and zlib use it) as eight lower-case hexadecimal digits.
[[nodiscard]] std::string checksum_text(std::string_view bytes);

/// The record as a line, the line break included. Text that is not UTF-8 is replaced by U+FFFD.
/// \param version of the trace's header; a header has its own
/// \pre numbers are finite; the version can say the record
[[nodiscard]] std::string encode_line(TraceLine const& line, int version);

/// The inverse. The error's subject is left empty for the caller, who knows file and line.
/// \param text without the line break
/// \param version of the trace's header; a header names its own
[[nodiscard]] Expected<TraceLine> decode_line(std::string_view text, int version);

} // namespace keyswap
