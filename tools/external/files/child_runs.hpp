#pragma once

#include "tools/external/external_run.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Records of one child in a round of a partition.
struct RunSegment {
    std::span<std::byte const> records;
    std::span<std::byte const> written; ///< bytes to write to its run, also from earlier rounds
    std::uint64_t offset = 0;           ///< of `written` in the run
    std::uint64_t count = 0;            ///< records; another rank may hold them
};

/// Records of a round, grouped by child.
struct DistributedRound {
    std::span<std::byte> area;
    std::vector<RunSegment> segments; ///< [children]
    std::uint64_t size_bytes = 0;
    std::optional<std::uint64_t> point; ///< source records up to here will be written completely
};

/// Writes the runs of a split's children, round by round.
class ChildRuns {
  public:
    /// \pre `run.manifest.split` has a value, and keeps it
    explicit ChildRuns(ExternalRun& run)
        : run_(run), children_(run.manifest.split->children), dirty_(children_.size(), 0) {}

    /// Writes a round's segments; updates the children's counts and digests.
    [[nodiscard]] Expected<void> write(DistributedRound const& round);
    /// Waits until all that was written is on the disk.
    [[nodiscard]] Expected<void> sync();

  private:
    [[nodiscard]] Expected<void> write_segment(std::size_t index, RunSegment const& segment);

    ExternalRun& run_;
    std::vector<RangeState>& children_;
    std::vector<char> dirty_; ///< [children] 1 if written to since the last sync()
};

} // namespace keyswap::tools
