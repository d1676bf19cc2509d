#pragma once

/// \file Recordings of the reference's partitions and searches for paths, as real runs would record
/// themselves.

#include "model/verify/recorded_run.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <cstdint>
#include <optional>
#include <ostream>
#include <rapidcheck.h>
#include <vector>

namespace keyswap::proptests {

/// A multisplit, on several GPUs with or without an exchange, a histogram, or a sort by steps.
struct PartitionCase {
    RunHeader header;
    std::vector<BucketFunction> functions; ///< of step 1, 2, ...
    std::vector<std::uint32_t> column;     ///< [n] of a rule by labels
    std::vector<GpuId> owners; ///< [m] of a shuffle whose header says that it has its own
};

/// How RapidCheck prints a case: as lines of a trace.
void showValue(PartitionCase const& one, std::ostream& out);

/// A multisplit of up to 300 keys on up to 3 GPUs by any rule that the model knows.
/// \param folder for the columns of labels; must outlive the case
[[nodiscard]] rc::Gen<PartitionCase> any_multisplit(testing::TemporaryFolder const& folder);
/// The same on 1 to 3 GPUs. Every bucket goes to its owner, which is the default one or
/// any.
[[nodiscard]] rc::Gen<PartitionCase> any_shuffle(testing::TemporaryFolder const& folder);
/// Counts between the splitters of one.
[[nodiscard]] rc::Gen<PartitionCase> any_histogram_case(testing::TemporaryFolder const& folder);
/// A sort by digits, lowest first.
[[nodiscard]] rc::Gen<PartitionCase> any_sort_by_steps();

/// Carries a case out with the model's methods and records everything. nullopt if header and
/// functions name no run.
[[nodiscard]] std::optional<model::verify::RecordedRun> record_partitions(PartitionCase const& one);

/// The case that a run's header and functions name. \param column of its rule by labels
[[nodiscard]] PartitionCase case_of(model::verify::RecordedRun const& run,
                                    std::vector<std::uint32_t> column);

/// What a method makes of the input of a run by one of its functions, if it takes so many buckets
/// and the function is one of the keys (a fault planted before may have spoilt it).
[[nodiscard]] std::optional<SequenceDigest> output_by(model::verify::RecordedRun const& run,
                                                      BucketFunction const& function,
                                                      std::string_view method,
                                                      GpuId gpu);

/// The digest of the scanned table of a step for tiles of another size.
[[nodiscard]] std::optional<SequenceDigest> table_of(PartitionCase const& one,
                                                     PartitionRecord const& record);

/// A search on a small generated graph.
[[nodiscard]] rc::Gen<RunHeader> any_path_header();

/// Searches and records the rounds. nullopt if the header names no search.
[[nodiscard]] std::optional<model::verify::RecordedRun> record_search(RunHeader const& header);

} // namespace keyswap::proptests
