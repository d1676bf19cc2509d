#pragma once

/// \file Reference recordings of external sorts, made in memory by partitioning vectors of records.

#include "model/verify/recorded_run.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <optional>
#include <ostream>
#include <rapidcheck.h>

namespace keyswap::model::verify {

/// Prints a run as lines of a trace; called by RapidCheck.
void showValue(RecordedRun const& run, std::ostream& out);

} // namespace keyswap::model::verify

namespace keyswap::proptests {

/// A sort of a small file with minimum memory, of keys or of records that contain a key; sometimes
/// with a misleading sample, so that a range is divided again. Contains only header and memory
/// record; record_external() adds the rest. \param folder for the file
[[nodiscard]] rc::Gen<model::verify::RecordedRun>
any_external_sort(testing::TemporaryFolder const& folder);

/// All records of a sort of the header's file with this memory; nullopt if header and memory do not
/// describe a sort. \param run contains a header and a memory record
[[nodiscard]] std::optional<model::verify::RecordedRun>
record_external(model::verify::RecordedRun const& run);

} // namespace keyswap::proptests
