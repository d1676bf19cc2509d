#pragma once

/// \file One line of a trace: a record as JSON with its checksum. traces/FORMAT.md specifies the
/// format.

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

/// Last line of every trace: the number of preceding records, including the header.
struct TraceEnd {
    std::uint64_t record_count = 0;
    friend bool operator==(TraceEnd const&, TraceEnd const&) = default;
};

using TraceLine = std::variant<TraceRecord, TraceEnd>;

/// CRC-32 (ISO-HDLC, as gzip and zlib use it) as eight lower-case hexadecimal digits.
[[nodiscard]] std::string checksum_text(std::string_view bytes);

/// The record as a line, including the line break. Bytes that are not UTF-8 become U+FFFD.
/// \param version the trace's version; ignored for a header, which has its own
/// \pre numbers are finite; the version supports the record
[[nodiscard]] std::string encode_line(TraceLine const& line, int version);

/// The inverse. The error's subject is empty; the caller fills in file and line.
/// \param text one line without its line break
/// \param version the trace's version; ignored for a header, which has its own
[[nodiscard]] Expected<TraceLine> decode_line(std::string_view text, int version);

} // namespace keyswap
