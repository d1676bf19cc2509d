#pragma once

/// \file The plan of an external sort: sizes of its buffers, its ranges with their positions, and
/// the number of passes over the data.

#include "model/external/key_ranges.hpp"
#include "model/external/record_layout.hpp"
#include "model/keys/key_source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model {

/// Division of the memory budget. Partitioning and sorting ranges never happen at the same time, so
/// each may use all of it.
struct ExternalMemory {
    std::uint64_t given_bytes = 0;
    std::uint64_t reserve_bytes = 0;                ///< for the program: code, stacks, plan
    std::uint64_t block_bytes = 0;                  ///< size of a read or write; three blocks exist
    std::uint64_t ranges_max = 0;                   ///< upper bound for ranges of a partition
    std::uint64_t records_max = 0;                  ///< upper bound for a range sorted in memory
    std::optional<std::uint64_t> gpu_records_max{}; ///< that fit the GPUs; nullopt: CPU sort

    /// Size of each of a range's two buffers in a partition.
    [[nodiscard]] std::uint64_t buffer_bytes(RecordLayout const& layout,
                                             std::uint64_t range_count) const;
};

/// Minimum memory budget of an external sort.
inline constexpr std::uint64_t external_memory_min = std::uint64_t{1} << 20;
/// Bytes of input between checkpoints from which an interrupted partition can resume.
[[nodiscard]] std::uint64_t checkpoint_bytes(ExternalMemory const& memory);

/// \param gpu_records_max upper bound for a range sorted on GPUs; nullopt: CPU sort
/// \return an error if the memory is insufficient
[[nodiscard]] Expected<ExternalMemory>
divide_memory(RecordLayout const& layout,
              std::uint64_t given_bytes,
              std::optional<std::uint64_t> gpu_records_max = std::nullopt);

/// Target for dividing `record_count` records into ranges.
[[nodiscard]] RangeTarget range_target(ExternalMemory const& memory, std::uint64_t record_count);

struct PlannedRange {
    ImageInterval images;
    std::uint64_t place = 0; ///< index of its first record in the output
    std::uint64_t count = 0;
};

struct ExternalPlan {
    RecordLayout layout;
    ExternalMemory memory;
    std::uint64_t record_count = 0;
    Counts counts = Counts::exact;
    std::vector<PlannedRange> ranges;   ///< ascending; place = sum of the preceding counts
    std::vector<std::size_t> oversized; ///< indices of ranges to divide again until they fit

    /// Passes over all data, each a read and a write: 1 if they fit memory, else 2.
    [[nodiscard]] int passes() const { return ranges.size() > 1 ? 2 : 1; }
    [[nodiscard]] std::uint64_t oversized_records() const;
    /// Records that divisions of oversized ranges read and write again, summed over all divisions.
    [[nodiscard]] std::uint64_t redivided_records() const;
    /// Maximum number of divisions of one range until its parts fit memory; 0: all ranges fit.
    [[nodiscard]] std::uint64_t divisions_most() const;
    /// Bytes read in total; the same number is written.
    [[nodiscard]] std::uint64_t moved_bytes() const;
};

/// Plans a sort of a source's keys, which may be in closed form.
[[nodiscard]] Expected<ExternalPlan> plan_external_sort(RecordLayout const& layout,
                                                        ExternalMemory const& memory,
                                                        KeySource& source,
                                                        std::uint64_t seed);

/// True if a range has more records than fit memory; a single-valued range needs no sort.
[[nodiscard]] bool
is_oversized(ExternalMemory const& memory, ImageInterval images, std::uint64_t count);

} // namespace keyswap::model
