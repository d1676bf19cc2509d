#pragma once

#include "traces/format/open_bytes.hpp"
#include "traces/records/records.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace keyswap {

/// Reads a trace record by record in constant memory; decompresses gzip and zstd. Errors name
/// file and line. After an error or the end, do not call next() again.
class TraceReader {
  public:
    [[nodiscard]] static Expected<TraceReader> open(std::filesystem::path const& path);
    /// \param name file name, for errors
    TraceReader(std::unique_ptr<ByteSource> bytes, std::string name);

    /// The next record; nullopt at the end of a complete trace. The first is always a RunHeader.
    [[nodiscard]] Expected<std::optional<TraceRecord>> next();

  private:
    enum class Place { at_header, in_records, at_end };

    /// The next line without its line break; nullopt at the end.
    [[nodiscard]] Expected<std::optional<std::string>> next_line();
    [[nodiscard]] Expected<std::optional<TraceRecord>> end_of_trace(std::uint64_t record_count);
    [[nodiscard]] InputError at_line(InputError error) const;

    std::unique_ptr<ByteSource> bytes_;
    std::string name_;
    std::string buffer_;
    std::size_t position_ = 0; ///< start of the next line in buffer_
    std::uint64_t line_ = 0;   ///< 1-based number of the last line read
    Place place_ = Place::at_header;
    int version_ = 1; ///< from the header
};

/// Reads a whole trace into memory.
[[nodiscard]] Expected<std::vector<TraceRecord>> read_trace(std::filesystem::path const& path);

} // namespace keyswap
