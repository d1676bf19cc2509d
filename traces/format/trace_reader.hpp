#pragma once

#include "traces/format/byte_source.hpp"
#include "traces/records/records.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace keyswap {

/// Reads a trace record by record, in memory that does not grow with the file; gzip and zstd are
/// undone. Errors name file and line. After an error or the end there is nothing more to read.
class TraceReader {
  public:
    [[nodiscard]] static Expected<TraceReader> open(std::filesystem::path const& path);
    /// \param name what errors are about
    TraceReader(std::unique_ptr<ByteSource> bytes, std::string name);

    /// The next record; nullopt at the end of a complete trace. The first one is a RunHeader.
    [[nodiscard]] Expected<std::optional<TraceRecord>> next();

  private:
    enum class Place { at_header, in_records, at_end };

    /// The next line without its break; nullopt at the end.
    [[nodiscard]] Expected<std::optional<std::string>> next_line();
    [[nodiscard]] Expected<std::optional<TraceRecord>> end_of_trace(std::uint64_t record_count);
    [[nodiscard]] InputError at_line(InputError error) const;

    std::unique_ptr<ByteSource> bytes_;
    std::string name_;
    std::string buffer_;
    std::size_t position_ = 0; ///< of the next line in the buffer
    std::uint64_t line_ = 0;   ///< 1-based number of the line that was read last
    Place place_ = Place::at_header;
    int version_ = 1; ///< of the header
};

/// A whole trace at once.
[[nodiscard]] Expected<std::vector<TraceRecord>> read_trace(std::filesystem::path const& path);

} // namespace keyswap
