#pragma once

#include "tools/external/external_run.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::tools {

/// Output files under temporary names; each gets its final name once complete.
class OutputFiles {
  public:
    /// Creates the outputs at full size, or reopens those of an interrupted sort.
    [[nodiscard]] static Expected<OutputFiles> open(ExternalRun& run);

    /// Position of consecutive records in one output.
    struct Place {
        std::size_t output = 0;
        std::uint64_t offset = 0;       ///< in bytes
        std::uint64_t record_count = 0; ///< to the end of the output
    };
    /// \param record index over all outputs, less than their record count
    [[nodiscard]] Place find(std::uint64_t record) const;
    /// Opens an output for writing; first syncs the previously opened one, if another.
    [[nodiscard]] Expected<std::shared_ptr<StoredFile>> file(std::size_t output);
    /// Syncs the open output to disk.
    [[nodiscard]] Expected<void> sync();
    /// Renames each output whose records are all among the first `records`, which are on disk.
    [[nodiscard]] Expected<void> publish_complete(std::uint64_t records);

  private:
    struct Part {
        std::string header;
        std::uint64_t end = 0; ///< cumulative record count, including this output
        bool is_named = false;
    };

    explicit OutputFiles(ExternalRun& run);
    [[nodiscard]] std::uint64_t begin_of(std::size_t output) const {
        return output == 0 ? 0 : parts_[output - 1].end;
    }
    [[nodiscard]] std::uint64_t size_bytes(std::size_t output) const;
    [[nodiscard]] Expected<void> make();
    [[nodiscard]] Expected<void> reopen_existing();
    [[nodiscard]] Expected<void> name(std::size_t output);

    ExternalRun* run_;
    std::vector<Part> parts_;
    std::size_t open_ = 0;             ///< index of the output open in file_
    std::shared_ptr<StoredFile> file_; ///< most recently opened output, or null
};

} // namespace keyswap::tools
