#pragma once

/// \file The input records of a recorded external sort, read from the files in its header.

#include "model/external/external_records.hpp"
#include "model/verify/expected/input_lookup.hpp"
#include "model/verify/verify_limits.hpp"
#include "traces/records/records.hpp"

#include <memory>
#include <string>

namespace keyswap::model::verify {

/// The records. \return an error for a file of another size or type, or one modified while being
/// read
[[nodiscard]] Expected<InputLookup<RecordSource>>
find_records(RunHeader const& header, RecordLayout const& layout, VerifyLimits const& limits);

} // namespace keyswap::model::verify
