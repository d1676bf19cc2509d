#pragma once

#include "tools/external/external_run.hpp"

#include <memory>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Where a range's records lie: in its run, or in the inputs one after the other.
class RangeFiles {
  public:
    RangeFiles(ExternalRun const& run, RangeState const& range);

    /// Records that follow each other in one file.
    struct Place {
        std::shared_ptr<StoredFile> file; ///< null of a stream
        std::uint64_t offset = 0;         ///< of the first, in bytes; 0 of a stream's
        std::uint64_t record_count = 0;
    };
    /// The place of a record and of those behind it; a stream skips what comes before.
    /// \pre the range has it
    [[nodiscard]] Expected<Place> find(std::uint64_t record);
    /// Reads the next records of a stream. \pre its place was found last
    [[nodiscard]] Expected<void> read_stream(std::span<std::byte> records);

  private:
    struct Part {
        std::filesystem::path path;
        std::uint64_t offset = 0;             ///< of its first record, in bytes
        std::uint64_t end = 0;                ///< records of it and of the parts before
        ExternalInput const* input = nullptr; ///< of a stream
    };
    [[nodiscard]] Expected<void> open(Part const& part);
    [[nodiscard]] Expected<void> skip_to(std::uint64_t record);

    ExternalRun const& run_;
    std::vector<Part> parts_;
    Part const* open_ = nullptr; ///< of `file_` or `stream_`
    std::shared_ptr<StoredFile> file_;
    std::unique_ptr<model::RecordStream> stream_;
    std::uint64_t stream_next_ = 0; ///< its next record, of the part
};

} // namespace keyswap::tools
