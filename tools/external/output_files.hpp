#pragma once

#include "tools/external/external_run.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::tools {

/// The outputs while they grow, under names of their own. Each gets its name once it is complete.
class OutputFiles {
  public:
    /// Makes the outputs at their full sizes, or finds those that an interrupted sort made.
    [[nodiscard]] static Expected<OutputFiles> open(ExternalRun& run);

    /// Where records lie that follow each other in one output.
    struct Place {
        std::size_t output = 0;
        std::uint64_t offset = 0;       ///< in bytes
        std::uint64_t record_count = 0; ///< until the output ends
    };
    /// \param record index in the order of all outputs, of one that there is
    [[nodiscard]] Place find(std::uint64_t record) const;
    /// An output to write to, until another is asked for; what was written before is on the disk.
    [[nodiscard]] Expected<std::shared_ptr<StoredFile>> file(std::size_t output);
    /// Waits until all that was written is on the disk.
    [[nodiscard]] Expected<void> sync();
    /// Names the outputs that are complete once so many records are on the disk.
    [[nodiscard]] Expected<void> name_complete(std::uint64_t records);

  private:
    struct Part {
        std::string header;
        std::uint64_t end = 0; ///< records of it and of those before
        bool is_named = false;
    };

    explicit OutputFiles(ExternalRun& run);
    [[nodiscard]] std::uint64_t begin_of(std::size_t output) const {
        return output == 0 ? 0 : parts_[output - 1].end;
    }
    [[nodiscard]] std::uint64_t size_bytes(std::size_t output) const;
    [[nodiscard]] Expected<void> make();
    [[nodiscard]] Expected<void> find_made();
    [[nodiscard]] Expected<void> name(std::size_t output);

    ExternalRun* run_;
    std::vector<Part> parts_;
    std::size_t open_ = 0;             ///< the output of file_
    std::shared_ptr<StoredFile> file_; ///< the last one that was asked for, or null
};

} // namespace keyswap::tools
