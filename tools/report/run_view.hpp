#pragma once

/// \file What a report shows of a sort, whether it was planned or recorded.

#include "model/partition/bucket_space.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/verify/recorded_run.hpp"
#include "tools/report/verification.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// The non-empty buckets that one pass gave, by their place in the sorted order.
struct PassView {
    int pass = 1;
    std::vector<PlacementRecord> placements;
};

/// The calls of the bucket sort on one GPU.
struct GpuSorts {
    std::uint64_t calls = 0;
    int end_bit_min = 0;
    int end_bit_max = 0;
};

/// A planned or recorded sort. What the run did not say is empty.
struct RunView {
    std::string title;                       ///< "Plan", "Trace run.trace"
    bool recorded = false;                   ///< else planned
    bool expected = false;                   ///< counts are what a distribution promises
    RunHeader header;                        ///< the resolved configuration
    std::optional<model::BucketSpace> space; ///< of the buckets; nothing: the header's digits
    std::vector<PassView> passes;            ///< in pass order
    std::vector<OwnershipRecord> ownership;  ///< [g] or empty
    std::vector<std::uint64_t> matrix;       ///< [g * g] keys from source (row) to destination
    std::optional<std::uint64_t> copies = 0; ///< between different GPUs; none = too many to list
    std::vector<GpuSorts> sorts;             ///< [g]
    /// [g] keys by first digit; empty if they were not recorded or are too many to keep.
    std::vector<std::vector<std::uint64_t>> first_histograms;
    std::vector<PhaseTimeRecord> times;
    std::vector<VerdictRecord> verdicts;
    Verification verification; ///< of a recorded run: what comparing it with the model found

    [[nodiscard]] std::size_t gpu_count() const { return header.gpus.size(); }
    /// What the prefixes of the buckets mean.
    [[nodiscard]] model::BucketSpace bucket_space() const;
};

/// \param header the configuration as a trace would have it
[[nodiscard]] RunView run_view_of(model::SortPlan const& plan, RunHeader header);

/// Verifies a recorded sort. What its trace says that no run of its header can do is reported in
/// `verification`, and left out of the rest.
/// \param file for titles and errors
/// \return an error where the header describes no run
/// \pre the run is of a sort
[[nodiscard]] Expected<RunView> run_view_of(model::verify::RecordedRun const& run,
                                            std::string const& file,
                                            model::verify::VerifyLimits const& limits);

} // namespace keyswap::tools
