#pragma once

#include "tools/external/external_run.hpp"
#include "tools/external/output_files.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Sorted records, all of a range or some of them, wherever they lie.
struct SortedRecords {
    std::uint64_t place = 0; ///< index in the output of the first one
    std::uint64_t count = 0;
    model::ImageInterval images; ///< of the range
    /// Fills `records` with those from `first` on.
    std::function<void(std::uint64_t first, std::span<std::byte> records)> copy;
};

/// Writes ranges where they belong and checks them, by all threads.
class RangeWriter {
  public:
    /// Takes buffers from the run's arena.
    RangeWriter(ExternalRun& run, OutputFiles& outputs);

    /// Writes records that follow those of the range that were written.
    /// \return false if they are out of order or not of the range
    [[nodiscard]] Expected<bool> write(SortedRecords const& records);
    /// Ends a range. \return digest of what was written of it
    [[nodiscard]] MultisetDigest finish_range();

  private:
    /// Sorted records, at once checked and written.
    struct Block {
        std::uint64_t first = 0; ///< of the records that are written
        std::uint64_t count = 0;
        std::uint64_t offset = 0; ///< in the output
    };
    /// What is found in the records of a block.
    struct Checked {
        model::uint128 first = 0; ///< image
        model::uint128 last = 0;
        bool ascends = true;
        MultisetDigest digest;
    };

    [[nodiscard]] Expected<bool> write_part(SortedRecords const& records,
                                            std::uint64_t first,
                                            std::uint64_t count,
                                            OutputFiles::Place const& place);
    [[nodiscard]] std::vector<Block>
    blocks_of(std::uint64_t first, std::uint64_t count, std::uint64_t offset) const;
    [[nodiscard]] Checked
    fill(SortedRecords const& source, std::uint64_t first, std::span<std::byte> records) const;
    void check_order(std::span<std::byte const> records, bool is_first, Checked& checked) const;

    ExternalRun& run_;
    model::RecordLayout const& layout_;
    OutputFiles& outputs_;
    std::vector<std::span<std::byte>> buffers_; ///< of blocks: one a thread that writes
    std::optional<model::uint128> last_;        ///< image of the range's records so far
    MultisetDigest digest_;                     ///< of those
};

} // namespace keyswap::tools
