#pragma once

#include "tools/external/external_sort.hpp"

#include <memory>
#include <vector>

namespace keyswap::tools {

/// Where a range's records lie: in its run, or in the inputs one after the other.
class RangeFiles {
  public:
    RangeFiles(ExternalRun const& run, RangeState const& range);

    /// Records that follow each other in one file.
    struct Place {
        std::shared_ptr<StoredFile> file;
        std::uint64_t offset = 0; ///< of the first, in bytes
        std::uint64_t record_count = 0;
    };
    /// The place of a record and of those behind it. \pre the range has it
    [[nodiscard]] Expected<Place> find(std::uint64_t record);

  private:
    struct Part {
        std::filesystem::path path;
        std::uint64_t offset = 0; ///< of its first record, in bytes
        std::uint64_t end = 0;    ///< records of it and of the parts before
    };

    ExternalRun const& run_;
    std::vector<Part> parts_;
    Part const* open_ = nullptr; ///< of `file_`
    std::shared_ptr<StoredFile> file_;
};

} // namespace keyswap::tools
