#pragma once

/// \file The plan of an external sort: the memory that its buffers take, its ranges with their
/// places, and how often the data are read and written.

#include "model/external/key_ranges.hpp"
#include "model/external/record_layout.hpp"
#include "model/keys/key_source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model {

/// How the memory given is divided: what a partition needs, or else what sorting ranges needs,
/// never both at once.
struct ExternalMemory {
    std::uint64_t given_bytes = 0;
    std::uint64_t reserve_bytes = 0;                ///< for the program itself: code, stacks, plan
    std::uint64_t block_bytes = 0;                  ///< of reading and writing; three of them
    std::uint64_t ranges_max = 0;                   ///< that a partition may have
    std::uint64_t records_max = 0;                  ///< of a range that is sorted at once
    std::optional<std::uint64_t> gpu_records_max{}; ///< that fit the GPUs that sort; nullopt: cores

    /// Of a range's two buffers in a partition.
    [[nodiscard]] std::uint64_t buffer_bytes(RecordLayout const& layout,
                                             std::uint64_t range_count) const;
};

/// Least memory that an external sort takes.
inline constexpr std::uint64_t external_memory_min = std::uint64_t{1} << 20;
/// Bytes of input between two points at which an interrupted partition continues.
[[nodiscard]] std::uint64_t checkpoint_bytes(ExternalMemory const& memory);

/// \param gpu_records_max of ranges that GPUs sort; nullopt: cores do
/// \return an error if that is too little
[[nodiscard]] Expected<ExternalMemory>
divide_memory(RecordLayout const& layout,
              std::uint64_t given_bytes,
              std::optional<std::uint64_t> gpu_records_max = std::nullopt);

/// Records of a layout with their number, and how ranges of them are looked for.
[[nodiscard]] RangeTarget range_target(ExternalMemory const& memory, std::uint64_t record_count);

struct PlannedRange {
    ImageInterval images;
    std::uint64_t place = 0; ///< index in the output of its first record
    std::uint64_t count = 0;
};

struct ExternalPlan {
    RecordLayout layout;
    ExternalMemory memory;
    std::uint64_t record_count = 0;
    Counts counts = Counts::exact;
    std::vector<PlannedRange> ranges;   ///< ascending; places are sums of the counts before
    std::vector<std::size_t> oversized; ///< ranges that are read and written once more

    /// Readings and writings of all data: 1 where they fit memory, else 2.
    [[nodiscard]] int passes() const { return ranges.size() > 1 ? 2 : 1; }
    [[nodiscard]] std::uint64_t oversized_records() const;
    /// Bytes that are read, and as many written.
    [[nodiscard]] std::uint64_t moved_bytes() const;
};

/// Plans a sort of a source's keys; those of a closed form need not exist.
[[nodiscard]] Expected<ExternalPlan> plan_external_sort(RecordLayout const& layout,
                                                        ExternalMemory const& memory,
                                                        KeySource& source,
                                                        std::uint64_t seed);

/// Whether a range has more records than are sorted at once; a single value needs no sort.
[[nodiscard]] bool
is_oversized(ExternalMemory const& memory, ImageInterval images, std::uint64_t count);

} // namespace keyswap::model
