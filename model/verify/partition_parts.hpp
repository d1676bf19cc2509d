#pragma once

/// \file What the checks of partitions share: the records of one step on one GPU, what is known of
/// its keys.

#include "model/verify/expected_partition.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model::verify {

/// A bucket of a step as differences name it; nullopt for nullopt.
[[nodiscard]] std::optional<BucketPrefix> step_bucket(std::optional<std::uint64_t> bucket);

/// A function of the run, with its column of labels where it has one.
struct UsableFunction {
    BucketFunction const* function = nullptr;
    std::vector<std::uint32_t> column;
    bool known = true; ///< buckets of keys can be computed
};

/// The functions of a run by their ids, each checked by itself.
[[nodiscard]] std::map<std::uint32_t, UsableFunction>
usable_functions(RecordedRun const& run, bool has_keys, Report& report);

/// Records of one step on one GPU.
struct PartRecords {
    std::vector<HistogramRecord const*> histograms;
    std::vector<PartitionRecord const*> partitions;
    std::map<std::uint64_t, DigestRecord const*> digests; ///< by bucket
};

/// What is known of a part before its records are looked at.
struct KnownPart {
    std::uint64_t keys = 0;
    std::optional<ExpectedStep> expected;  ///< nullopt if buckets cannot be computed
    std::optional<MultisetDigest> content; ///< of all its keys
    std::vector<std::uint64_t> counts;     ///< [m] right ones, or recorded ones that add up
    bool order_known = false; ///< all steps so far were stable and could be carried out
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

/// Compares the counts of a step. Recorded ones that add up are taken for known where no others
/// are.
void verify_part_counts(StepPart const& part, KnownPart& known);

/// Compares what the step's partitions say: methods, starts, tables and outputs.
/// \return what goes beyond the limit
[[nodiscard]] Expected<void>
verify_part_moves(StepPart const& part, KnownPart const& known, std::uint64_t memory_bytes);

/// Compares which keys every bucket holds, whatever their order.
/// \param any_digest some GPU has digests of this step
void verify_part_digests(StepPart const& part, KnownPart const& known, bool any_digest);

/// What the GPUs' chunks hold once each is ordered by bucket.
struct SplitChunks {
    std::vector<std::vector<std::uint64_t>> counts;   ///< [g][m]; [] if they are not known
    std::vector<std::vector<MultisetDigest>> digests; ///< [g][m]; [] if they are not known
};

/// Where the buckets of a shuffle go, what each GPU owns, the copies, and what arrived.
void verify_shuffle(RecordedRun const& run, SplitChunks const& split, Report& report);

/// The refusal of what a check would take.
[[nodiscard]] InputError beyond_memory(std::string const& what);

} // namespace keyswap::model::verify
