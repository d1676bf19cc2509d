#pragma once

/// \file What an external sort decides, as records: planned again from the input alone, range for
/// range, in constant memory.

#include "model/external/external_plan.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Seed of the sample of a sort.
inline constexpr std::uint64_t external_sample_seed = 1;

/// The parameter of a header that is 1 where the input was a stream.
inline constexpr std::string_view streamed_parameter = "streamed";

/// How samples are drawn.
struct SampleRule {
    std::uint64_t seed = external_sample_seed;
    bool streamed = false; ///< the input is drawn from by a StreamSample; ranges never are

    /// Draws of a range's division.
    [[nodiscard]] std::uint64_t draws(ExternalMemory const& memory,
                                      KeyRangeRecord const& range) const;
};

/// Records of an input, which can be read again and again.
class RecordSource {
  public:
    using Take = std::function<void(std::span<std::byte const>)>;

    virtual ~RecordSource() = default;
    /// Calls `take` with all records from front to back, some whole ones at a time.
    [[nodiscard]] virtual Expected<void> sweep(Take const& take) = 0;
};

/// Records without those of the header.
struct ExternalRecords {
    std::vector<RangeDivisionRecord> divisions; ///< in the order in which they happen
    std::vector<KeyRangeRecord> ranges;         ///< by id, which is their index
};

/// What was given and how it is divided.
[[nodiscard]] ExternalSortRecord external_sort_record(RecordLayout const& layout,
                                                      ExternalMemory const& memory);

/// The range that all records belong to.
[[nodiscard]] KeyRangeRecord whole_input(RecordLayout const& layout, std::uint64_t record_count);

/// \param sample images, by their positions \param range_count that the division makes
[[nodiscard]] RangeDivisionRecord division_record(RecordLayout const& layout,
                                                  ExternalMemory const& memory,
                                                  KeyRangeRecord const& range,
                                                  SampleRule const& rule,
                                                  std::span<uint128 const> sample,
                                                  std::size_t range_count);

[[nodiscard]] inline ImageInterval images_of(KeyRangeRecord const& range) {
    return {wide(range.lowest), wide(range.highest)};
}

/// Plans a sort of these records.
/// \param record_count of the source \param divisions_max after which no range is divided
/// \return the source's error if it has one
[[nodiscard]] Expected<ExternalRecords> record_external_sort(RecordLayout const& layout,
                                                             ExternalMemory const& memory,
                                                             SampleRule const& rule,
                                                             std::uint64_t record_count,
                                                             RecordSource& source,
                                                             std::size_t divisions_max);

} // namespace keyswap::model
