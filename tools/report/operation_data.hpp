#pragma once

/// \file A recorded multisplit, histogram, external sort or search for shortest paths, and its
/// section.

#include "model/verify/recorded_run.hpp"
#include "tools/report/verification.hpp"
#include "tools/text/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::tools {

/// One that was recorded, by what can be believed of its trace.
struct OperationView {
    std::string title;              ///< "Trace run.trace"
    Verification verification;      ///< what comparing it with the model found
    model::verify::RecordedRun run; ///< without the records that no run of its header can make
};

/// \param file for the title
/// \pre the run is of no sort in memory
[[nodiscard]] OperationView operation_view_of(model::verify::RecordedRun const& run,
                                              std::string const& file,
                                              model::verify::VerifyLimits const& limits);

/// The buckets that a function divides all keys into, or the ranges of an external sort.
struct CountedBuckets {
    std::string rule;                  ///< "hash:3", "splitters", "key ranges" ...
    std::vector<std::string> ranges;   ///< [m] each bucket's name
    std::vector<std::uint64_t> keys;   ///< [m] on all GPUs together
    std::vector<std::uint64_t> starts; ///< [m] first index in the output
};

/// Those of the first function that was recorded with counts, or the ranges that were sorted at
/// once; none of a search for paths.
[[nodiscard]] CountedBuckets counted_buckets(model::verify::RecordedRun const& run);

/// As the page's script reads it (DATA.md).
[[nodiscard]] Json operation_data(OperationView const& view);

} // namespace keyswap::tools
