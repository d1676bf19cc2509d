#pragma once

/// \file Reference recordings of partitions and path searches, in the form in which real runs
/// record themselves.

#include "model/verify/recorded_run.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <cstdint>
#include <optional>
#include <ostream>
#include <rapidcheck.h>
#include <vector>

namespace keyswap::proptests {

/// A multisplit (on several GPUs with or without exchange), a histogram, or a sort by steps.
struct PartitionCase {
    RunHeader header;
    std::vector<BucketFunction> functions; ///< [step] from step 1 on
    std::vector<std::uint32_t> column;     ///< [n] labels, for rules by labels
    std::vector<GpuId> owners;             ///< [m] for shuffles with custom owners
};

/// Prints a case as lines of a trace; called by RapidCheck.
void showValue(PartitionCase const& one, std::ostream& out);

/// A multisplit of up to 300 keys on up to 3 GPUs by any rule of the model.
/// \param folder for label columns; must outlive the case
[[nodiscard]] rc::Gen<PartitionCase> any_multisplit(testing::TemporaryFolder const& folder);
/// A shuffle on 1 to 3 GPUs, which sends every bucket to its owner; owners are the default ones or
/// random.
[[nodiscard]] rc::Gen<PartitionCase> any_shuffle(testing::TemporaryFolder const& folder);
/// A histogram of the keys between splitters.
[[nodiscard]] rc::Gen<PartitionCase> any_histogram_case(testing::TemporaryFolder const& folder);
/// A radix sort by digits, least significant first.
[[nodiscard]] rc::Gen<PartitionCase> any_sort_by_steps();

/// Executes a case with the model's methods and records everything; nullopt if header and functions
/// do not describe a run.
[[nodiscard]] std::optional<model::verify::RecordedRun> record_partitions(PartitionCase const& one);

/// The case described by a run's header and functions. \param column labels of its rule, if any
[[nodiscard]] PartitionCase case_of(model::verify::RecordedRun const& run,
                                    std::vector<std::uint32_t> column);

/// Output digest of a method for a run's input under one of its functions; nullopt if the method
/// does not support the bucket count or a planted fault made the function invalid for the keys.
[[nodiscard]] std::optional<SequenceDigest> output_by(model::verify::RecordedRun const& run,
                                                      BucketFunction const& function,
                                                      std::string_view method,
                                                      GpuId gpu);

/// Digest of a step's scanned table for another tile size.
[[nodiscard]] std::optional<SequenceDigest> table_of(PartitionCase const& one,
                                                     PartitionRecord const& record);

/// Header of a path search on a small generated graph.
[[nodiscard]] rc::Gen<RunHeader> any_path_header();

/// Runs the search and records its rounds; nullopt if the header does not describe a search.
[[nodiscard]] std::optional<model::verify::RecordedRun> record_search(RunHeader const& header);

} // namespace keyswap::proptests
