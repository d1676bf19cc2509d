#pragma once

/// \file The decisions of an external sort as records, computed from the input alone, range by
/// range, in constant memory.

#include "model/external/external_plan.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Default seed of the sample.
inline constexpr std::uint64_t external_sample_seed = 1;

/// The header's parameter that is 1 if the input was a stream.
inline constexpr std::string_view streamed_parameter = "streamed";

/// How the sample of a division is drawn.
struct SampleRule {
    std::uint64_t seed = external_sample_seed;
    bool streamed = false; ///< the whole input is sampled by StreamSample; ranges never are

    /// Sample size for dividing a range.
    [[nodiscard]] std::uint64_t draws(ExternalMemory const& memory,
                                      KeyRangeRecord const& range) const;
};

/// Records of an input that can be read repeatedly.
class RecordSource {
  public:
    using Take = std::function<void(std::span<std::byte const>)>;

    virtual ~RecordSource() = default;
    /// Calls `take` with all records, front to back, in blocks of whole records.
    [[nodiscard]] virtual Expected<void> sweep(Take const& take) = 0;
};

/// The records of an external sort except header and ExternalSortRecord.
struct ExternalRecords {
    std::vector<RangeDivisionRecord> divisions; ///< in execution order
    std::vector<KeyRangeRecord> ranges;         ///< the index is the id
};

/// The record of layout and memory.
[[nodiscard]] ExternalSortRecord external_sort_record(RecordLayout const& layout,
                                                      ExternalMemory const& memory);

/// The range that contains all records, with id 0.
[[nodiscard]] KeyRangeRecord whole_input(RecordLayout const& layout, std::uint64_t record_count);

/// \param sample images in order of position \param range_count number of new ranges
[[nodiscard]] RangeDivisionRecord division_record(RecordLayout const& layout,
                                                  ExternalMemory const& memory,
                                                  KeyRangeRecord const& range,
                                                  SampleRule const& rule,
                                                  std::span<uint128 const> sample,
                                                  std::size_t range_count);

[[nodiscard]] inline ImageInterval images_of(KeyRangeRecord const& range) {
    return {wide(range.lowest), wide(range.highest)};
}

/// Plans a sort of the source's records.
/// \param record_count of the source \param divisions_max stops after this many divisions
/// \return the source's error, if any
[[nodiscard]] Expected<ExternalRecords> record_external_sort(RecordLayout const& layout,
                                                             ExternalMemory const& memory,
                                                             SampleRule const& rule,
                                                             std::uint64_t record_count,
                                                             RecordSource& source,
                                                             std::size_t divisions_max);

} // namespace keyswap::model
