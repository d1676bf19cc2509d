#pragma once

/// \file The sort of a GPU's own ranges as the host queues it: a batch of segments at a time, the
/// next one only after it knows which segments the batch leaves.

#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/local_levels.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// Kernels that the host queues back to back.
struct LocalStep {
    KernelCost cost;
    int launches = 0;
};

struct LocalBatch {
    std::vector<LocalStep> until_known; ///< the host waits for these
    std::vector<LocalStep> then;        ///< the host does not wait for these
};

/// Whether the kernels that write keys to their final place convert images to keys.
enum class ImageCode { identity, decoded };
[[nodiscard]] inline ImageCode image_code_of(ScheduleBuilder const& builder) {
    return builder.changes_images() ? ImageCode::decoded : ImageCode::identity;
}

/// Launches of a GPU's sort before its first batch: sampling, then ranges as first segments.
inline constexpr int launches_before = 6;

/// \param ties whether elements with equal keys keep their order
[[nodiscard]] std::vector<LocalBatch> digit_batches(FastKernels const& kernels,
                                                    RecordBytes record,
                                                    Stability ties,
                                                    DigitLevels const& levels);

/// \param one_value_keys sorted from the start \param segments_max segments per launch
[[nodiscard]] std::vector<LocalBatch> splitter_batches(FastKernels const& kernels,
                                                       RecordBytes record,
                                                       std::span<SplitterLevel const> levels,
                                                       std::uint64_t one_value_keys,
                                                       std::uint64_t segments_max,
                                                       ImageCode code);

/// Batches of segments whose keys arrived in parts.
[[nodiscard]] std::vector<LocalBatch> arrived_by_splitters(FastKernels const& kernels,
                                                           RecordBytes record,
                                                           std::span<LocalSegment const> segments,
                                                           KeySample const& sample,
                                                           std::uint64_t segments_max,
                                                           ImageCode code);

} // namespace keyswap::simulator
