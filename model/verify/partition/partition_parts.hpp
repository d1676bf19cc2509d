#pragma once

/// \file Shared by the checks of partitions: the records of one step on one GPU, and what is known
/// about its keys.

#include "model/verify/partition/expected_partition.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model::verify {

/// Names a bucket of a step in differences; maps nullopt to nullopt.
[[nodiscard]] std::optional<BucketPrefix> step_bucket(std::optional<std::uint64_t> bucket);

/// A bucket function of the run, with its column of labels, if any.
struct UsableFunction {
    BucketFunction const* function = nullptr;
    std::vector<std::uint32_t> column;
    bool known = true; ///< false if the buckets of keys cannot be computed
};

/// The functions of a run by id, each validated; reports invalid ones.
[[nodiscard]] std::map<std::uint32_t, UsableFunction>
usable_functions(RecordedRun const& run, bool has_keys, Report& report);

/// The records of one step on one GPU.
struct PartRecords {
    std::vector<HistogramRecord const*> histograms;
    std::vector<PartitionRecord const*> partitions;
    std::map<std::uint64_t, DigestRecord const*> digests; ///< by bucket

    /// The sum of all digests.
    [[nodiscard]] MultisetDigest content() const;
};

/// What is known about a part before its records are checked.
struct KnownPart {
    std::uint64_t keys = 0;
    std::optional<ExpectedStep> expected;  ///< nullopt if buckets cannot be computed
    std::optional<MultisetDigest> content; ///< digest of all its keys
    std::vector<std::uint64_t> counts;     ///< [m] correct counts, else recorded ones if consistent
    bool order_known = false;              ///< all previous steps were stable and could be executed
};

/// One step on one GPU.
struct StepPart {
    RunHeader const& header;
    int step = 1;
    GpuId gpu;
    BucketFunction const& function;
    PartRecords const& records;
    Report& report;
};

/// Compares the counts of a step. Stores recorded counts with the right sum in `known` if no others
/// are available.
void verify_part_counts(StepPart const& part, KnownPart& known);

/// Checks the partitions of a step: methods, starts, tables and outputs.
/// \return an error if a check would need more than memory_bytes
[[nodiscard]] Expected<void>
verify_part_moves(StepPart const& part, KnownPart const& known, std::uint64_t memory_bytes);

/// Compares the multisets of keys in each bucket.
/// \param any_digest true if any GPU has digests of this step
void verify_part_digests(StepPart const& part, KnownPart const& known, bool any_digest);

/// Contents of the GPUs' chunks after ordering them by bucket.
struct SplitChunks {
    std::vector<std::vector<std::uint64_t>> counts;   ///< [g][m]; [] if unknown
    std::vector<std::vector<MultisetDigest>> digests; ///< [g][m]; [] if unknown
};

/// Checks placements, ownership, copies and arrived buckets of a shuffle.
void verify_shuffle(RecordedRun const& run, SplitChunks const& split, Report& report);

/// The error for a check that would exceed the memory limit.
[[nodiscard]] InputError memory_limit_error(std::string const& what);

} // namespace keyswap::model::verify
