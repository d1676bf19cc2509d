#pragma once

#include "tools/external/external_run.hpp"
#include "tools/external/files/output_files.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::tools {

/// Sorted records: a whole range or consecutive records of one, with a function that copies them.
struct SortedRecords {
    std::uint64_t place = 0; ///< output index of the first record
    std::uint64_t count = 0;
    model::ImageInterval images; ///< interval of the range
    /// Copies records [first, first + n) into `records`, a buffer of n records.
    std::function<void(std::uint64_t first, std::span<std::byte> records)> copy;
};

/// Writes ranges to their places in the output and checks them, with all threads.
class RangeWriter {
  public:
    /// Allocates buffers from the run's arena.
    RangeWriter(ExternalRun& run, OutputFiles& outputs);

    /// Writes the next records of the current range.
    /// \return false if they are out of order or outside the range's interval
    [[nodiscard]] Expected<bool> write(SortedRecords const& records);
    /// Ends the current range. \return digest of its written records
    [[nodiscard]] MultisetDigest finish_range();

  private:
    /// Records that one thread copies, checks and writes at once.
    struct Block {
        std::uint64_t first = 0; ///< index among the records of the call
        std::uint64_t count = 0;
        std::uint64_t offset = 0; ///< bytes in the output file
    };
    /// Result of checking a block.
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
    std::vector<std::span<std::byte>> buffers_; ///< one buffer for each writing thread
    std::optional<model::uint128> last_;        ///< image of the range's last record so far
    MultisetDigest digest_;                     ///< of the range's records so far
};

} // namespace keyswap::tools
