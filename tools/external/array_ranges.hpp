#pragma once

/// \file An external sort whose storage is host memory: the ranges of model/external, partitioned
/// by all cores from the arrays into as much room, and each sorted by an engine back to its place
/// in the arrays. For keys that fit the host's memory and not that of its GPUs.

#include "model/external/external_plan.hpp"
#include "tools/external/range_engine.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::tools {

/// Arrays that are sorted by ranges.
struct ArrayRanges {
    SortShape shape;
    model::ExternalMemory memory; ///< its records_max is what the engine takes
    unsigned threads = 1;
    RangeEngine* engine = nullptr; ///< prepared for records_max
};

/// What a sort took, and its ranges.
struct ArrayRangesResult {
    std::vector<RangeDivisionRecord> divisions;
    std::vector<KeyRangeRecord> ranges; ///< by id; those that were not divided have their places
    double count_seconds = 0;           ///< of the partition: sample and counts
    double move_seconds = 0;            ///< of the partition: elements to their ranges
    double sort_seconds = 0;            ///< of all ranges, with their transfers
};

/// The layout that the plan of a shape's arrays is made for.
[[nodiscard]] model::RecordLayout layout_of_arrays(SortShape const& shape);

/// Sorts keys, and values with them. Equal keys with values keep their order.
/// \return an error after which the arrays are lost
[[nodiscard]] Expected<ArrayRangesResult> sort_by_ranges(ArrayRanges const& sort,
                                                         RangeArrays const& arrays);

} // namespace keyswap::tools
