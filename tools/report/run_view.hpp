#pragma once

/// \file View of a planned or recorded sort for a report.

#include "model/partition/bucket_space.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/verify/recorded_run.hpp"
#include "tools/report/verification.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Bucket sort calls of one GPU.
struct GpuSorts {
    std::uint64_t calls = 0;
    int end_bit_min = 0;
    int end_bit_max = 0;
};

/// A planned or recorded sort. Fields absent from a trace are empty.
struct RunView {
    std::string title;                       ///< "Plan", "Trace run.trace"
    bool recorded = false;                   ///< false: planned
    bool expected = false;                   ///< counts are expected values of a distribution
    RunHeader header;                        ///< resolved configuration
    std::optional<model::BucketSpace> space; ///< of the buckets; nullopt: the header's digits
    /// Non-empty buckets of each pass, in sorted order.
    std::map<int, std::vector<PlacementRecord>> passes;
    std::vector<OwnershipRecord> ownership;  ///< [g] or empty
    std::vector<std::uint64_t> matrix;       ///< [g * g] keys sent; rows are sources
    std::optional<std::uint64_t> copies = 0; ///< between different GPUs; nullopt: too many
    std::vector<GpuSorts> sorts;             ///< [g]
    /// [g] keys by first digit; empty if not recorded or too large.
    std::vector<std::vector<std::uint64_t>> first_histograms;
    std::vector<PhaseTimeRecord> times;
    std::vector<VerdictRecord> verdicts;
    Verification verification; ///< recorded runs: result of the comparison with the model

    [[nodiscard]] std::size_t gpu_count() const { return header.gpus.size(); }
    /// Meaning of bucket prefixes.
    [[nodiscard]] model::BucketSpace bucket_space() const;
};

/// \param header configuration, as in a trace
[[nodiscard]] RunView run_view_of(model::SortPlan const& plan, RunHeader header);

/// Verifies a recorded sort. Records impossible under its header are reported in `verification` and
/// omitted elsewhere.
/// \param file for titles and errors
/// \return an error if the header does not describe a valid run
/// \pre the run is of a sort
[[nodiscard]] Expected<RunView> run_view_of(model::verify::RecordedRun const& run,
                                            std::string const& file,
                                            model::verify::VerifyLimits const& limits);

} // namespace keyswap::tools
