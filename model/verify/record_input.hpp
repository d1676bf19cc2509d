#pragma once

/// \file The records that a recorded external sort read, from the file that its header names.

#include "model/external/external_records.hpp"
#include "model/verify/verify_limits.hpp"
#include "traces/records/records.hpp"

#include <memory>
#include <string>

namespace keyswap::model::verify {

/// The records, or why they are not available, which is not an error.
struct RecordLookup {
    std::unique_ptr<model::RecordSource> records; ///< null if they are not available
    std::string reason;                           ///< why not
};

/// \return an error for a file of another size or type, or one that changes while it is read
[[nodiscard]] Expected<RecordLookup> find_records(RunHeader const& header,
                                                  model::RecordLayout const& layout,
                                                  VerifyLimits const& limits);

} // namespace keyswap::model::verify
