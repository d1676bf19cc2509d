#pragma once

/// \file Recordings of external sorts, made in memory by partitioning vectors of records.

#include "model/verify/recorded_run.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <optional>
#include <ostream>
#include <rapidcheck.h>

namespace keyswap::model::verify {

/// How RapidCheck prints a run: as lines of a trace.
void showValue(RecordedRun const& run, std::ostream& out);

} // namespace keyswap::model::verify

namespace keyswap::proptests {

/// A sort of a small file with the least memory, of keys or of records with a key in them, some
/// with a sample that misjudges them, so that a range is divided again. Its header and the record
/// of its memory; the rest is record_external()'s. \param folder for the file
[[nodiscard]] rc::Gen<model::verify::RecordedRun>
any_external_sort(testing::TemporaryFolder const& folder);

/// Everything that a sort of the header's file with this memory records. nullopt if header and
/// memory name no sort. \param run with a header and a record of the memory
[[nodiscard]] std::optional<model::verify::RecordedRun>
record_external(model::verify::RecordedRun const& run);

} // namespace keyswap::proptests
