#pragma once

#include "tools/external/external_run.hpp"

#include <memory>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Reads the records of a range from its run file, or from all inputs in sequence.
class RangeFiles {
  public:
    RangeFiles(ExternalRun const& run, RangeState const& range);

    /// Consecutive records of one file.
    struct Place {
        std::shared_ptr<StoredFile> file; ///< null for a stream
        std::uint64_t offset = 0;         ///< of the first record, in bytes; 0 for a stream
        std::uint64_t record_count = 0;
    };
    /// Locates a record and its successors; in a stream, skips the records before it.
    /// \pre record < the range's count
    [[nodiscard]] Expected<Place> find(std::uint64_t record);
    /// Reads the next records of a stream. \pre the last find() returned a stream's place
    [[nodiscard]] Expected<void> read_stream(std::span<std::byte> records);

  private:
    struct Part {
        std::filesystem::path path;
        std::uint64_t offset = 0;             ///< of its first record, in bytes
        std::uint64_t end = 0;                ///< cumulative record count, including this part
        ExternalInput const* input = nullptr; ///< null unless the part is a stream
    };
    [[nodiscard]] Expected<void> open(Part const& part);
    [[nodiscard]] Expected<void> skip_to(std::uint64_t record);

    ExternalRun const& run_;
    std::vector<Part> parts_;
    Part const* open_ = nullptr; ///< part open in `file_` or `stream_`
    std::shared_ptr<StoredFile> file_;
    std::unique_ptr<model::RecordStream> stream_;
    std::uint64_t stream_next_ = 0; ///< next record to read, counted within the part
};

} // namespace keyswap::tools
